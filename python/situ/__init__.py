"""Compute where your data lives: devices, arrays and kernels for Python.

The names users type are gathered here; each is defined in the module that owns its subject.
"""

from numpy import (
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from numpy import bool_ as bool

from situ import _creation, _elementwise, _manipulation, _statistical, atomic, local, private
from situ._creation import *
from situ._elementwise import *
from situ._kernel import call_kernel, device_func, kernel
from situ._manipulation import *
from situ._native import Device, DeviceFunction, Kernel, Queue, devices, ndarray
from situ._native import version as _version
from situ._statistical import *
from situ._work_items import (
    barrier,
    get_global_id,
    get_global_size,
    get_group_id,
    get_local_id,
    get_local_size,
    get_num_groups,
)
from situ.exceptions import (
    CacheWarning,
    DeviceError,
    DTypeError,
    InternalError,
    KernelError,
    KernelTypeError,
    OutOfMemoryError,
    PlacementError,
    PlacementWarning,
    ShapeError,
    SituError,
    SituWarning,
)

__version__: str = _version()

__all__ = [
    "CacheWarning",
    "DTypeError",
    "Device",
    "DeviceError",
    "DeviceFunction",
    "InternalError",
    "Kernel",
    "KernelError",
    "KernelTypeError",
    "OutOfMemoryError",
    "PlacementError",
    "PlacementWarning",
    "Queue",
    "ShapeError",
    "SituError",
    "SituWarning",
    "__version__",
    "atomic",
    "barrier",
    "bool",
    "call_kernel",
    "complex64",
    "complex128",
    "device_func",
    "devices",
    "float16",
    "float32",
    "float64",
    "get_global_id",
    "get_global_size",
    "get_group_id",
    "get_local_id",
    "get_local_size",
    "get_num_groups",
    "int8",
    "int16",
    "int32",
    "int64",
    "kernel",
    "local",
    "ndarray",
    "private",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    *_creation.__all__,
    *_elementwise.__all__,
    *_manipulation.__all__,
    *_statistical.__all__,
]
