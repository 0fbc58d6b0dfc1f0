"""Indivisible updates of array elements, for kernels.

Each function works on one element of a global or local array of 32- or 64-bit integers or floats,
so that several work-items may update it at the same time. The index is an integer, or a tuple of
them for an array of several dimensions. All but `store` return what the element was before.
"""

import builtins
from collections.abc import Callable
from typing import Any, SupportsIndex

from situ._native import ndarray
from situ._simulation import atomically, current

__all__ = [
    "add",
    "and_",
    "compare_exchange",
    "exchange",
    "load",
    "max",
    "min",
    "or_",
    "store",
    "sub",
    "xor",
]

Index = SupportsIndex | tuple[SupportsIndex, ...]


def add(array: ndarray, index: Index, value: float, /) -> float:
    """Add to an element.

    Examples
    --------
    >>> import numpy as np
    >>> import situ
    >>> @situ.kernel
    ... def histogram(x, counts):
    ...     i = situ.get_global_id(0)
    ...     situ.atomic.add(counts, x[i], 1)
    >>> x = situ.asarray(np.array([0, 2, 2, 1, 2]))
    >>> counts = situ.asarray(np.zeros(3, dtype=np.int32))
    >>> histogram[5](x, counts)
    >>> counts.to_numpy()
    array([1, 1, 3], dtype=int32)
    """
    return _change("add", array, index, lambda old: old + value)


def sub(array: ndarray, index: Index, value: float, /) -> float:
    """Subtract from an element."""
    return _change("sub", array, index, lambda old: old - value)


def min(array: ndarray, index: Index, value: float, /) -> float:
    """Keep the smaller of an element and a value."""
    return _change("min", array, index, lambda old: builtins.min(old, value))


def max(array: ndarray, index: Index, value: float, /) -> float:
    """Keep the larger of an element and a value."""
    return _change("max", array, index, lambda old: builtins.max(old, value))


def and_(array: ndarray, index: Index, value: float, /) -> float:
    """Keep the bits that an integer element and a value have in common."""
    return _change("and_", array, index, lambda old: old & value)


def or_(array: ndarray, index: Index, value: float, /) -> float:
    """Set the bits of a value in an integer element."""
    return _change("or_", array, index, lambda old: old | value)


def xor(array: ndarray, index: Index, value: float, /) -> float:
    """Flip the bits of a value in an integer element."""
    return _change("xor", array, index, lambda old: old ^ value)


def load(array: ndarray, index: Index, /) -> float:
    """Read an element that others may be writing."""
    return _change("load", array, index, lambda old: old)


def store(array: ndarray, index: Index, value: float, /) -> None:
    """Write an element that others may be reading."""
    _change("store", array, index, lambda old: value)


def exchange(array: ndarray, index: Index, value: float, /) -> float:
    """Write an element and return what it was."""
    return _change("exchange", array, index, lambda old: value)


def compare_exchange(array: ndarray, index: Index, expected: float, value: float, /) -> float:
    """Write an element if it has an expected content; return what it was."""
    return _change("compare_exchange", array, index, lambda old: value if old == expected else old)


def _change(name: str, array: ndarray, index: Index, new: Callable[[Any], Any]) -> float:
    """Do it in a simulation; anywhere else, say that it belongs into a kernel."""
    current(f"atomic.{name}")
    return atomically(array, index, new)
