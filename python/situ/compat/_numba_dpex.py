"""The names of ``numba_dpex`` 0.23, those it had before, and what each is in situ."""

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

import situ
from situ import kernel_api
from situ._native import DeviceFunction, Event, Kernel, NjitFunction

__all__ = [
    "CONFIG",
    "EXCEPTIONS",
    "INDEX_TYPES",
    "KERNEL_API",
    "NAMES",
    "OLDER",
    "TYPES",
    "device_func",
    "kernel",
]

# Options of the peer's decorators that change nothing of what a function computes.
_IGNORED = {"access_types", "debug", "inline_threshold", "release_gil"}


def _decorator(make: Callable[[Any], Any], name: str) -> Callable[..., Any]:
    """Return a decorator that may be given a signature and options, which situ needs none of.

    Functions are compiled for the arrays of each call, so a signature makes no difference.
    """

    def decorate(function_or_signature: object = None, *_rest: object, **options: object) -> Any:  # noqa: ANN401
        unknown = options.keys() - _IGNORED
        if unknown:
            msg = f"`{name}` has no option `{min(unknown)}`"
            raise TypeError(msg)
        if isinstance(function_or_signature, FunctionType):
            return make(function_or_signature)
        return make

    decorate.__name__ = decorate.__qualname__ = name.rpartition(".")[2]
    decorate.__doc__ = f"Decorate a function as `{name}` does."
    return decorate


def _made_kernel(function: FunctionType) -> Kernel:
    return situ.kernel(function)


def _made_device_func(function: FunctionType) -> DeviceFunction:
    return situ.device_func(function)


kernel = _decorator(_made_kernel, "numba_dpex.kernel")
device_func = _decorator(_made_device_func, "numba_dpex.device_func")

# Options of Numba's `njit` that situ's has.
_NJIT_OPTIONS = {"cache", "fastmath", "nogil", "parallel"}


def dpjit(*arguments: object, **options: Any) -> Any:  # noqa: ANN401
    """Compile a function of arrays and numbers, as `situ.njit` does."""
    known = {name: value for name, value in options.items() if name in _NJIT_OPTIONS}
    # Reading whole `fastmath` sets is Numba's; situ knows on and off.
    own: dict[str, Any] = {name: bool(value) for name, value in known.items()}

    def make(function: FunctionType) -> NjitFunction:
        return situ.njit(**own)(function) if own else situ.njit(function)

    if arguments and isinstance(arguments[0], FunctionType):
        return make(arguments[0])
    return make


def call_kernel_async(
    kernel_fn: Kernel,
    index_space: Any,  # noqa: ANN401 - a range
    dependent_events: Sequence[Event],
    *kernel_args: Any,  # noqa: ANN401
) -> tuple[Event, Event]:
    """Submit a kernel; return the event of what keeps its arguments, and that of the kernel."""
    event = situ.call_kernel_async(kernel_fn, index_space, list(dependent_events), *kernel_args)
    return event, event


KERNEL_API: dict[str, Any] = {
    name: getattr(kernel_api, name)
    for name in (
        "AddressSpace",
        "AtomicRef",
        "Group",
        "Item",
        "LocalAccessor",
        "MemoryOrder",
        "MemoryScope",
        "NdItem",
        "NdRange",
        "PrivateArray",
        "Range",
        "atomic_fence",
        "call_kernel",
        "group_barrier",
    )
}


class _SignatureType:
    """A type in the signature of a kernel; situ compiles for the arrays of each call anyway."""

    def __init__(self, *arguments: object, **options: object) -> None:
        self.arguments, self.options = arguments, options

    def __call__(self, *_arguments: object) -> "_SignatureType":
        return self

    def __getitem__(self, _index: object) -> "_SignatureType":
        return self


def _signature_type(name: str) -> type:
    return type(name, (_SignatureType,), {"__doc__": _SignatureType.__doc__})


# Numba's types as NumPy's, so that they can be dtypes in kernels; and types of signatures.
TYPES: dict[str, Any] = {
    "b1": np.bool_,
    "bool_": np.bool_,
    "boolean": np.bool_,
    "double": np.float64,
    "f4": np.float32,
    "f8": np.float64,
    "float32": np.float32,
    "float64": np.float64,
    "float_": np.float32,
    "i4": np.int32,
    "i8": np.int64,
    "int32": np.int32,
    "int64": np.int64,
    "none": None,
    "u4": np.uint32,
    "u8": np.uint64,
    "uint32": np.uint32,
    "uint64": np.uint64,
    "void": np.void,
    **{
        name: _signature_type(name)
        for name in (
            "DpctlSyclEvent",
            "DpctlSyclQueue",
            "DpnpNdArray",
            "IntEnumLiteral",
            "KernelDispatcherType",
            "NdRangeType",
            "RangeType",
            "USMNdArray",
            "usm_ndarray",
        )
    },
}

INDEX_TYPES: dict[str, object] = {
    name: _signature_type(name) for name in ("GroupType", "ItemType", "NdItemType")
}

EXCEPTIONS: dict[str, object] = {
    "ExecutionQueueInferenceError": situ.PlacementError,
    "IllegalIntEnumLiteralValueError": situ.KernelError,
    "IllegalRangeValueError": situ.ShapeError,
    "InternalError": situ.InternalError,
    "InvalidKernelLaunchArgsError": situ.KernelTypeError,
    "InvalidKernelSpecializationError": situ.KernelTypeError,
    "KernelHasReturnValueError": situ.KernelError,
    "MissingSpecializationError": situ.KernelTypeError,
    "SUAIProtocolError": ValueError,
    "UncompiledKernelError": situ.KernelError,
    "UnknownGlobalRangeError": situ.ShapeError,
    "UnmatchedNumberOfRangeDimsError": situ.ShapeError,
    "UnreachableError": situ.InternalError,
    "UnsupportedBackendError": situ.DeviceError,
    "UnsupportedCompilationModeError": situ.KernelError,
    "UnsupportedGroupWorkItemSizeError": situ.ShapeError,
    "UnsupportedKernelArgumentError": situ.KernelTypeError,
    "UnsupportedNumberOfRangeDimsError": situ.ShapeError,
    "UnsupportedParforError": situ.KernelError,
    "UnsupportedWorkItemSizeError": situ.ShapeError,
}

# Settings of the peer, at their defaults; situ has its own, see `situ doctor`.
CONFIG: dict[str, object] = {
    "BUILD_KERNEL_OPTIONS": "",
    "DEBUG": 0,
    "DEBUGINFO_DEFAULT": 0,
    "DEBUG_KERNEL_LAUNCHER": 0,
    "DPEX_OPT": 2,
    "DUMP_KERNEL_LAUNCHER": 0,
    "DUMP_KERNEL_LLVM": 0,
    "INLINE_THRESHOLD": 2,
    "OFFLOAD_DIAGNOSTICS": 0,
    "SAVE_IR_FILES": 0,
    "TESTING_LOG_DEBUGGING": 0,
    "TESTING_SKIP_NO_DEBUGGING": 1,
}

# The functions that kernels called before there were index objects, in the package and in
# ``numba_dppy``.
OLDER: dict[str, object] = {
    "CLK_GLOBAL_MEM_FENCE": situ.GLOBAL_MEM_FENCE,
    "CLK_LOCAL_MEM_FENCE": situ.LOCAL_MEM_FENCE,
    "GLOBAL_MEM_FENCE": situ.GLOBAL_MEM_FENCE,
    "LOCAL_MEM_FENCE": situ.LOCAL_MEM_FENCE,
    "atomic": situ.atomic,
    "barrier": situ.barrier,
    "func": device_func,
    "get_global_id": situ.get_global_id,
    "get_global_size": situ.get_global_size,
    "get_group_id": situ.get_group_id,
    "get_local_id": situ.get_local_id,
    "get_local_size": situ.get_local_size,
    "get_num_groups": situ.get_num_groups,
    "get_work_dim": situ.get_work_dim,
    "is_available": lambda: True,
    "mem_fence": situ.mem_fence,
    "private": situ.private,
    "sub_group_barrier": situ.barrier,
}

NAMES: dict[str, Any] = {
    **TYPES,
    **OLDER,
    "NdRange": kernel_api.NdRange,
    "Range": kernel_api.Range,
    "__version__": "0.23.0",
    "call_kernel": situ.call_kernel,
    "call_kernel_async": call_kernel_async,
    "device_func": device_func,
    "dpjit": dpjit,
    "kernel": kernel,
    "local": situ.local,
    "prange": situ.prange,
}
