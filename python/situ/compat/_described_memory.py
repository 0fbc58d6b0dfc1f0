"""Arrays over memory that is there already, with any layout: other views of it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import situ
from situ import _native
from situ._native import ndarray

__all__ = ["over_memory", "reinterpreted"]


class _Described:
    """Memory with a layout, as other packages would describe it."""

    def __init__(self, memory: object, interface: dict[str, Any]) -> None:
        self._memory = memory
        self.__sycl_usm_array_interface__ = interface


def over_memory(
    memory: Any,  # noqa: ANN401 - whatever has memory
    shape: int | Sequence[int],
    dtype: npt.DTypeLike | None = None,
    strides: Sequence[int] | None = None,
    offset: int = 0,
) -> ndarray:
    """Return an array over memory; strides and offset count elements."""
    allocation = situ.memory.as_allocation(memory)
    interface = allocation.__sycl_usm_array_interface__ | {
        "typestr": np.dtype(dtype or np.float64).str,
        "shape": (shape,) if isinstance(shape, int) else tuple(shape),
        "strides": None if strides is None else tuple(strides),
        "offset": offset,
    }
    return _native.from_usm_interface(_Described(allocation, interface))


def reinterpreted(x: ndarray, dtype: npt.DTypeLike) -> ndarray:
    """Return the elements of an array read as another dtype, over the same memory."""
    new, old = np.dtype(dtype), x.dtype
    interface = x.__sycl_usm_array_interface__
    shape, strides = list(x.shape), [stride // old.itemsize for stride in x.strides]
    offset = interface.get("offset", 0)
    if new.itemsize != old.itemsize:
        if not shape or strides[-1] != 1 or shape[-1] * old.itemsize % new.itemsize:
            msg = (
                f"elements of {old} cannot be read as {new} here\n"
                "  why:  the last dimension has gaps, or has no whole number of such elements\n"
                "  help: copy the array first, e.g. `x.copy().view(dtype)`"
            )
            raise ValueError(msg)
        bytes_ = [stride * old.itemsize for stride in strides[:-1]]
        if any(stride % new.itemsize for stride in bytes_) or offset * old.itemsize % new.itemsize:
            msg = f"rows of this array do not begin where elements of {new} could"
            raise ValueError(msg)
        shape[-1] = shape[-1] * old.itemsize // new.itemsize
        strides = [*(stride // new.itemsize for stride in bytes_), 1]
        offset = offset * old.itemsize // new.itemsize
    described = interface | {
        "typestr": new.str,
        "shape": tuple(shape),
        "strides": tuple(strides),
        "offset": offset,
    }
    return _native.from_usm_interface(_Described(x, described))
