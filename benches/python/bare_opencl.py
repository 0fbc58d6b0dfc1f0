"""OpenCL without situ: hand-written kernels, launched by loops that Numba compiles.

The loops call the loader's functions directly, as C code would: no Python runs between two
launches. Set-up is by ctypes. Handles are numbers here, so that Numba can pass them on.
"""

import ctypes
from collections.abc import Sequence
from ctypes import c_char_p, c_int32, c_size_t, c_uint32, c_uint64, c_void_p

import numba
import numpy as np

_PLATFORM_NAME = 0x0902
_PROGRAM_BUILD_LOG = 0x1183
_DEVICE_TYPE_ALL = 0xFFFFFFFF
_MEM_READ_WRITE_COPY = (1 << 0) | (1 << 5)

# Handles and pointers are as wide as sizes.
_handle = c_size_t

_SIGNATURES = {
    "clGetPlatformIDs": (c_int32, [c_uint32, c_void_p, c_void_p]),
    "clGetPlatformInfo": (c_int32, [_handle, c_uint32, c_size_t, c_void_p, c_void_p]),
    "clGetDeviceIDs": (c_int32, [_handle, c_uint64, c_uint32, c_void_p, c_void_p]),
    "clCreateContext": (_handle, [c_void_p, c_uint32, c_void_p, c_void_p, c_void_p, c_void_p]),
    "clCreateCommandQueue": (_handle, [_handle, _handle, c_uint64, c_void_p]),
    "clCreateProgramWithSource": (_handle, [_handle, c_uint32, c_void_p, c_void_p, c_void_p]),
    "clBuildProgram": (c_int32, [_handle, c_uint32, c_void_p, c_char_p, c_void_p, c_void_p]),
    "clGetProgramBuildInfo": (
        c_int32,
        [_handle, _handle, c_uint32, c_size_t, c_void_p, c_void_p],
    ),
    "clCreateKernel": (_handle, [_handle, c_char_p, c_void_p]),
    "clCreateBuffer": (_handle, [_handle, c_uint64, c_size_t, c_void_p, c_void_p]),
    "clSetKernelArg": (c_int32, [_handle, c_uint32, c_size_t, c_void_p]),
    "clEnqueueNDRangeKernel": (
        c_int32,
        [_handle, _handle, c_uint32, *[c_size_t] * 3, c_uint32, *[c_size_t] * 2],
    ),
    "clFinish": (c_int32, [_handle]),
}

_library = ctypes.CDLL("libOpenCL.so.1")
for _name, (_result, _arguments) in _SIGNATURES.items():
    _function = getattr(_library, _name)
    _function.restype, _function.argtypes = _result, _arguments

_enqueue = _library.clEnqueueNDRangeKernel
_finish = _library.clFinish


@numba.njit
def _launch_and_wait(queue: int, kernel: int, sizes: int, local: int, times: int) -> int:
    """Launch a kernel and wait for it, again and again; the sum of all statuses is zero."""
    status = 0
    for _ in range(times):
        status += abs(_enqueue(queue, kernel, 1, 0, sizes, local, 0, 0, 0))
        status += abs(_finish(queue))
    return status


class BareKernel:
    """A kernel with its arguments set."""

    def __init__(self, queue: int, kernel: int, length: int, local: int | None) -> None:
        """Take what a launch needs."""
        self._queue, self._kernel = queue, kernel
        self._sizes = np.array([length, local or 0], dtype=np.uintp)
        self._has_local = local is not None

    def launch_and_wait(self, times: int = 1) -> None:
        """Launch and wait `times` times."""
        sizes = self._sizes.ctypes.data
        local = sizes + 8 if self._has_local else 0
        assert _launch_and_wait(self._queue, self._kernel, sizes, local, times) == 0


class BareDevice:
    """The first device of a platform, with a context and an in-order queue."""

    def __init__(self, platform_name: str) -> None:
        """Open the device."""
        self._status = c_int32()
        platforms = (_handle * 16)()
        count = c_uint32()
        _check(_library.clGetPlatformIDs(16, platforms, ctypes.byref(count)))
        (platform,) = [one for one in platforms[: count.value] if _name_of(one) == platform_name]
        self._device = _handle()
        _check(
            _library.clGetDeviceIDs(platform, _DEVICE_TYPE_ALL, 1, ctypes.byref(self._device), None)
        )
        device, status = ctypes.byref(self._device), ctypes.byref(self._status)
        self._context = _library.clCreateContext(None, 1, device, None, None, status)
        self._checked()
        self._queue = _library.clCreateCommandQueue(self._context, self._device, 0, status)
        self._checked()

    def kernel(
        self, text: str, arrays: Sequence[np.ndarray], length: int, local: int | None = None
    ) -> BareKernel:
        """Compile the kernel `bare` of a program and give it buffers with these contents."""
        source, status = c_char_p(text.encode()), ctypes.byref(self._status)
        program = _library.clCreateProgramWithSource(
            self._context, 1, ctypes.byref(source), None, status
        )
        self._checked()
        device = ctypes.byref(self._device)
        # As situ does: nothing is contracted, and nobody is warned.
        built = _library.clBuildProgram(program, 1, device, b"-cl-std=CL1.2 -w", None, None)
        assert built == 0, self._build_log(program)
        kernel = _library.clCreateKernel(program, b"bare", status)
        self._checked()
        for position, array in enumerate(arrays):
            buffer = _handle(
                _library.clCreateBuffer(
                    self._context, _MEM_READ_WRITE_COPY, array.nbytes, array.ctypes.data, status
                )
            )
            self._checked()
            _check(_library.clSetKernelArg(kernel, position, 8, ctypes.byref(buffer)))
        return BareKernel(self._queue, kernel, length, local)

    def _build_log(self, program: int) -> str:
        log = ctypes.create_string_buffer(1 << 14)
        _library.clGetProgramBuildInfo(
            program, self._device, _PROGRAM_BUILD_LOG, len(log), log, None
        )
        return log.value.decode()

    def _checked(self) -> None:
        _check(self._status.value)


def _name_of(platform: int) -> str:
    text = ctypes.create_string_buffer(256)
    _check(_library.clGetPlatformInfo(platform, _PLATFORM_NAME, len(text), text, None))
    return text.value.decode().strip()


def _check(status: int) -> None:
    assert status == 0, f"OpenCL answers {status}"
