"""SYCL without situ: launches by a loop that Numba compiles, through the same C library of dpctl.

As `bare_opencl.py`: set-up is by ctypes, and no Python runs between two launches.
"""

import ctypes
import os
from ctypes import c_char_p, c_int32, c_size_t, c_void_p

import numba
import numpy as np

# Every sort of device of every backend.
_ALL_DEVICES = (((1 << 10) - 1) << 16) | ((1 << 6) - 1)
_IN_ORDER = 1 << 1

# References and pointers are as wide as sizes.
_reference = c_size_t

_SIGNATURES = {
    "DPCTLDeviceMgr_GetDevices": (_reference, [c_int32]),
    "DPCTLDeviceVector_Size": (c_size_t, [_reference]),
    "DPCTLDeviceVector_GetAt": (_reference, [_reference, c_size_t]),
    "DPCTLDevice_GetDriverVersion": (c_char_p, [_reference]),
    "DPCTLDevice_GetName": (c_char_p, [_reference]),
    "DPCTLContext_Create": (_reference, [_reference, c_void_p, c_int32]),
    "DPCTLQueue_Create": (_reference, [_reference, _reference, c_void_p, c_int32]),
    "DPCTLKernelBundle_CreateFromOCLSource": (
        _reference,
        [_reference, _reference, c_char_p, c_char_p],
    ),
    "DPCTLKernelBundle_GetKernel": (_reference, [_reference, c_char_p]),
    "DPCTLQueue_SubmitRange": (_reference, [c_size_t] * 9),
    "DPCTLEvent_Wait": (None, [_reference]),
    "DPCTLEvent_Delete": (None, [_reference]),
}

_library = ctypes.CDLL(os.environ["SITU_SYCL_LIBRARY"])
for _name, (_result, _arguments) in _SIGNATURES.items():
    _function = getattr(_library, _name)
    _function.restype, _function.argtypes = _result, _arguments

_submit = _library.DPCTLQueue_SubmitRange
_wait = _library.DPCTLEvent_Wait
_delete = _library.DPCTLEvent_Delete


@numba.njit
def _launch_and_wait(queue: int, kernel: int, sizes: int, times: int) -> None:
    for _ in range(times):
        event = _submit(kernel, queue, 0, 0, 0, sizes, 1, 0, 0)
        _wait(event)
        _delete(event)


class BareSyclKernel:
    """A kernel that does nothing, on the device with a name and a driver's version."""

    def __init__(self, name: str, driver_version: str) -> None:
        """Compile it."""
        wanted = (name.encode(), driver_version.encode())
        all_devices = _library.DPCTLDeviceMgr_GetDevices(_ALL_DEVICES)
        count = _library.DPCTLDeviceVector_Size(all_devices)
        devices = [_library.DPCTLDeviceVector_GetAt(all_devices, at) for at in range(count)]
        device = next(
            device
            for device in devices
            if (
                _library.DPCTLDevice_GetName(device).strip(),
                _library.DPCTLDevice_GetDriverVersion(device).strip(),
            )
            == wanted
        )
        context = _library.DPCTLContext_Create(device, None, 0)
        self._queue = _library.DPCTLQueue_Create(context, device, None, _IN_ORDER)
        text = b"__kernel void bare(void) {}"
        bundle = _library.DPCTLKernelBundle_CreateFromOCLSource(context, device, text, b"")
        self._kernel = _library.DPCTLKernelBundle_GetKernel(bundle, b"bare")
        self._sizes = np.ones(3, dtype=np.uintp)
        assert self._queue
        assert self._kernel

    def launch_and_wait(self, times: int) -> None:
        """Launch and wait `times` times."""
        _launch_and_wait(self._queue, self._kernel, self._sizes.ctypes.data, times)
