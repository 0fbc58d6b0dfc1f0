"""Arrays with more or fewer elements than there were, and axes moved past each other."""

import math
import operator
from collections.abc import Sequence

from situ import _native
from situ._array_arguments import takes_arrays
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place

__all__ = ["resize", "rollaxis", "trim_zeros"]


@takes_arrays
def resize(a: ndarray, new_shape: int | Sequence[int], /, *, queue: Place | None = None) -> ndarray:
    """Make an array of another shape and size, with the elements over and over.

    Parameters
    ----------
    a
        An array.
    new_shape
        The shape of the result.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    ndarray
        A new array; zeros, if there are no elements to repeat.

    Examples
    --------
    >>> import situ
    >>> situ.resize(situ.asarray([1, 2, 3]), (2, 4)).to_numpy()
    array([[1, 2, 3, 1],
           [2, 3, 1, 2]])
    """
    a = lend(a, queue)
    listed = new_shape if isinstance(new_shape, Sequence) else [new_shape]
    sizes = [operator.index(size) for size in listed]
    if any(size < 0 for size in sizes):
        msg = (
            f"{tuple(sizes)} is no shape\n"
            "  why:  sizes are not negative\n"
            "  help: write every size out"
        )
        raise ValueError(msg)
    count = math.prod(sizes)
    if a.size == 0 or count == 0:
        return _native.full(sizes, 0, dtype=a.dtype, device=a.queue, usm_type=a.usm_type)
    repeated = _native.tile(a.reshape(-1), [-(-count // a.size)])
    return repeated[:count].reshape(sizes)


@takes_arrays
def rollaxis(a: ndarray, /, axis: int, start: int = 0, *, queue: Place | None = None) -> ndarray:
    """Move an axis back until it lies before another; a view. `moveaxis` is easier to read.

    Parameters
    ----------
    a
        An array.
    axis
        The axis.
    start
        The axis that it lies before then; the number of dimensions for the end.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The view.

    Examples
    --------
    >>> import situ
    >>> situ.rollaxis(situ.zeros((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    a = lend(a, queue)
    # Moving the axis refuses one that does not exist, in the words of all functions.
    _native.moveaxis(a, axis, 0)
    axis %= a.ndim
    if not -a.ndim <= start <= a.ndim:
        _native.moveaxis(a, 0, start)
    start += a.ndim if start < 0 else 0
    return _native.moveaxis(a, axis, start - 1 if axis < start else start)


@takes_arrays
def trim_zeros(
    filt: ndarray,
    trim: str = "fb",
    axis: int | Sequence[int] | None = None,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Leave out the zeros at the ends; which elements are none must be known, so this waits.

    Parameters
    ----------
    filt
        An array.
    trim
        Which ends: ``"f"`` for the front, ``"b"`` for the back, or both.
    axis
        Along which axes; all of them by default.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    ndarray
        A view of the rest.

    Examples
    --------
    >>> import situ
    >>> situ.trim_zeros(situ.asarray([0, 0, 1, 0, 2, 0])).to_numpy()
    array([1, 0, 2])
    """
    filt = lend(filt, queue)
    ends = str(trim).lower()
    if not ends or set(ends) - {"f", "b"}:
        msg = (
            f"`trim_zeros` does not know the ends {trim!r}\n"
            '  why:  "f" is the front, and "b" the back\n'
            '  help: give "f", "b" or "fb"'
        )
        raise ValueError(msg)
    named = range(filt.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    if filt.ndim == 0:
        return filt
    places = _native.nonzero(filt)
    index = [slice(None)] * filt.ndim
    for each in named:
        _native.moveaxis(filt, each, 0)
        along = places[each]
        first = last = 0
        if along.size:
            first = int(_native.reduce("min", along))
            last = int(_native.reduce("max", along)) + 1
        size = filt.shape[each]
        if not along.size:
            index[each] = slice(0, 0)
        else:
            index[each] = slice(first if "f" in ends else 0, last if "b" in ends else size)
    return filt[tuple(index)]
