"""Objects that were pickled, made again."""

import warnings
from typing import Any

import numpy.typing as npt

from situ import _native
from situ._native import Allocation, Device, devices, ndarray
from situ._queue_manager import default
from situ.exceptions import PlacementWarning

__all__ = ["allocation", "array"]


def allocation(content: bytes, usm_type: str, filter_string: str) -> Allocation:
    """Make an allocation with some content, on the named device if there is one of that name."""
    restored = Allocation(len(content), usm_type, device=_known(filter_string))
    restored.copy_from_host(content)
    return restored


def array(elements: npt.NDArray[Any], usm_type: str, filter_string: str) -> ndarray:
    """Make an array of elements, on the named device if there is one of that name."""
    device = _known(filter_string)
    place = default() if device is None else device
    restored = _native.from_numpy(elements, device=place, usm_type=usm_type)
    if device is None:
        msg = (
            f"a pickled array was on {filter_string}, which is not here; it is restored on "
            f"{restored.device.filter_string}"
        )
        warnings.warn(msg, PlacementWarning, stacklevel=2)
    return restored


def _known(filter_string: str) -> Device | None:
    known = {device.filter_string: device for device in devices()}
    return known.get(filter_string)
