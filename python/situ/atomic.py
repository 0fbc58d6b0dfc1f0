"""Indivisible updates of array elements, for kernels.

Each function works on one element of a global or local array of 32- or 64-bit integers or floats,
so that several work-items may update it at the same time. The index is an integer, or a tuple of
them for an array of several dimensions. All but `store` return what the element was before.
"""

from typing import SupportsIndex

from situ._native import ndarray
from situ._work_items import outside_of_a_kernel

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
    outside_of_a_kernel("atomic.add")


def sub(array: ndarray, index: Index, value: float, /) -> float:
    """Subtract from an element."""
    outside_of_a_kernel("atomic.sub")


def min(array: ndarray, index: Index, value: float, /) -> float:
    """Keep the smaller of an element and a value."""
    outside_of_a_kernel("atomic.min")


def max(array: ndarray, index: Index, value: float, /) -> float:
    """Keep the larger of an element and a value."""
    outside_of_a_kernel("atomic.max")


def and_(array: ndarray, index: Index, value: float, /) -> float:
    """Keep the bits that an integer element and a value have in common."""
    outside_of_a_kernel("atomic.and_")


def or_(array: ndarray, index: Index, value: float, /) -> float:
    """Set the bits of a value in an integer element."""
    outside_of_a_kernel("atomic.or_")


def xor(array: ndarray, index: Index, value: float, /) -> float:
    """Flip the bits of a value in an integer element."""
    outside_of_a_kernel("atomic.xor")


def load(array: ndarray, index: Index, /) -> float:
    """Read an element that others may be writing."""
    outside_of_a_kernel("atomic.load")


def store(array: ndarray, index: Index, value: float, /) -> None:
    """Write an element that others may be reading."""
    outside_of_a_kernel("atomic.store")


def exchange(array: ndarray, index: Index, value: float, /) -> float:
    """Write an element and return what it was."""
    outside_of_a_kernel("atomic.exchange")


def compare_exchange(array: ndarray, index: Index, expected: float, value: float, /) -> float:
    """Write an element if it has an expected content; return what it was."""
    outside_of_a_kernel("atomic.compare_exchange")
