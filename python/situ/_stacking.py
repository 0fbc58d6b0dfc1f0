"""Putting arrays together and taking them apart, by NumPy's names."""

from collections.abc import Sequence
from typing import cast

import numpy as np

from situ import _native
from situ._array_arguments import expect_array, takes_arrays
from situ._creation import arange, asarray
from situ._manipulation import atleast_3d, check_some, reshape
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place
from situ.exceptions import ShapeError

__all__ = [
    "append",
    "array_split",
    "column_stack",
    "delete",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "insert",
    "split",
    "vsplit",
    "vstack",
]

# Positions along an axis.
Places = int | slice | Sequence[int] | ndarray


@takes_arrays
def vstack(arrays: Sequence[ndarray], /, *, queue: Place | None = None) -> ndarray:
    """Join arrays along the first of at least two dimensions.

    Parameters
    ----------
    arrays
        The arrays; one of one dimension is a row.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A new array of the common dtype.

    Examples
    --------
    >>> import situ
    >>> situ.vstack([situ.asarray([1, 2]), situ.asarray([3, 4])]).to_numpy()
    array([[1, 2],
           [3, 4]])
    """
    rows = [x if x.ndim > 1 else reshape(x, (1, -1)) for x in arrays]
    check_some(rows, "vstack")
    return _native.concat(rows, 0, queue=queue)


@takes_arrays
def hstack(arrays: Sequence[ndarray], /, *, queue: Place | None = None) -> ndarray:
    """Join arrays along the second dimension, or the only one.

    Parameters
    ----------
    arrays
        The arrays.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A new array of the common dtype.

    Examples
    --------
    >>> import situ
    >>> situ.hstack([situ.asarray([1, 2]), situ.asarray([3])]).to_numpy()
    array([1, 2, 3])
    """
    parts = [x if x.ndim else reshape(x, 1) for x in arrays]
    check_some(parts, "hstack")
    axis = 0 if parts[0].ndim == 1 else 1
    return _native.concat(parts, axis, queue=queue)


@takes_arrays
def dstack(arrays: Sequence[ndarray], /, *, queue: Place | None = None) -> ndarray:
    """Join arrays along the third of at least three dimensions.

    Parameters
    ----------
    arrays
        The arrays.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A new array of the common dtype.

    Examples
    --------
    >>> import situ
    >>> situ.dstack([situ.asarray([1, 2]), situ.asarray([3, 4])]).to_numpy()
    array([[[1, 3],
            [2, 4]]])
    """
    parts: list[ndarray] = []
    for x in arrays:
        part = atleast_3d(x)
        assert isinstance(part, ndarray)
        parts.append(part)
    check_some(parts, "dstack")
    return _native.concat(parts, 2, queue=queue)


@takes_arrays
def column_stack(arrays: Sequence[ndarray], /, *, queue: Place | None = None) -> ndarray:
    """Join arrays along the second dimension, those of one dimension as columns.

    Parameters
    ----------
    arrays
        The arrays.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A new array of the common dtype.

    Examples
    --------
    >>> import situ
    >>> situ.column_stack([situ.asarray([1, 2]), situ.asarray([3, 4])]).to_numpy()
    array([[1, 3],
           [2, 4]])
    """
    columns = [x if x.ndim > 1 else reshape(x, (-1, 1)) for x in arrays]
    check_some(columns, "column_stack")
    return _native.concat(columns, 1, queue=queue)


Sections = int | Sequence[int]


def _size(x: ndarray, axis: int) -> tuple[int, int]:
    """Return the axis counted from the first one, and its size; refuse one that does not exist."""
    # Moving it says so in the words of all functions.
    return axis % x.ndim if x.ndim else 0, _native.moveaxis(x, axis, 0).shape[0]


def _cut(x: ndarray, bounds: Sequence[int], axis: int) -> list[ndarray]:
    """Return the parts between bounds along an axis."""
    before = (slice(None),) * axis
    pairs = zip((0, *bounds), (*bounds, None), strict=True)
    return [x[(*before, slice(start, stop))] for start, stop in pairs]


# The parts are a list; a longer one would not fit into the memory of any machine.
_MOST_PARTS = 2**31 - 1


@takes_arrays
def array_split(
    x: ndarray, sections: Sections, /, axis: int = 0, *, queue: Place | None = None
) -> list[ndarray]:
    """Cut an array along an axis; views.

    Parameters
    ----------
    x
        An array.
    sections
        Into how many parts, the first ones larger by one if that does not come out even; or where
        to cut.
    axis
        The axis.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    list of ndarray
        The views.

    Examples
    --------
    >>> import situ
    >>> [part.to_numpy() for part in situ.array_split(situ.arange(5), 2)]
    [array([0, 1, 2]), array([3, 4])]
    """
    if queue is not None:
        x = lend(x, queue)
    axis, size = _size(x, axis)
    if not isinstance(sections, int):
        return _cut(x, list(sections), axis)
    if sections <= 0:
        msg = (
            f"an array cannot be cut into {sections} parts\n"
            "  why:  there is at least one part\n"
            "  help: give a positive number, or the positions to cut at"
        )
        raise ValueError(msg)
    if sections > _MOST_PARTS:
        msg = (
            f"an array cannot be cut into {sections} parts\n"
            f"  why:  each part is an array of its own, and there can be at most {_MOST_PARTS}\n"
            "  help: give a smaller number, or the positions to cut at"
        )
        raise ValueError(msg)
    each, larger = divmod(size, sections)
    bounds = [part * each + min(part, larger) for part in range(1, sections)]
    return _cut(x, bounds, axis)


@takes_arrays
def split(
    x: ndarray, sections: Sections, /, axis: int = 0, *, queue: Place | None = None
) -> list[ndarray]:
    """Cut an array along an axis into equal parts; views.

    Parameters
    ----------
    x
        An array.
    sections
        Into how many parts, or where to cut.
    axis
        The axis.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    list of ndarray
        The views.

    Examples
    --------
    >>> import situ
    >>> [part.to_numpy() for part in situ.split(situ.arange(4), 2)]
    [array([0, 1]), array([2, 3])]
    """
    if queue is not None:
        x = lend(x, queue)
    if isinstance(sections, int) and sections > 0 and _size(x, axis)[1] % sections:
        msg = (
            f"cannot split the axis {axis} of an array of shape {x.shape} into {sections} parts\n"
            "  why:  the parts would not have the same size\n"
            "  help: use `array_split`, or give the positions to cut at"
        )
        raise ShapeError(msg)
    return array_split(x, sections, axis)


def _checked(x: ndarray, ndim: int, name: str) -> None:
    if x.ndim < ndim:
        msg = (
            f"`{name}` of an array with {x.ndim} dimensions\n"
            f"  why:  it cuts along an axis that arrays of at least {ndim} dimensions have\n"
            "  help: use `split` with the axis to cut along"
        )
        raise ShapeError(msg)


@takes_arrays
def vsplit(x: ndarray, sections: Sections, /, *, queue: Place | None = None) -> list[ndarray]:
    """Cut an array along the first of at least two dimensions into equal parts; views.

    Parameters
    ----------
    x
        An array.
    sections
        Into how many parts, or where to cut.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    list of ndarray
        The views.

    Examples
    --------
    >>> import situ
    >>> [part.to_numpy() for part in situ.vsplit(situ.asarray([[1, 2], [3, 4]]), 2)]
    [array([[1, 2]]), array([[3, 4]])]
    """
    if queue is not None:
        x = lend(x, queue)
    _checked(x, 2, "vsplit")
    return split(x, sections, 0)


@takes_arrays
def hsplit(x: ndarray, sections: Sections, /, *, queue: Place | None = None) -> list[ndarray]:
    """Cut an array along the second dimension, or the only one, into equal parts; views.

    Parameters
    ----------
    x
        An array.
    sections
        Into how many parts, or where to cut.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    list of ndarray
        The views.

    Examples
    --------
    >>> import situ
    >>> [part.to_numpy() for part in situ.hsplit(situ.asarray([1, 2, 3, 4]), 2)]
    [array([1, 2]), array([3, 4])]
    """
    if queue is not None:
        x = lend(x, queue)
    _checked(x, 1, "hsplit")
    return split(x, sections, min(x.ndim - 1, 1))


@takes_arrays
def dsplit(x: ndarray, sections: Sections, /, *, queue: Place | None = None) -> list[ndarray]:
    """Cut an array along the third dimension into equal parts; views.

    Parameters
    ----------
    x
        An array.
    sections
        Into how many parts, or where to cut.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    list of ndarray
        The views.

    Examples
    --------
    >>> import situ
    >>> [part.shape for part in situ.dsplit(situ.zeros((2, 3, 4)), 2)]
    [(2, 3, 2), (2, 3, 2)]
    """
    if queue is not None:
        x = lend(x, queue)
    _checked(x, 3, "dsplit")
    return split(x, sections, 2)


@takes_arrays
def append(
    x: ndarray, values: ndarray, /, axis: int | None = None, *, queue: Place | None = None
) -> ndarray:
    """Join values to the end of an array.

    Parameters
    ----------
    x
        An array.
    values
        What follows.
    axis
        Along which axis; both arrays are flat by default.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A new array of the common dtype.

    Examples
    --------
    >>> import situ
    >>> situ.append(situ.asarray([1, 2]), situ.asarray([[3], [4]])).to_numpy()
    array([1, 2, 3, 4])
    """
    return _native.concat([x, values], axis, queue=queue)


def _positions(
    function: str, x: ndarray, axis: int, places: Places, last: int
) -> list[int] | ndarray:
    """Return positions on an axis as they are counted from its start, each of them in range."""
    size = x.shape[axis]
    if isinstance(places, slice):
        return list(range(size))[places]
    if isinstance(places, ndarray):
        return _counted(function, places, size, last)
    listed = [places] if isinstance(places, int) else list(places)
    if listed and all(isinstance(place, bool) for place in listed):
        return [position for position, is_chosen in enumerate(listed) if is_chosen]
    for place in listed:
        if not -size <= place <= last:
            raise _no_position(function, place, size, last)
    return [place + size if place < 0 else place for place in listed]


def _counted(function: str, places: ndarray, size: int, last: int) -> ndarray:
    """Return positions in an array, counted from the start; this waits, to refuse wrong ones."""
    if places.dtype.kind == "b":
        if places.shape != (size,):
            msg = (
                f"`{function}` got a mask of shape {places.shape} for an axis of size {size}\n"
                "  why:  it says of each entry along the axis whether it is meant\n"
                f"  help: give a mask of shape ({size},)"
            )
            raise ShapeError(msg)
        return _native.nonzero(places)[0]
    if places.dtype.kind not in "iu":
        msg = (
            f"`{function}` got positions of {places.dtype}\n"
            "  why:  positions are integers, or a mask of bools\n"
            "  help: convert them first, e.g. with `places.astype(situ.int64)`"
        )
        raise IndexError(msg)
    flat = _native.bring(reshape(places, -1), dtype=np.dtype(np.int64))
    if flat.size:
        limits = [int(_native.reduce(extreme, flat)) for extreme in ("min", "max")]
        for place in limits:
            if not -size <= place <= last:
                raise _no_position(function, place, size, last)
    return _native.elementwise("where", flat < 0, flat + size, flat)


def _no_position(function: str, place: int, size: int, last: int) -> IndexError:
    msg = (
        f"`{function}` finds no position {place} on an axis of size {size}\n"
        f"  why:  positions go from {-size} to {last}\n"
        "  help: check the positions, and the axis"
    )
    return IndexError(msg)


@takes_arrays
def delete(
    x: ndarray,
    places: Places,
    /,
    axis: int | None = None,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Leave out what is at some positions along an axis.

    Parameters
    ----------
    x
        An array.
    places
        The positions: a number, a slice, several numbers, an array of them, or a mask.
    axis
        The axis; the array is flat by default.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A new array.

    Examples
    --------
    >>> import situ
    >>> situ.delete(situ.asarray([1, 2, 3, 4]), [0, 2]).to_numpy()
    array([2, 4])
    """
    x, places = lend(x, queue), lend(places, queue)
    if axis is None:
        x, axis = reshape(x, -1), 0
    axis, size = _size(x, axis)
    gone = _positions("delete", x, axis, places, size - 1)
    is_kept = _native.full((size,), True, dtype=np.dtype(np.bool_), device=x.queue)
    if len(gone):
        is_kept[_index(gone, x)] = False
    return _native.take(x, _native.nonzero(is_kept)[0], axis)


def _index(places: list[int] | ndarray, x: ndarray) -> ndarray:
    if isinstance(places, ndarray):
        return places
    return asarray(places, dtype="int64", queue=x.queue)


@takes_arrays
def insert(
    x: ndarray,
    place: Places,
    values: ndarray | complex,
    /,
    axis: int | None = None,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Put values before positions along an axis.

    Parameters
    ----------
    x
        An array.
    place
        The position, as it is before anything is inserted; or several: a slice, numbers, an array
        of them, or a mask.
    values
        What comes there, converted to the dtype of `x`: for one position as many entries along the
        axis as it has, for several an entry for each; along the other axes it broadcasts.
    axis
        The axis; both arrays are flat by default.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A new array.

    Examples
    --------
    >>> import situ
    >>> situ.insert(situ.asarray([1, 2, 5]), 2, situ.asarray([3, 4])).to_numpy()
    array([1, 2, 3, 4, 5])
    >>> situ.insert(situ.asarray([1, 2, 5]), [0, 2], 9).to_numpy()
    array([9, 1, 2, 9, 5])
    """
    x, place, values = lend(x, queue), lend(place, queue), lend(values, queue)
    if axis is None:
        x, axis = reshape(x, -1), 0
    axis, size = _size(x, axis)
    if isinstance(values, ndarray):
        between = _native.bring(values, dtype=x.dtype)
    else:
        if cast("object", values) is None:  # NumPy would take it for NaN
            expect_array("insert", "values", values)
        between = asarray(values, dtype=x.dtype, queue=x.queue)
    is_one = isinstance(place, int) or (isinstance(place, ndarray) and place.ndim == 0)
    if between.ndim < x.ndim:
        between = reshape(between, (*[1] * (x.ndim - between.ndim), *between.shape))
        if x.ndim > 1 and is_one:
            # As an index with a number would leave the axis out, the values are one entry along it.
            between = _native.moveaxis(between, 0, axis)
    places = _positions("insert", x, axis, place, size)
    shape = list(x.shape)
    shape[axis] = between.shape[axis] if is_one else len(places)
    between = _native.broadcast_to(between, shape)
    if is_one:
        (position,) = (int(each) for each in places)
        first, second = _cut(x, [position], axis)
        return _native.concat([first, between, second], axis)
    return _interleaved(x, between, _index(places, x), axis)


def _interleaved(x: ndarray, between: ndarray, places: ndarray, axis: int) -> ndarray:
    """Return an array with entries of another before positions along an axis."""
    count = places.size
    # In the order of positions, each lies as much farther as there are others before it.
    order = _native.argsort(places, axis=0)
    shifted = _native.take(places, order, 0) + arange(count, queue=x.queue)
    total = x.shape[axis] + count
    is_old = _native.full((total,), True, dtype=np.dtype(np.bool_), device=x.queue)
    is_old[shifted] = False
    source = _native.empty((total,), dtype=np.dtype(np.int64), device=x.queue)
    source[is_old] = arange(x.shape[axis], queue=x.queue)
    source[shifted] = order + x.shape[axis]
    return _native.take(_native.concat([x, between], axis), source, axis)
