"""Putting arrays together and taking them apart, by NumPy's names."""

from collections.abc import Sequence

from situ import _native
from situ._creation import asarray
from situ._manipulation import atleast_3d, reshape
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
    return _native.concat(rows, 0, queue=queue)


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
    axis = 0 if parts and parts[0].ndim == 1 else 1
    return _native.concat(parts, axis, queue=queue)


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
    return _native.concat(parts, 2, queue=queue)


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
    each, larger = divmod(size, sections)
    bounds = [part * each + min(part, larger) for part in range(1, sections)]
    return _cut(x, bounds, axis)


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


def _positions(size: int, places: int | slice | Sequence[int], last: int) -> list[int]:
    """Return positions on an axis as they are counted from its start, each of them in range."""
    if isinstance(places, slice):
        return list(range(size))[places]
    listed = [places] if isinstance(places, int) else list(places)
    for place in listed:
        if not -size <= place <= last:
            msg = (
                f"there is no position {place} on an axis of size {size}\n"
                f"  why:  positions go from {-size} to {last}"
            )
            raise IndexError(msg)
    return [place + size if place < 0 else place for place in listed]


def delete(
    x: ndarray,
    places: int | slice | Sequence[int],
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
        The positions: a number, a slice or several numbers.
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
    if axis is None:
        x, axis = reshape(x, -1), 0
    axis, size = _size(x, axis)
    gone = set(_positions(size, places, size - 1))
    kept = [position for position in range(size) if position not in gone]
    return _native.take(x, asarray(kept, dtype="int64", queue=x.queue), axis, queue=queue)


def insert(
    x: ndarray,
    place: int,
    values: ndarray | complex,
    /,
    axis: int | None = None,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Put values before a position along an axis.

    Parameters
    ----------
    x
        An array.
    place
        The position.
    values
        What comes there, converted to the dtype of `x`: as many entries along the axis as it has,
        and along the others it broadcasts.
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
    """
    if axis is None:
        x, axis = reshape(x, -1), 0
    axis, size = _size(x, axis)
    if isinstance(values, ndarray):
        between = _native.bring(values, dtype=x.dtype)
    else:
        between = asarray(values, dtype=x.dtype, queue=x.queue)
    if between.ndim < x.ndim:
        # As an index with a number would leave the axis out, the values are one entry along it.
        between = reshape(between, (*[1] * (x.ndim - between.ndim), *between.shape))
        if x.ndim > 1:
            between = _native.moveaxis(between, 0, axis)
    shape = list(x.shape)
    shape[axis] = between.shape[axis]
    between = _native.broadcast_to(between, shape)
    (position,) = _positions(size, place, size)
    first, second = _cut(x, [position], axis)
    return _native.concat([first, between, second], axis, queue=queue)
