"""Rows along an axis: elements put at positions in each, and functions applied to each."""

from collections.abc import Callable, Sequence
from typing import Any

from situ import _native
from situ._array_arguments import takes_arrays
from situ._creation import arange, asarray
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place
from situ.exceptions import ShapeError

__all__ = ["apply_along_axis", "apply_over_axes", "put_along_axis"]


@takes_arrays
def put_along_axis(
    arr: ndarray,
    indices: ndarray,
    values: ndarray | complex,
    /,
    axis: int | None,
    *,
    queue: Place | None = None,
) -> None:
    """Change elements along an axis, at other positions for each place along the other axes.

    It is the counterpart of `take_along_axis`.

    Parameters
    ----------
    arr
        The array to change.
    indices
        Positions along the axis, with as many dimensions as `arr`; all other dimensions broadcast.
    values
        The new elements, which broadcast to the shape of the positions; or one number.
    axis
        The axis; with None, the array and the positions are flat.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([[10, 30, 20], [60, 40, 50]])
    >>> situ.put_along_axis(x, situ.argmax(x, axis=1, keepdims=True), 99, axis=1)
    >>> x.to_numpy()
    array([[10, 99, 20],
           [99, 40, 50]])
    """
    arr, indices, values = lend(arr, queue), lend(indices, queue), lend(values, queue)
    if axis is None:
        _put_flat(arr, indices, values)
        return
    if indices.ndim != arr.ndim:
        msg = (
            f"`put_along_axis` got positions of {indices.ndim} dimensions for {arr.ndim}\n"
            "  why:  there are positions for each place along the other axes\n"
            "  help: add dimensions of size 1 to `indices`, e.g. with `indices[:, None]`"
        )
        raise ShapeError(msg)
    # Moving the axis refuses one that does not exist, in the words of all functions.
    _native.moveaxis(arr, axis, 0)
    index: list[ndarray] = []
    for dimension, size in enumerate(arr.shape):
        shape = [1] * arr.ndim
        shape[dimension] = size
        every = arange(size, queue=arr.queue).reshape(shape)
        index.append(indices if dimension == axis % arr.ndim else every)
    arr[tuple(index)] = values


def _put_flat(arr: ndarray, indices: ndarray, values: ndarray | complex) -> None:
    if indices.ndim != 1:
        msg = (
            f"`put_along_axis` got positions of {indices.ndim} dimensions without an axis\n"
            "  why:  the array is flat, and has one\n"
            "  help: give `indices.reshape(-1)`, or an `axis`"
        )
        raise ShapeError(msg)
    row = arr.reshape(-1)
    row[indices] = values
    if not _native.shares_memory(row, arr):
        # No view makes these elements one row, so a copy was changed.
        arr[...] = row.reshape(arr.shape)


@takes_arrays
def apply_along_axis(
    func1d: Callable[..., Any],
    axis: int,
    arr: ndarray,
    /,
    *args: Any,  # noqa: ANN401 - the function's own
    queue: Place | None = None,
    **kwargs: Any,  # noqa: ANN401
) -> ndarray:
    """Apply a function to each row along an axis, one call after the other.

    A function that takes an `axis` itself does all rows at once, which is much quicker.

    Parameters
    ----------
    func1d
        A function of an array of one dimension, that returns an array or a number.
    axis
        The axis.
    arr
        An array.
    *args, **kwargs
        What the function is given beside the row.
    queue
        The queue of the rows, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The results: the dimensions of one in the place of the axis.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([[8, 1, 7], [4, 3, 9]])
    >>> situ.apply_along_axis(situ.sort, 1, x).to_numpy()
    array([[1, 7, 8],
           [3, 4, 9]])
    """
    arr = lend(arr, queue)
    rows = _native.moveaxis(arr, axis, -1)
    outer = rows.shape[:-1]
    flat = rows.reshape((-1, rows.shape[-1])) if rows.size else rows
    if not rows.size:
        msg = (
            f"`apply_along_axis` got an array of shape {arr.shape}, which has no elements\n"
            "  why:  the first row tells the shape of the results, and there is none\n"
            "  help: make the empty result yourself, e.g. with `situ.empty`"
        )
        raise ValueError(msg)
    results = [
        asarray(func1d(flat[position], *args, **kwargs), queue=arr.queue)
        for position in range(flat.shape[0])
    ]
    stacked = _native.stack(results, 0).reshape((*outer, *results[0].shape))
    inner = list(range(len(outer), stacked.ndim))
    return _native.moveaxis(
        stacked, inner, [axis % arr.ndim + place for place in range(len(inner))]
    )


@takes_arrays
def apply_over_axes(
    func: Callable[[ndarray, int], ndarray],
    a: ndarray,
    axes: int | Sequence[int],
    /,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Apply a function along one axis after the other.

    Parameters
    ----------
    func
        A function of an array and an axis, such as `sum`.
    a
        An array.
    axes
        The axes.
    queue
        The queue of the array, from which it is accessible; by default its own.

    Returns
    -------
    ndarray
        The result, with as many dimensions as the array.

    Examples
    --------
    >>> import situ
    >>> situ.apply_over_axes(situ.sum, situ.ones((2, 3, 4)), [0, 2]).to_numpy()
    array([[[8.],
            [8.],
            [8.]]])
    """
    result = lend(a, queue)
    for axis in [axes] if isinstance(axes, int) else axes:
        place = axis % a.ndim if -a.ndim <= axis < a.ndim else axis
        reduced = func(result, place)
        if reduced.ndim < result.ndim:
            reduced = _native.expand_dims(reduced, place)
        if reduced.ndim != a.ndim:
            msg = (
                f"`apply_over_axes` got {reduced.ndim} dimensions from a function of {a.ndim}\n"
                "  why:  the function keeps the axis, or leaves out that one\n"
                "  help: give a reduction, such as `situ.sum`"
            )
            raise ShapeError(msg)
        result = reduced
    return result
