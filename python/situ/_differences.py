"""Differences between neighbours."""

import math
import operator

import numpy as np

from situ import _native
from situ._array_arguments import takes_arrays
from situ._creation import full
from situ._dtypes import can_cast, result_type
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place
from situ.exceptions import DTypeError, ShapeError

__all__ = ["diff", "ediff1d", "unwrap"]


@takes_arrays
def diff(
    x: ndarray,
    /,
    n: int = 1,
    axis: int = -1,
    prepend: ndarray | complex | None = None,
    append: ndarray | complex | None = None,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Subtract from each element along an axis the one before it.

    Parameters
    ----------
    x
        An array of at least one dimension.
    n
        How often differences are taken.
    axis
        The axis.
    prepend
        What comes before the first element: an array of the other dimensions' sizes, or a number.
    append
        What comes after the last element, likewise.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The differences, which are `n` less than the elements; for bools, whether they differ.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([1, 4, 9, 16])
    >>> situ.diff(x).to_numpy()
    array([3, 5, 7])
    >>> situ.diff(x, n=2, prepend=0).to_numpy()
    array([2, 2, 2])
    """
    n = operator.index(n)
    if n < 0:
        msg = f"`diff` cannot be taken {n} times\n  help: `n` is zero or more"
        raise ValueError(msg)
    if x.ndim == 0:
        msg = (
            "`diff` needs an array of at least one dimension\n"
            "  help: add a dimension, e.g. with `x[None]`"
        )
        raise ShapeError(msg)
    if n == 0:
        return x
    return _native.diff(
        x,
        axis=axis,
        n=n,
        prepend=_spread(x, prepend, axis),
        append=_spread(x, append, axis),
        queue=queue,
    )


def _spread(x: ndarray, part: ndarray | complex | None, axis: int) -> ndarray | None:
    """Give a number a place for each row."""
    if part is None or (isinstance(part, ndarray) and part.ndim > 0):
        return part
    if not isinstance(part, ndarray):
        part = full((), part, dtype=x.dtype, device=x.queue, usm_type=x.usm_type)
    sizes = list(x.shape)
    sizes[operator.index(axis)] = 1
    return _native.broadcast_to(part, sizes)


@takes_arrays
def ediff1d(
    ary: ndarray,
    /,
    to_end: ndarray | complex | None = None,
    to_begin: ndarray | complex | None = None,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Subtract from each element of the flat array the one before it.

    Parameters
    ----------
    ary
        An array.
    to_end, to_begin
        What comes after the last difference, and before the first.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The differences.

    Examples
    --------
    >>> import situ
    >>> situ.ediff1d(situ.asarray([1, 2, 4, 7]), to_begin=-9).to_numpy()
    array([-9,  1,  2,  3])
    """
    flat = lend(ary, queue).reshape(-1)
    if flat.dtype.kind == "b":
        msg = (
            "`ediff1d` is not defined for bool\n"
            "  why:  bools have no differences\n"
            "  help: use `situ.diff`, which tells where they differ, or convert them first"
        )
        raise DTypeError(msg)
    parts = [_joinable(flat, to_begin, "to_begin", queue), _native.diff(flat, axis=0, n=1)]
    parts.append(_joinable(flat, to_end, "to_end", queue))
    return _native.concat([part for part in parts if part is not None], 0)


def _joinable(
    flat: ndarray, part: ndarray | complex | None, name: str, queue: Place | None
) -> ndarray | None:
    """Return what is joined to differences, in one dimension and their dtype."""
    if part is None:
        return None
    if not isinstance(part, ndarray):
        dtype = result_type(flat, part)
        part = full((), part, dtype=dtype, device=flat.queue, usm_type=flat.usm_type)
    if not can_cast(part.dtype, flat.dtype, "same_kind"):
        msg = (
            f"`ediff1d` cannot join `{name}` of {part.dtype} to differences of {flat.dtype}\n"
            '  why:  the rule "same_kind" does not allow this conversion\n'
            f"  help: convert it first, e.g. with `{name}.astype({flat.dtype})`"
        )
        raise DTypeError(msg)
    return _native.bring(lend(part, queue).reshape(-1), dtype=flat.dtype)


@takes_arrays
def unwrap(
    p: ndarray,
    /,
    discont: float | None = None,
    axis: int = -1,
    *,
    period: float = 2 * math.pi,
    queue: Place | None = None,
) -> ndarray:
    """Add periods to angles, so that no step along an axis is larger than half of one.

    Parameters
    ----------
    p
        An array of real numbers.
    discont
        The least step that is changed; half a period by default.
    axis
        The axis.
    period
        The period.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    ndarray
        The numbers without jumps.

    Examples
    --------
    >>> import situ
    >>> situ.unwrap(situ.asarray([0, 1, 2, -1, 0]), period=4).to_numpy()
    array([0, 1, 2, 3, 4])
    """
    p = lend(p, queue)
    dtype = result_type(p, period)
    steps = diff(p, axis=axis)
    half = period / 2
    is_whole = np.dtype(dtype).kind in "iu"
    if is_whole:
        low, is_ambiguous = -(int(period) // 2), int(period) % 2 == 0
    else:
        low, is_ambiguous = -half, True
    wrapped = _native.elementwise("remainder", steps - low, period) + low
    if is_ambiguous:
        # Half a period up or down is the same: the sign of the step decides.
        is_up = (wrapped == low) & (steps > 0)
        wrapped = _native.elementwise("where", is_up, -low, wrapped)
    least = half if discont is None else discont
    is_small = _native.elementwise("abs", steps) < least
    corrections = _native.elementwise("where", is_small, 0, wrapped - steps)
    sums = _native.accumulate(
        "cumulative_sum", corrections, axis=axis, dtype=np.dtype(dtype), include_initial=True
    )
    return _native.bring(p + sums, dtype=np.dtype(dtype))
