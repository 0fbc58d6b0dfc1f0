"""Compute where your data lives: devices, arrays and kernels for Python.

The names users type are gathered here; each is defined in the module that owns its subject.
"""

from situ._native import version as _version
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
    "DeviceError",
    "InternalError",
    "KernelError",
    "KernelTypeError",
    "OutOfMemoryError",
    "PlacementError",
    "PlacementWarning",
    "ShapeError",
    "SituError",
    "SituWarning",
    "__version__",
]
