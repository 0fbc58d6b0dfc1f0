"""Elements at positions that are in arrays, or where masks hold."""

import math
from collections.abc import Sequence

import numpy as np

from situ import _native
from situ._array_arguments import expect_array, takes_arrays
from situ._dtypes import can_cast, result_type
from situ._manipulation import broadcast_shapes
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place
from situ.exceptions import DTypeError, ShapeError

__all__ = [
    "choose",
    "compress",
    "copyto",
    "extract",
    "ix_",
    "place",
    "put",
    "putmask",
    "ravel_multi_index",
    "select",
    "take",
    "take_along_axis",
    "unravel_index",
]


@takes_arrays
def take(
    x: ndarray, indices: ndarray, /, axis: int | None = None, *, queue: Place | None = None
) -> ndarray:
    """Take elements along an axis.

    Positions that do not exist are found while the work runs, so the next wait reports them.

    Parameters
    ----------
    x
        An array.
    indices
        Positions along the axis; negative ones count from its end.
    axis
        The axis. It may be left out where there is only one.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The elements.

    Examples
    --------
    >>> import situ
    >>> situ.take(situ.asarray([10, 20, 30]), situ.asarray([2, 0])).to_numpy()
    array([30, 10])
    """
    return _native.take(x, indices, axis, queue=queue)


@takes_arrays
def take_along_axis(
    x: ndarray, indices: ndarray, /, axis: int | None = -1, *, queue: Place | None = None
) -> ndarray:
    """Take elements along an axis, at other positions for each place along the other axes.

    Parameters
    ----------
    x
        An array.
    indices
        Positions along the axis, with as many dimensions as `x`; all other dimensions broadcast.
    axis
        The axis; with None, `x` and the positions are flat.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The elements.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([[3, 1], [2, 5]])
    >>> situ.take_along_axis(x, situ.asarray([[1], [0]])).to_numpy()
    array([[1],
           [2]])
    """
    if axis is None:
        if indices.ndim != 1:
            msg = (
                f"`take_along_axis` got positions of {indices.ndim} dimensions without an axis\n"
                "  why:  the array is flat, and has one\n"
                "  help: give `indices.reshape(-1)`, or an `axis`"
            )
            raise ShapeError(msg)
        return _native.take(x.reshape(-1), indices, 0, queue=queue)
    return _native.take_along_axis(x, indices, axis, queue=queue)


@takes_arrays
def compress(
    condition: ndarray, x: ndarray, /, axis: int | None = None, *, queue: Place | None = None
) -> ndarray:
    """Keep what a mask chooses along an axis; how much that is must be known, so this waits.

    Parameters
    ----------
    condition
        A mask of one dimension; where it is shorter than the axis, the rest is left out.
    x
        An array.
    axis
        The axis; the array is flat by default.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The entries.

    Examples
    --------
    >>> import situ
    >>> mask = situ.asarray([False, True, True])
    >>> situ.compress(mask, situ.asarray([[1, 2, 3], [4, 5, 6]]), axis=1).to_numpy()
    array([[2, 3],
           [5, 6]])
    """
    if condition.ndim != 1:
        msg = (
            f"`compress` got a condition with {condition.ndim} dimensions\n"
            "  why:  it chooses along one axis\n"
            "  help: index with the mask, `x[mask]`, to choose among all elements"
        )
        raise ShapeError(msg)
    if axis is None:
        x, axis = x.reshape(-1), 0
    (positions,) = _native.nonzero(condition)
    return _native.take(x, positions, axis, queue=queue)


@takes_arrays
def extract(condition: ndarray, x: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Keep the elements that a mask chooses, in row-major order; this waits.

    Parameters
    ----------
    condition
        A mask of the shape of `x`; elements that are not zero hold.
    x
        An array.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The elements.

    Examples
    --------
    >>> import situ
    >>> x = situ.arange(6)
    >>> situ.extract(x % 2 == 0, x).to_numpy()
    array([0, 2, 4])
    """
    if queue is not None:
        condition = lend(condition, queue)
        x = lend(x, queue)
    (positions,) = _native.nonzero(condition.reshape(-1))
    return _native.take(x.reshape(-1), positions, 0)


@takes_arrays
def choose(
    indices: ndarray,
    choices: Sequence[ndarray] | ndarray,
    /,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Take each element from one of several arrays.

    Positions that do not exist are found while the work runs, so the next wait reports them.

    Parameters
    ----------
    indices
        Which array, for each element.
    choices
        The arrays, whose shapes broadcast with `indices`.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The elements.

    Examples
    --------
    >>> import situ
    >>> choices = [situ.asarray([1, 2, 3]), situ.asarray([10, 20, 30])]
    >>> situ.choose(situ.asarray([0, 1, 0]), choices).to_numpy()
    array([ 1, 20,  3])
    """
    listed = [choices[position] for position in range(len(choices))]
    shape = broadcast_shapes(indices.shape, *(choice.shape for choice in listed))
    stacked = _native.stack([_native.broadcast_to(each, shape) for each in listed], 0, queue=queue)
    places = _native.expand_dims(_native.broadcast_to(indices, shape), 0)
    found = _native.take_along_axis(stacked, places, 0, queue=queue)
    return _native.squeeze(found, 0)


@takes_arrays
def select(
    conditions: Sequence[ndarray],
    choices: Sequence[ndarray | complex],
    default: complex = 0,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Take each element from the array of the first condition that holds.

    Parameters
    ----------
    conditions
        Arrays of bools.
    choices
        An array or number for each condition; all shapes broadcast.
    default
        The element where no condition holds.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The elements.

    Examples
    --------
    >>> import situ
    >>> x = situ.arange(6)
    >>> situ.select([x < 2, x > 3], [x, x * 10], -1).to_numpy()
    array([ 0,  1, -1, -1, 40, 50])
    """
    if not conditions or len(conditions) != len(choices):
        msg = (
            f"`select` got {len(conditions)} conditions and {len(choices)} choices\n"
            "  why:  there is one choice for each condition, and at least one of both\n"
            "  help: give lists of the same length; `default` is for where nothing holds"
        )
        raise ValueError(msg)
    # Every choice takes part in the dtype, also where its condition never holds.
    dtype = result_type(*choices, default)
    shapes = [each.shape for each in (*conditions, *choices) if isinstance(each, ndarray)]
    first = conditions[0]
    result = _native.full(
        broadcast_shapes(*shapes), default, dtype=dtype, device=first.queue, usm_type=first.usm_type
    )
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        result = _native.elementwise("where", condition, choice, result, queue=queue)
    return result


@takes_arrays
def copyto(
    target: ndarray,
    source: ndarray | complex,
    /,
    *,
    where: ndarray | bool = True,
    queue: Place | None = None,
) -> None:
    """Copy elements into an array, where a mask holds.

    Parameters
    ----------
    target
        Where they go.
    source
        An array that broadcasts to the shape of `target`, or a number.
    where
        Which elements are copied; all of them by default.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Examples
    --------
    >>> import situ
    >>> x = situ.zeros(3)
    >>> situ.copyto(x, 5.0, where=situ.asarray([True, False, True]))
    >>> x.to_numpy()
    array([5., 0., 5.])
    """
    expect_array("copyto", "target", target)
    if queue is not None:
        target = lend(target, queue)
        source = lend(source, queue)
        where = lend(where, queue)
    if isinstance(source, ndarray | np.generic):
        kind, help_ = source.dtype, "convert first, e.g. with `source.astype(target.dtype)`"
    else:
        kind, help_ = np.dtype(type(source)), "convert it, e.g. `source.real` or `int(source)`"
    # Integers of Python have no size, so only what does not fit is refused, and that later.
    is_counted = isinstance(source, int) and target.dtype.kind in "iu"
    if not is_counted and not can_cast(kind, target.dtype, "same_kind"):
        msg = (
            f"`copyto` cannot store {kind} in an array of {target.dtype}\n"
            '  why:  the rule "same_kind" does not allow this conversion\n'
            f"  help: {help_}"
        )
        raise DTypeError(msg)
    if where is True:
        target[...] = source
    else:
        _native.elementwise("where", where, source, target, out=target, casting="unsafe")


@takes_arrays
def putmask(
    x: ndarray, mask: ndarray, values: ndarray | complex, /, *, queue: Place | None = None
) -> None:
    """Change the elements that a mask chooses to what is at the same positions of other values.

    Parameters
    ----------
    x
        The array to change.
    mask
        An array of bools of its shape.
    values
        The new elements, repeated as often as needed, in row-major order; or one number.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Examples
    --------
    >>> import situ
    >>> x = situ.arange(4)
    >>> situ.putmask(x, x > 1, situ.asarray([10, 20]))
    >>> x.to_numpy()
    array([ 0,  1, 10, 20])
    """
    if queue is not None:
        x = lend(x, queue)
        mask = lend(mask, queue)
        values = lend(values, queue)
    if isinstance(values, ndarray):
        values = _resized(values, x.shape)
    copyto(x, values, where=mask)


@takes_arrays
def place(x: ndarray, mask: ndarray, values: ndarray, /, *, queue: Place | None = None) -> None:
    """Change the elements that a mask chooses to other values, one after the other; this waits.

    Parameters
    ----------
    x
        The array to change.
    mask
        An array of bools of its shape.
    values
        The new elements, repeated as often as needed.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Examples
    --------
    >>> import situ
    >>> x = situ.arange(4)
    >>> situ.place(x, x > 1, situ.asarray([10, 20]))
    >>> x.to_numpy()
    array([ 0,  1, 10, 20])
    """
    expect_array("place", "x", x)
    if queue is not None:
        x = lend(x, queue)
        mask = lend(mask, queue)
        values = lend(values, queue)
    positions = _native.nonzero(mask)
    if positions[0].size:
        x[tuple(positions)] = _resized(values, positions[0].shape)


@takes_arrays
def put(
    x: ndarray, indices: ndarray, values: ndarray | complex, /, *, queue: Place | None = None
) -> None:
    """Change elements at positions of the flat array.

    Parameters
    ----------
    x
        The array to change.
    indices
        Positions in row-major order.
    values
        The new elements, repeated as often as needed; or one number.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Examples
    --------
    >>> import situ
    >>> x = situ.zeros((2, 2))
    >>> situ.put(x, situ.asarray([0, 3]), situ.asarray([1.0, 2.0]))
    >>> x.to_numpy()
    array([[1., 0.],
           [0., 2.]])
    """
    if queue is not None:
        x = lend(x, queue)
        indices = lend(indices, queue)
        values = lend(values, queue)
    flat = indices.reshape(-1)
    if isinstance(values, ndarray):
        values = _resized(values, flat.shape)
    view = x.reshape(-1)
    view[flat] = values
    if not _native.shares_memory(view, x):
        # No view makes these elements one row, so a copy was changed.
        x[...] = view.reshape(x.shape)


def _resized(values: ndarray, shape: Sequence[int]) -> ndarray:
    """Return values in row-major order, repeated until they fill a shape."""
    size = math.prod(shape)
    flat = values.reshape(-1)
    if flat.size < size:
        if flat.size == 0:
            msg = (
                f"there are no values for {size} elements\n"
                "  why:  values are repeated as often as needed, but there are none\n"
                "  help: give at least one value"
            )
            raise ShapeError(msg)
        flat = _native.tile(flat, [-(-size // flat.size)])
    return flat[:size].reshape(tuple(shape))


@takes_arrays
def unravel_index(
    indices: ndarray, shape: Sequence[int], /, *, queue: Place | None = None
) -> tuple[ndarray, ...]:
    """Turn positions in the flat array into positions along each axis.

    Parameters
    ----------
    indices
        Positions in row-major order.
    shape
        The shape of the array.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    tuple of ndarray
        Positions, an array for each axis.

    Examples
    --------
    >>> import situ
    >>> [each.to_numpy() for each in situ.unravel_index(situ.asarray([1, 5]), (2, 3))]
    [array([0, 1]), array([1, 2])]
    """
    expect_array("unravel_index", "indices", indices)
    if queue is not None:
        indices = lend(indices, queue)
    rest = indices
    found: list[ndarray] = []
    for size in reversed(shape[1:]):
        found.append(rest % size)
        rest = rest // size
    return (*([rest] if shape else []), *reversed(found))


@takes_arrays
def ravel_multi_index(
    indices: Sequence[ndarray], shape: Sequence[int], /, *, queue: Place | None = None
) -> ndarray:
    """Turn positions along each axis into positions in the flat array.

    Parameters
    ----------
    indices
        Positions, an array for each axis.
    shape
        The shape of the array.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        Positions in row-major order.

    Examples
    --------
    >>> import situ
    >>> rows, columns = situ.asarray([0, 1]), situ.asarray([1, 2])
    >>> situ.ravel_multi_index((rows, columns), (2, 3)).to_numpy()
    array([1, 5])
    """
    if queue is not None:
        indices = [lend(x, queue) for x in indices]
    if len(indices) != len(shape) or not indices:
        msg = (
            f"`ravel_multi_index` got {len(indices)} arrays for {len(shape)} dimensions\n"
            "  why:  there is an array of positions for each axis\n"
            "  help: give as many of one as of the other"
        )
        raise ValueError(msg)
    result = indices[0]
    for along, size in zip(indices[1:], shape[1:], strict=True):
        result = result * size + along
    return result


@takes_arrays
def ix_(*arrays: ndarray, queue: Place | None = None) -> tuple[ndarray, ...]:
    """Make an index of all pairs of positions from those along each axis; views.

    Parameters
    ----------
    *arrays
        Positions along each axis, or masks of an axis.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    tuple of ndarray
        The index.

    Examples
    --------
    >>> import situ
    >>> x = situ.arange(12).reshape(3, 4)
    >>> x[situ.ix_(situ.asarray([0, 2]), situ.asarray([1, 3]))].to_numpy()
    array([[ 1,  3],
           [ 9, 11]])
    """
    for place, each in enumerate(arrays):
        expect_array("ix_", f"arrays[{place}]", each)
    if queue is not None:
        arrays = tuple(lend(x, queue) for x in arrays)
    places = [_native.nonzero(each)[0] if each.dtype.kind == "b" else each for each in arrays]
    count = len(places)
    return tuple(
        place.reshape([-1 if other == axis else 1 for other in range(count)])
        for axis, place in enumerate(places)
    )
