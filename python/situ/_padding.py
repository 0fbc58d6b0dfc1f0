"""Arrays with a margin."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from situ import _native
from situ._creation import arange, asarray
from situ._native import ndarray
from situ._queue_manager import Place
from situ.exceptions import ShapeError

__all__ = ["pad"]

Mode = Literal["constant", "edge", "reflect", "symmetric", "wrap", "empty"]
Widths = int | Sequence[int] | Sequence[Sequence[int]]
Values = complex | Sequence[complex] | Sequence[Sequence[complex]]


def pad(
    x: ndarray,
    pad_width: Widths,
    /,
    mode: Mode = "constant",
    *,
    constant_values: Values = 0,
    queue: Place | None = None,
) -> ndarray:
    """Put a margin around an array.

    Parameters
    ----------
    x
        An array.
    pad_width
        How many elements before and after it: a number for everywhere, a pair for all axes, or a
        pair for each axis.
    mode
        What is there: ``"constant"``, one number; ``"edge"``, the outermost elements; ``"reflect"``
        and ``"symmetric"``, the elements backwards, without and with the outermost; ``"wrap"``,
        those of the other end; ``"empty"``, nothing in particular.
    constant_values
        The number for ``"constant"``; or numbers for before and after: a pair for all axes, or a
        pair for each axis.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    ndarray
        A new array.

    Examples
    --------
    >>> import situ
    >>> situ.pad(situ.asarray([1, 2, 3]), 2).to_numpy()
    array([0, 0, 1, 2, 3, 0, 0])
    >>> situ.pad(situ.asarray([1, 2, 3]), (1, 2), mode="reflect").to_numpy()
    array([2, 1, 2, 3, 2, 1])
    """
    widths = _pairs(pad_width, x.ndim)
    if mode in {"constant", "empty"}:
        shape = [size + sum(pair) for size, pair in zip(x.shape, widths, strict=True)]
        place = x.queue if queue is None else queue
        result = _native.empty(shape, dtype=x.dtype, device=place, usm_type=x.usm_type)
        if mode == "constant":
            _fill_margin(result, widths, constant_values)
        inner = (
            slice(before, before + size) for size, (before, _) in zip(x.shape, widths, strict=True)
        )
        result[tuple(inner)] = x
        return result
    for axis, (before, after) in enumerate(widths):
        if before or after:
            positions = _positions(x, axis, (before, after), mode)
            x = _native.take(x, positions, axis, queue=queue)
    return x


def _fill_margin(
    result: ndarray, widths: Sequence[tuple[int, int]], constant_values: Values
) -> None:
    """Assign what is around the elements; where margins meet, the later axis' number."""
    if not isinstance(constant_values, Sequence):
        result[...] = constant_values
        return
    values = np.broadcast_to(np.asarray(constant_values), (result.ndim, 2)).tolist()
    for axis, ((before, after), (first, last)) in enumerate(zip(widths, values, strict=True)):
        leading = (slice(None),) * axis
        result[*leading, slice(None, before)] = first
        result[*leading, slice(result.shape[axis] - after, None)] = last


def _pairs(pad_width: Widths, ndim: int) -> list[tuple[int, int]]:
    """Return how much is before and after, for each axis."""
    listed = [pad_width] if isinstance(pad_width, int) else list(pad_width)
    pairs: list[tuple[int, int]] = []
    if all(isinstance(width, int) for width in listed):
        both = [width for width in listed if isinstance(width, int)]
        if len(both) <= 2 and both:
            pairs = [(both[0], both[-1])] * ndim
    else:
        several = [tuple(width) for width in listed if not isinstance(width, int)]
        pairs = [(width[0], width[-1]) for width in several if len(width) in {1, 2}]
        pairs = pairs * ndim if len(pairs) == 1 else pairs
    if len(pairs) != ndim:
        msg = (
            f"`pad` does not understand the widths {pad_width} for {ndim} dimensions\n"
            "  why:  there is one width for everywhere, one pair, or a pair for each axis\n"
            "  help: give a pair for each axis, e.g. `((1, 1), (0, 2))`"
        )
        raise ShapeError(msg)
    if any(width < 0 for pair in pairs for width in pair):
        msg = (
            f"`pad` got the negative width in {pad_width}\n"
            "  why:  a margin adds elements\n"
            "  help: leave elements out with a slice, e.g. `x[1:-1]`"
        )
        raise ValueError(msg)
    return pairs


def _positions(x: ndarray, axis: int, widths: tuple[int, int], mode: Mode) -> ndarray:
    """Return where the elements along an axis come from."""
    size = x.shape[axis]
    if size == 0:
        msg = (
            f"`pad` cannot extend the empty axis {axis} in mode {mode!r}\n"
            "  why:  the margin repeats elements, and there are none\n"
            '  help: use the mode "constant"'
        )
        raise ValueError(msg)
    before, after = widths
    steps = arange(-before, size + after, queue=x.queue)
    if mode == "edge":
        return _native.elementwise("clip", steps, 0, size - 1)
    if mode == "wrap":
        return steps % size
    if mode not in {"reflect", "symmetric"}:
        msg = (
            f"`pad` has no mode {mode!r}\n"
            "  why:  the modes are constant, edge, reflect, symmetric, wrap and empty"
        )
        raise ValueError(msg)
    if size == 1:
        return asarray([0] * (before + 1 + after), dtype="int64", queue=x.queue)
    # There and back again; without the ends twice, or with them.
    period = 2 * size - 2 if mode == "reflect" else 2 * size
    phase = steps % period
    return _native.elementwise("minimum", phase, period - phase - (mode == "symmetric"))
