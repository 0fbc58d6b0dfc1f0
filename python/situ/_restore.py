"""Objects that were pickled, made again."""

from typing import Any

import numpy.typing as npt

from situ import _native
from situ._native import Allocation, Device, devices, ndarray
from situ._queue_manager import default

__all__ = ["allocation", "array"]


def allocation(content: bytes, usm_type: str, filter_string: str) -> Allocation:
    """Make an allocation with some content, on the named device if there is one of that name."""
    restored = Allocation(len(content), usm_type, device=_known(filter_string))
    restored.copy_from_host(content)
    return restored


def array(elements: npt.NDArray[Any], usm_type: str, filter_string: str) -> ndarray:
    """Make an array of elements, on the named device if there is one of that name."""
    place = _known(filter_string) or default()
    return _native.from_numpy(elements, device=place, usm_type=usm_type)


def _known(filter_string: str) -> Device | None:
    known = {device.filter_string: device for device in devices()}
    return known.get(filter_string)
