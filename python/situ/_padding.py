"""Arrays with a margin."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from situ import _native
from situ._array_arguments import takes_arrays
from situ._creation import arange
from situ._native import ndarray
from situ._order_statistics import median
from situ._placement import lend
from situ._queue_manager import Place
from situ.exceptions import ShapeError

__all__ = ["pad"]

Mode = Literal[
    "constant",
    "edge",
    "empty",
    "linear_ramp",
    "maximum",
    "mean",
    "median",
    "minimum",
    "reflect",
    "symmetric",
    "wrap",
]
Widths = int | Sequence[int] | Sequence[Sequence[int]]
Values = complex | Sequence[complex] | Sequence[Sequence[complex]]
Lengths = int | Sequence[int] | Sequence[Sequence[int]]


def _reduced(name: str) -> Callable[[ndarray, int], ndarray]:
    return lambda x, axis: _native.reduce(name, x, axis=axis, keepdims=True)


# What is made of the elements next to a margin.
_STATISTICS: Mapping[str, Callable[[ndarray, int], ndarray]] = {
    "maximum": _reduced("max"),
    "mean": _reduced("mean"),
    "median": lambda x, axis: median(x, axis=axis, keepdims=True),
    "minimum": _reduced("min"),
}

_MODES = ("constant", "edge", "empty", "linear_ramp", *_STATISTICS, "reflect", "symmetric", "wrap")


@takes_arrays
def pad(
    x: ndarray,
    pad_width: Widths,
    /,
    mode: Mode = "constant",
    *,
    constant_values: Values = 0,
    end_values: Values = 0,
    stat_length: Lengths | None = None,
    reflect_type: Literal["even", "odd"] = "even",
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
        What is there: ``"constant"``, one number; ``"edge"``, the outermost elements;
        ``"linear_ramp"``, steps from these to a number; ``"maximum"``, ``"mean"``, ``"median"``
        and ``"minimum"``, those of the elements along the axis; ``"reflect"`` and ``"symmetric"``,
        the elements backwards, without and with the outermost; ``"wrap"``, those of the other end;
        ``"empty"``, nothing in particular.
    constant_values
        The number for ``"constant"``; or numbers for before and after: a pair for all axes, or a
        pair for each axis.
    end_values
        The number at the outer end for ``"linear_ramp"``, or several, as for `constant_values`.
    stat_length
        How many elements at the end of an axis ``"mean"`` and its like are made of, as for
        `pad_width`; all of them by default.
    reflect_type
        Whether ``"reflect"`` and ``"symmetric"`` repeat elements, ``"even"``, or continue beyond
        the outermost one as far as they are behind it, ``"odd"``.
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
    if mode not in _MODES:
        msg = (
            f"`pad` has no mode {mode!r}\n"
            f"  why:  the modes are {', '.join(_MODES[:-1])} and {_MODES[-1]}\n"
            "  help: give one of them"
        )
        raise ValueError(msg)
    x = lend(x, queue)
    widths = _widths(pad_width, x.ndim)
    if mode in {"constant", "empty"}:
        return _around(x, widths, None if mode == "empty" else constant_values)
    ends = _each_axis(end_values, x.ndim)
    lengths = _each_axis(stat_length, x.ndim)
    for axis, width in enumerate(widths):
        if not any(width):
            continue
        _refuse_empty(x, axis, mode)
        if mode in _STATISTICS:
            x = _with_statistics(x, axis, width, _STATISTICS[mode], lengths[axis])
        elif mode == "linear_ramp":
            x = _with_ramps(x, axis, width, ends[axis])
        else:
            x = _mirrored(x, axis, width, mode, is_odd=reflect_type == "odd")
    return x


def _around(
    x: ndarray, widths: Sequence[tuple[int, int]], constant_values: Values | None
) -> ndarray:
    """Return an array with numbers around it, or with nothing in particular."""
    shape = [size + sum(pair) for size, pair in zip(x.shape, widths, strict=True)]
    result = _native.empty(shape, dtype=x.dtype, device=x.queue, usm_type=x.usm_type)
    if constant_values is not None:
        _fill_margin(result, widths, constant_values)
    inner = (
        slice(before, before + size) for size, (before, _) in zip(x.shape, widths, strict=True)
    )
    result[tuple(inner)] = x
    return result


def _fill_margin(
    result: ndarray, widths: Sequence[tuple[int, int]], constant_values: Values
) -> None:
    """Assign what is around the elements; where margins meet, the later axis' number."""
    if not isinstance(constant_values, Sequence):
        result[...] = constant_values
        return
    values = _each_axis(constant_values, result.ndim)
    for axis, ((before, after), (first, last)) in enumerate(zip(widths, values, strict=True)):
        leading = (slice(None),) * axis
        result[*leading, slice(None, before)] = first
        result[*leading, slice(result.shape[axis] - after, None)] = last


def _each_axis(values: Any, ndim: int) -> list[tuple[Any, Any]]:  # noqa: ANN401 - numbers or None
    """Return a number for before and one for after, for each axis."""
    if values is None:
        return [(None, None)] * ndim
    return [tuple(pair) for pair in np.broadcast_to(np.asarray(values), (ndim, 2)).tolist()]


def _widths(pad_width: Widths, ndim: int) -> list[tuple[int, int]]:
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


def _refuse_empty(x: ndarray, axis: int, mode: Mode) -> None:
    if x.shape[axis] == 0:
        msg = (
            f"`pad` cannot extend the empty axis {axis} in mode {mode!r}\n"
            "  why:  the margin is made of elements, and there are none\n"
            '  help: use the mode "constant"'
        )
        raise ValueError(msg)


def _part(x: ndarray, axis: int, start: int, stop: int) -> ndarray:
    return x[(slice(None),) * axis + (slice(start, stop),)]


def _with_statistics(
    x: ndarray,
    axis: int,
    widths: tuple[int, int],
    statistic: Callable[[ndarray, int], ndarray],
    lengths: tuple[int | None, int | None],
) -> ndarray:
    """Return an array with a statistic of its elements before and after it along an axis."""
    size = x.shape[axis]
    margins: list[ndarray] = []
    for width, length, is_first in zip(widths, lengths, (True, False), strict=True):
        count = size if length is None else min(length, size)
        if count <= 0:
            msg = (
                f"`pad` cannot make a number of {count} elements\n"
                "  why:  `stat_length` says how many elements the margin is made of\n"
                "  help: give at least 1"
            )
            raise ValueError(msg)
        near = _part(x, axis, 0, count) if is_first else _part(x, axis, size - count, size)
        made = statistic(near, axis)
        if x.dtype.kind in "iu" and made.dtype.kind == "f":
            made = _native.elementwise("round", made)
        shape = list(x.shape)
        shape[axis] = width
        margins.append(_native.broadcast_to(_native.bring(made, dtype=x.dtype), shape))
    return _native.concat([margins[0], x, margins[1]], axis)


def _with_ramps(
    x: ndarray, axis: int, widths: tuple[int, int], ends: tuple[complex, complex]
) -> ndarray:
    """Return an array with steps down, or up, to numbers before and after it along an axis."""
    size = x.shape[axis]
    before, after = widths
    work = x if x.dtype.kind in "fc" else _native.bring(x, dtype=_native.default_float(device=x))
    shape = [1] * x.ndim
    shape[axis] = -1
    margins: list[ndarray] = []
    for width, end, edge in (
        (before, ends[0], _part(work, axis, 0, 1)),
        (after, ends[1], _part(work, axis, size - 1, size)),
    ):
        steps = arange(width, dtype=_real(work), queue=x.queue).reshape(shape)
        ramp = steps * ((edge - end) / max(width, 1)) + end
        if x.dtype.kind in "iu":
            ramp = _native.elementwise("floor", ramp)
        margins.append(_native.bring(ramp, dtype=x.dtype))
    return _native.concat([margins[0], x, _native.flip(margins[1], axis)], axis)


def _real(x: ndarray) -> np.dtype[Any]:
    """Return the dtype of the parts of numbers."""
    return np.dtype(f"float{4 * x.dtype.itemsize}") if x.dtype.kind == "c" else x.dtype


def _mirrored(
    x: ndarray, axis: int, widths: tuple[int, int], mode: Mode, *, is_odd: bool
) -> ndarray:
    """Return an array with its own elements before and after it along an axis."""
    size = x.shape[axis]
    before, after = widths
    steps = arange(-before, size + after, queue=x.queue)
    if mode == "edge" or (size == 1 and mode != "wrap"):
        return _native.take(x, _native.elementwise("clip", steps, 0, size - 1), axis)
    if mode == "wrap":
        return _native.take(x, steps % size, axis)
    # There and back again; without the ends twice, or with them.
    is_symmetric = mode == "symmetric"
    period = 2 * size if is_symmetric else 2 * size - 2
    phase = steps % period
    back = period - phase - is_symmetric
    places = _native.elementwise("minimum", phase, back)
    found = _native.take(x, places, axis)
    if not is_odd:
        return found
    # An odd function on the way back, and higher by twice its rise after each period.
    shape = [1] * x.ndim
    shape[axis] = -1
    first, last = _part(x, axis, 0, 1), _part(x, axis, size - 1, size)
    returns = (phase >= size).reshape(shape)
    found = _native.elementwise("where", returns, last + last - found, found)
    rounds = _native.bring((steps // period).reshape(shape), dtype=_real(x))
    return _native.bring(found + (last - first + last - first) * rounds, dtype=x.dtype)
