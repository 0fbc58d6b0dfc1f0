"""Distinct parts along an axis: `unique` where the elements are whole slices."""

from typing import NamedTuple

import numpy as np

from situ import _native
from situ._creation import arange, zeros
from situ._native import ndarray

__all__ = ["DistinctRows", "find_distinct_rows", "lexical_order"]


class DistinctRows(NamedTuple):
    """Distinct slices, and where they come from."""

    values: ndarray
    first_places: ndarray
    inverse: ndarray
    counts: ndarray


def lexical_order(keys: ndarray) -> ndarray:
    """Return the order of columns by the last row, equal ones by the row before it, and so on.

    A stable sort by each row in turn keeps the order by those before among what is equal.
    """
    order = arange(keys.shape[1], queue=keys.queue, usm_type=keys.usm_type)
    for position in range(keys.shape[0]):
        key = _native.take(keys[position], order, 0)
        order = _native.take(order, _native.argsort(key, axis=0), 0)
    return order


def find_distinct_rows(x: ndarray, axis: int) -> DistinctRows:
    """Return the distinct slices along an axis, in lexical order; this waits to count them."""
    slices = _native.moveaxis(x, axis, 0)
    count = slices.shape[0]
    width = slices.size // count if count else 0
    rows = slices.reshape((count, width))
    order = lexical_order(_native.flip(rows.T, 0))
    ordered = _native.take(rows, order, 0)
    is_new = zeros(count, "bool", queue=x.queue, usm_type=x.usm_type)
    if count:
        is_new[0] = True
        differs = _native.elementwise("not_equal", ordered[1:], ordered[:-1])
        is_new[1:] = _native.reduce("any", differs, axis=1)
    (starts,) = _native.nonzero(is_new)
    values = _native.take(ordered, starts, 0).reshape((starts.size, *slices.shape[1:]))
    which = _native.accumulate("cumulative_sum", is_new, axis=0, dtype=np.dtype(np.int64)) - 1
    inverse = zeros(count, "int64", queue=x.queue, usm_type=x.usm_type)
    inverse[order] = which
    ends = _native.concat([starts[1:], _native.full((1,), count, device=x.queue)], 0)
    counts = ends[: starts.size] - starts
    first_places = _native.take(order, starts, 0)
    return DistinctRows(_native.moveaxis(values, 0, axis), first_places, inverse, counts)
