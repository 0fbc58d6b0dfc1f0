"""Changing shapes and joining arrays: views where memory allows it."""

import math
from collections.abc import Sequence

from situ import _native
from situ._array_arguments import expect_array, takes_arrays
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place
from situ.exceptions import ShapeError

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "concat",
    "concatenate",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "moveaxis",
    "permute_dims",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "rot90",
    "squeeze",
    "stack",
    "swapaxes",
    "tile",
    "transpose",
    "unstack",
]

Axes = int | Sequence[int]


@takes_arrays
def broadcast_arrays(*arrays: ndarray, queue: Place | None = None) -> tuple[ndarray, ...]:
    """Stretch arrays to their common shape; views.

    Parameters
    ----------
    *arrays
        Arrays whose shapes broadcast.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    tuple of ndarray
        The views, which share elements: do not write to them.

    Examples
    --------
    >>> import situ
    >>> x, y = situ.broadcast_arrays(situ.zeros((2, 1)), situ.zeros(3))
    >>> x.shape, y.shape
    ((2, 3), (2, 3))
    """
    if queue is not None:
        arrays = tuple(lend(x, queue) for x in arrays)
    shape = broadcast_shapes(*(x.shape for x in arrays))
    return tuple(_native.broadcast_to(x, shape) for x in arrays)


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """Find the common shape of several shapes.

    Parameters
    ----------
    *shapes
        The shapes.

    Returns
    -------
    tuple of int
        What they broadcast to.

    Examples
    --------
    >>> import situ
    >>> situ.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    sizes = [1] * max((len(shape) for shape in shapes), default=0)
    for shape in shapes:
        for axis, size in enumerate(reversed(shape), start=1):
            if sizes[-axis] == 1:
                sizes[-axis] = size
            elif size not in {1, sizes[-axis]}:
                listed = ", ".join(str(tuple(shape)) for shape in shapes)
                msg = (
                    f"cannot broadcast the shapes {listed}\n"
                    "  why:  matching from the last dimension, sizes must be equal or 1\n"
                    "  help: insert dimensions of size 1 with `x[:, None]`, or reshape"
                )
                raise ShapeError(msg)
    return tuple(sizes)


def broadcast_to(
    x: ndarray, /, shape: int | Sequence[int], *, queue: Place | None = None
) -> ndarray:
    """Repeat elements along new and stretched dimensions; a view.

    Parameters
    ----------
    x
        An array.
    shape
        A shape that the array broadcasts to.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The view, whose elements are shared: do not write to it.

    Examples
    --------
    >>> import situ
    >>> situ.broadcast_to(situ.asarray([1, 2]), (3, 2)).to_numpy()
    array([[1, 2],
           [1, 2],
           [1, 2]])
    """
    if queue is not None:
        x = lend(x, queue)
    return _native.broadcast_to(x, [shape] if isinstance(shape, int) else shape)


def concat(
    arrays: Sequence[ndarray], /, axis: int | None = 0, *, queue: Place | None = None
) -> ndarray:
    """Join arrays along an axis they have.

    Parameters
    ----------
    arrays
        Arrays of one shape, but for the axis.
    axis
        The axis; ``None`` joins flat arrays.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A new array of the common dtype.

    Examples
    --------
    >>> import situ
    >>> situ.concat([situ.asarray([1, 2]), situ.asarray([3])]).to_numpy()
    array([1, 2, 3])
    """
    check_some(arrays, "concat")
    return _native.concat(arrays, axis, queue=queue)


def check_some(arrays: Sequence[ndarray], name: str) -> None:
    """Refuse to join no arrays at all."""
    if len(arrays) == 0:
        msg = (
            f"`{name}` got no arrays\n"
            "  why:  their dtype and place are those of the result\n"
            "  help: give at least one, e.g. an empty one"
        )
        raise ValueError(msg)


def expand_dims(x: ndarray, /, axis: Axes, *, queue: Place | None = None) -> ndarray:
    """Insert dimensions of size one; a view.

    Parameters
    ----------
    x
        An array.
    axis
        Where they are in the result.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The view.

    Examples
    --------
    >>> import situ
    >>> situ.expand_dims(situ.zeros((2, 3)), axis=1).shape
    (2, 1, 3)
    """
    if queue is not None:
        x = lend(x, queue)
    return _native.expand_dims(x, axis)


def flip(x: ndarray, /, axis: Axes | None = None, *, queue: Place | None = None) -> ndarray:
    """Turn dimensions round; a view.

    Parameters
    ----------
    x
        An array.
    axis
        Which ones; all of them by default.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The view.

    Examples
    --------
    >>> import situ
    >>> situ.flip(situ.asarray([1, 2, 3])).to_numpy()
    array([3, 2, 1])
    """
    if queue is not None:
        x = lend(x, queue)
    return _native.flip(x, axis)


def moveaxis(
    x: ndarray, source: Axes, destination: Axes, /, *, queue: Place | None = None
) -> ndarray:
    """Move dimensions to other positions; a view.

    Parameters
    ----------
    x
        An array.
    source
        Which ones.
    destination
        Where they are in the result.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The view.

    Examples
    --------
    >>> import situ
    >>> situ.moveaxis(situ.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    if queue is not None:
        x = lend(x, queue)
    return _native.moveaxis(x, source, destination)


def permute_dims(x: ndarray, /, axes: Sequence[int], *, queue: Place | None = None) -> ndarray:
    """Reorder dimensions; a view.

    Parameters
    ----------
    x
        An array.
    axes
        Every axis once, in the new order.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The view.

    Examples
    --------
    >>> import situ
    >>> situ.permute_dims(situ.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    if queue is not None:
        x = lend(x, queue)
    return _native.permute_dims(x, axes)


@takes_arrays
def repeat(
    x: ndarray,
    repeats: int | ndarray,
    /,
    axis: int | None = None,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Repeat each element.

    Parameters
    ----------
    x
        An array.
    repeats
        How often: a number, or an array with one for each element along the axis. An array is
        waited for, since it says how many elements the result has.
    axis
        Along which axis; the flat array by default.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A new array.

    Examples
    --------
    >>> import situ
    >>> situ.repeat(situ.asarray([1, 2]), 3).to_numpy()
    array([1, 1, 1, 2, 2, 2])
    >>> situ.repeat(situ.asarray([1, 2]), situ.asarray([2, 1])).to_numpy()
    array([1, 1, 2])
    """
    return _native.repeat(x, repeats, axis, queue=queue)


def reshape(
    x: ndarray,
    /,
    shape: int | Sequence[int],
    *,
    copy: bool | None = None,
    queue: Place | None = None,
) -> ndarray:
    """Give the same elements another shape; a view if no element has to move.

    Parameters
    ----------
    x
        An array.
    shape
        The new sizes; one of them may be -1, which stands for what is left.
    copy
        Whether to copy: ``True`` always, ``False`` never (an error if it would be necessary),
        ``None`` only if necessary.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> situ.reshape(situ.zeros((2, 3)), (3, -1)).shape
    (3, 2)
    """
    if queue is not None:
        x = lend(x, queue)
    result = _native.reshape(x, shape)
    if copy:
        return result.copy() if _native.shares_memory(x, result) else result
    if copy is False and math.prod(result.shape) and not _native.shares_memory(x, result):
        msg = (
            f"reshape cannot avoid a copy of an array with strides {x.strides}\n"
            "  why:  its elements are not evenly spaced in the new shape, and `copy=False` was "
            "asked for\n"
            "  help: leave `copy` out, or use `copy=None`"
        )
        raise ValueError(msg)
    return result


def roll(
    x: ndarray,
    /,
    shift: int | Sequence[int],
    axis: Axes | None = None,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Move elements along axes; those that leave at one end come in at the other.

    Parameters
    ----------
    x
        An array.
    shift
        By how many places, for each axis.
    axis
        Along which axes; the flat array by default.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A new array.

    Examples
    --------
    >>> import situ
    >>> situ.roll(situ.asarray([1, 2, 3, 4]), 1).to_numpy()
    array([4, 1, 2, 3])
    """
    return _native.roll(x, shift, axis, queue=queue)


@takes_arrays
def squeeze(x: ndarray, /, axis: Axes | None = None, *, queue: Place | None = None) -> ndarray:
    """Leave out dimensions of size one; a view.

    Parameters
    ----------
    x
        An array.
    axis
        Which ones; all of them by default.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The view.

    Examples
    --------
    >>> import situ
    >>> situ.squeeze(situ.zeros((1, 3, 1))).shape
    (3,)
    """
    if queue is not None:
        x = lend(x, queue)
    if axis is None:
        axis = [position for position, size in enumerate(x.shape) if size == 1]
    return _native.squeeze(x, axis)


def stack(arrays: Sequence[ndarray], /, axis: int = 0, *, queue: Place | None = None) -> ndarray:
    """Join arrays of one shape along a new axis.

    Parameters
    ----------
    arrays
        The arrays.
    axis
        Where the new axis is in the result.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A new array of the common dtype.

    Examples
    --------
    >>> import situ
    >>> situ.stack([situ.asarray([1, 2]), situ.asarray([3, 4])]).to_numpy()
    array([[1, 2],
           [3, 4]])
    """
    check_some(arrays, "stack")
    return _native.stack(arrays, axis, queue=queue)


def tile(x: ndarray, repetitions: int | Sequence[int], /, *, queue: Place | None = None) -> ndarray:
    """Repeat the whole array along each axis.

    Parameters
    ----------
    x
        An array.
    repetitions
        How often, for each axis.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A new array.

    Examples
    --------
    >>> import situ
    >>> situ.tile(situ.asarray([1, 2]), 3).to_numpy()
    array([1, 2, 1, 2, 1, 2])
    """
    counts = [repetitions] if isinstance(repetitions, int) else repetitions
    if any(count < 0 for count in counts):
        msg = (
            f"`tile` cannot repeat an array {repetitions} times\n"
            "  why:  numbers of times are not negative\n"
            "  help: check how they are computed"
        )
        raise ValueError(msg)
    return _native.tile(x, counts, queue=queue)


def unstack(x: ndarray, /, axis: int = 0, *, queue: Place | None = None) -> tuple[ndarray, ...]:
    """Take an array apart along an axis; views.

    Parameters
    ----------
    x
        An array.
    axis
        The axis, which the parts do not have.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    tuple of ndarray
        The views.

    Examples
    --------
    >>> import situ
    >>> [part.to_numpy() for part in situ.unstack(situ.asarray([[1, 2], [3, 4]]))]
    [array([1, 2]), array([3, 4])]
    """
    if queue is not None:
        x = lend(x, queue)
    return tuple(_native.unstack(x, axis))


@takes_arrays
def transpose(
    x: ndarray, /, axes: Sequence[int] | None = None, *, queue: Place | None = None
) -> ndarray:
    """Reorder dimensions, or turn their order round; a view.

    Parameters
    ----------
    x
        An array.
    axes
        Every axis once, in the new order; backwards by default.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The view.

    Examples
    --------
    >>> import situ
    >>> situ.transpose(situ.zeros((2, 3, 4))).shape
    (4, 3, 2)
    """
    if queue is not None:
        x = lend(x, queue)
    return _native.permute_dims(x, range(x.ndim)[::-1] if axes is None else axes)


@takes_arrays
def swapaxes(x: ndarray, axis1: int, axis2: int, /, *, queue: Place | None = None) -> ndarray:
    """Exchange two dimensions; a view.

    Parameters
    ----------
    x
        An array.
    axis1, axis2
        Which ones.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The view.

    Examples
    --------
    >>> import situ
    >>> situ.swapaxes(situ.zeros((2, 3, 4)), 0, -1).shape
    (4, 3, 2)
    """
    if queue is not None:
        x = lend(x, queue)
    if x.ndim and (axis1 - axis2) % x.ndim == 0:
        # The same axis, perhaps counted from both ends; moving it says if it does not exist.
        return _native.moveaxis(x, (axis1,), (axis2,))
    return _native.moveaxis(x, (axis1, axis2), (axis2, axis1))


def ravel(x: ndarray, /, *, copy: bool | None = None, queue: Place | None = None) -> ndarray:
    """Make one dimension of all, in row-major order; a view if no element has to move.

    Parameters
    ----------
    x
        An array.
    copy
        Whether to copy, as for `reshape`.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> situ.ravel(situ.asarray([[1, 2], [3, 4]])).to_numpy()
    array([1, 2, 3, 4])
    """
    if queue is not None:
        x = lend(x, queue)
    return reshape(x, -1, copy=copy)


def _one_or_all(views: list[ndarray]) -> ndarray | tuple[ndarray, ...]:
    return views[0] if len(views) == 1 else tuple(views)


@takes_arrays
def atleast_1d(*arrays: ndarray, queue: Place | None = None) -> ndarray | tuple[ndarray, ...]:
    """Give arrays at least one dimension; views.

    Parameters
    ----------
    *arrays
        The arrays.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray or tuple of ndarray
        The view, or one for each array if there are several.

    Examples
    --------
    >>> import situ
    >>> situ.atleast_1d(situ.asarray(3.0)).shape
    (1,)
    """
    for place, each in enumerate(arrays):
        expect_array("atleast_1d", f"arrays[{place}]", each)
    if queue is not None:
        arrays = tuple(lend(x, queue) for x in arrays)
    return _one_or_all([x if x.ndim else x.reshape(1) for x in arrays])


@takes_arrays
def atleast_2d(*arrays: ndarray, queue: Place | None = None) -> ndarray | tuple[ndarray, ...]:
    """Give arrays at least two dimensions, new ones first; views.

    Parameters
    ----------
    *arrays
        The arrays.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray or tuple of ndarray
        The view, or one for each array if there are several.

    Examples
    --------
    >>> import situ
    >>> situ.atleast_2d(situ.zeros(3)).shape
    (1, 3)
    """
    if queue is not None:
        arrays = tuple(lend(x, queue) for x in arrays)
    return _one_or_all([_native.expand_dims(x, range(max(0, 2 - x.ndim))) for x in arrays])


@takes_arrays
def atleast_3d(*arrays: ndarray, queue: Place | None = None) -> ndarray | tuple[ndarray, ...]:
    """Give arrays at least three dimensions; views.

    Parameters
    ----------
    *arrays
        The arrays. One dimension becomes the middle one, two become the first two.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray or tuple of ndarray
        The view, or one for each array if there are several.

    Examples
    --------
    >>> import situ
    >>> situ.atleast_3d(situ.zeros(3)).shape
    (1, 3, 1)
    """
    if queue is not None:
        arrays = tuple(lend(x, queue) for x in arrays)
    new_axes = {0: (0, 1, 2), 1: (0, 2), 2: (2,)}
    return _one_or_all([_native.expand_dims(x, new_axes.get(x.ndim, ())) for x in arrays])


def fliplr(x: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Turn the second dimension round; a view.

    Parameters
    ----------
    x
        An array of at least two dimensions.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The view.

    Examples
    --------
    >>> import situ
    >>> situ.fliplr(situ.asarray([[1, 2], [3, 4]])).to_numpy()
    array([[2, 1],
           [4, 3]])
    """
    if queue is not None:
        x = lend(x, queue)
    return _native.flip(x, 1)


def flipud(x: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Turn the first dimension round; a view.

    Parameters
    ----------
    x
        An array of at least one dimension.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The view.

    Examples
    --------
    >>> import situ
    >>> situ.flipud(situ.asarray([[1, 2], [3, 4]])).to_numpy()
    array([[3, 4],
           [1, 2]])
    """
    if queue is not None:
        x = lend(x, queue)
    return _native.flip(x, 0)


def rot90(
    x: ndarray, /, k: int = 1, axes: Sequence[int] = (0, 1), *, queue: Place | None = None
) -> ndarray:
    """Rotate by quarters in the plane of two dimensions; a view.

    Parameters
    ----------
    x
        An array of at least two dimensions.
    k
        How many quarters, from the first dimension towards the second.
    axes
        The two dimensions.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The view.

    Examples
    --------
    >>> import situ
    >>> situ.rot90(situ.asarray([[1, 2], [3, 4]])).to_numpy()
    array([[2, 4],
           [1, 3]])
    """
    if queue is not None:
        x = lend(x, queue)
    first, second = axes
    if k % 2:
        turned = second if k % 4 == 1 else first
        return swapaxes(_native.flip(x, turned), first, second)
    return _native.flip(x, (first, second) if k % 4 else ())


# NumPy's other name.
concatenate = concat
