"""What the array namespace says about itself, to programs that work with any of them.

This is the inspection of the Python array API standard: versions, capabilities, devices and their
dtypes.
"""

import sys
from types import ModuleType
from typing import TypedDict

from situ import _dtypes, _native
from situ._dtypes import DType
from situ._native import Device, Queue, ndarray
from situ._queue_manager import Place, default

__all__ = [
    "API_VERSION",
    "ARRAY_NAMESPACES",
    "BOUND_MODULES",
    "ArrayNamespaceInfo",
    "device_of",
    "module_of",
    "namespace_of",
]

API_VERSION = "2025.12"

# The versions of the standard whose programs run as they are.
_KNOWN_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", API_VERSION)

# As many as NumPy's arrays have.
_MAX_DIMENSIONS = 64

# Bound modules by their queues, and the array namespaces that arrays of these queues belong to.
BOUND_MODULES: dict[Queue, ModuleType] = {}
ARRAY_NAMESPACES: dict[Queue, ModuleType] = {}

Capabilities = TypedDict(
    "Capabilities",
    {"boolean indexing": bool, "data-dependent shapes": bool, "max dimensions": int | None},
)
DefaultDTypes = TypedDict(
    "DefaultDTypes",
    {
        "real floating": DType,
        "complex floating": DType,
        "integral": DType,
        "indexing": DType,
    },
)


def namespace_of(x: ndarray, /, *, api_version: str | None = None) -> ModuleType:
    """Return the module with the functions for an array.

    Parameters
    ----------
    x
        An array.
    api_version
        The version of the Python array API standard that the caller is written for; by default the
        newest one.

    Returns
    -------
    module
        ``situ``; for an array on the queue of a bound module, that module.

    Raises
    ------
    ValueError
        If the version is not known.
    """
    if api_version is not None and api_version not in _KNOWN_VERSIONS:
        msg = (
            f"situ does not know version {api_version!r} of the array API standard\n"
            f"  why:  it implements {API_VERSION}, and runs what was written for earlier ones\n"
            f"  help: ask for one of {', '.join(_KNOWN_VERSIONS)}"
        )
        raise ValueError(msg)
    return ARRAY_NAMESPACES.get(x.queue) or sys.modules["situ"]


def module_of(x: ndarray) -> ModuleType:
    """Return the bound module that an array came from; ``situ`` if it came from none."""
    return BOUND_MODULES.get(x.queue) or namespace_of(x)


class ArrayNamespaceInfo:
    """What the array namespace can do; ``situ.__array_namespace_info__()`` makes one.

    Parameters
    ----------
    place
        Where new arrays are if nobody says; by default where situ's creation functions make them.

    Examples
    --------
    >>> import situ
    >>> info = situ.__array_namespace_info__()
    >>> info.default_dtypes()["integral"]
    dtype('int64')
    """

    def __init__(self, place: Place | None = None, /) -> None:
        self._place = place

    def capabilities(self) -> Capabilities:
        """Return what the standard leaves open and situ has.

        Returns
        -------
        dict
            ``"boolean indexing"``, ``"data-dependent shapes"`` and ``"max dimensions"``.
        """
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": _MAX_DIMENSIONS,
        }

    def default_device(self) -> Device:
        """Return the device that new arrays are on if nobody says where.

        Returns
        -------
        Device
            The device of the current default queue.
        """
        return self._device(None)

    def default_dtypes(self, *, device: Place | None = None) -> DefaultDTypes:
        """Return the dtypes that new arrays have if nobody says which.

        Parameters
        ----------
        device
            Where; by default on the default device.

        Returns
        -------
        dict
            The dtypes of ``"real floating"``, ``"complex floating"``, ``"integral"`` and
            ``"indexing"``. The first two are half as wide on devices without the aspect ``fp64``.
        """
        has_doubles = self._device(device).has_aspect("fp64")
        return {
            "real floating": _dtypes.float64 if has_doubles else _dtypes.float32,
            "complex floating": _dtypes.complex128 if has_doubles else _dtypes.complex64,
            "integral": _dtypes.int64,
            "indexing": _dtypes.int64,
        }

    def devices(self) -> tuple[Device, ...]:
        """Return all devices.

        Returns
        -------
        tuple of Device
            What `situ.devices` lists.
        """
        return tuple(_native.devices())

    def dtypes(
        self, *, device: Place | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, DType]:
        """Return the dtypes of the standard that a device has.

        Parameters
        ----------
        device
            The device; by default the default device.
        kind
            Only those of a kind, or of several, as `isdtype` names them.

        Returns
        -------
        dict
            The dtypes by name. ``float16``, which devices with the aspect ``fp16`` have as well,
            is not part of the standard and not listed.
        """
        where = self._device(device)
        return {
            dtype.name: dtype
            for dtype in _dtypes.ALL
            if dtype != _dtypes.float16
            and _dtypes.is_on(dtype, where)
            and (kind is None or _dtypes.isdtype(dtype, kind))
        }

    def _device(self, named: Place | None) -> Device:
        return device_of(self._place if named is None else named)


def device_of(place: Place | None) -> Device:
    """Return the device of a place; the default device if none is named."""
    return _native.find_queue(default() if place is None else place).device
