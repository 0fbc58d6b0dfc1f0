"""The least and the greatest of complex numbers, in NumPy's order: by real part, then imaginary.

The standard does not order complex numbers; `max`, `argmax` and their like do, as `sort` does.
"""

import math
from typing import Literal

from situ import _native
from situ._native import ndarray

__all__ = ["find_complex_extreme", "take_complex_extreme"]

Extreme = Literal["max", "min"]


def find_complex_extreme(extreme: Extreme, x: ndarray, axis: int | None, keepdims: bool) -> ndarray:
    """Return where the extreme element is: the first NaN, or else the first of the extremes."""
    row, axis_of = (x.reshape(-1), 0) if axis is None else (x, axis)
    worst = -math.inf if extreme == "max" else math.inf
    is_nan = _native.elementwise("isnan", row)
    best = _native.elementwise("logical_not", is_nan)
    for part in ("real", "imag"):
        # Among those that are left, the ones with the extreme part.
        numbers = _native.elementwise(part, row)
        candidates = _native.elementwise("where", best, numbers, worst)
        limit = _native.reduce(extreme, candidates, axis=axis_of, keepdims=True)
        best = best & (numbers == limit)
    has_nan = _native.reduce("any", is_nan, axis=axis_of, keepdims=True)
    chosen = _native.elementwise("where", has_nan, is_nan, best)
    found = _native.reduce("argmax", chosen, axis=axis_of, keepdims=keepdims)
    if axis is None and keepdims:
        found = found.reshape((1,) * x.ndim)
    return found


def take_complex_extreme(
    extreme: Extreme,
    x: ndarray,
    axis: int | tuple[int, ...] | None,
    keepdims: bool,
) -> ndarray:
    """Return the extreme elements along axes."""
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    # A reduction of another kind checks the axes, and tells the shape of the result.
    shape = _native.reduce("any", x, axis=list(axes), keepdims=keepdims).shape
    count = len(axes)
    moved = _native.moveaxis(x, list(axes), list(range(-count, 0))) if count else x[..., None]
    kept = moved.shape[: moved.ndim - max(count, 1)]
    rows = moved.reshape((*kept, math.prod(moved.shape[len(kept) :])))
    places = find_complex_extreme(extreme, rows, -1, True)
    return _native.take_along_axis(rows, places, -1).reshape(shape)
