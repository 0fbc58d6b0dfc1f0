"""Sets: distinct elements, and whether elements are among others.

How many distinct elements there are must be known before the result can be made, so functions that
find them wait for their input.
"""

from typing import NamedTuple

from situ import _native
from situ._array_arguments import takes_arrays
from situ._distinct_rows import find_distinct_rows
from situ._manipulation import concat, reshape
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place

__all__ = [
    "UniqueAllResult",
    "UniqueCountsResult",
    "UniqueInverseResult",
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


class UniqueAllResult(NamedTuple):
    """What :func:`unique_all` finds."""

    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(NamedTuple):
    """What :func:`unique_counts` finds."""

    values: ndarray
    counts: ndarray


class UniqueInverseResult(NamedTuple):
    """What :func:`unique_inverse` finds."""

    values: ndarray
    inverse_indices: ndarray


def _found(part: ndarray | None) -> ndarray:
    assert part is not None, "it was asked for"
    return part


def isin(
    x1: ndarray | complex,
    x2: ndarray | complex,
    /,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
    queue: Place | None = None,
) -> ndarray:
    """Test whether elements are among others.

    NaN equals nothing, so it never is.

    Parameters
    ----------
    x1
        What is looked for.
    x2
        What it is looked for in. One of the two is an array.
    assume_unique
        Accepted for NumPy's sake: it makes no difference.
    invert
        Whether to test that elements are *not* among the others.
    kind
        Accepted for NumPy's sake: it makes no difference.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        Truths in the shape of `x1`.

    Examples
    --------
    >>> import situ
    >>> situ.isin(situ.asarray([1, 2, 3]), situ.asarray([3, 1])).to_numpy()
    array([ True, False,  True])
    """
    return _native.isin(x1, x2, invert=invert, queue=queue)


@takes_arrays
def unique(
    x: ndarray,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
    queue: Place | None = None,
) -> ndarray | tuple[ndarray, ...]:
    """Find distinct elements, as NumPy has it.

    Parameters
    ----------
    x
        An array.
    return_index
        Whether to tell where each first stands in the flat array.
    return_inverse
        Whether to tell which one each element of `x` is.
    return_counts
        Whether to tell how often each is there.
    axis
        Along which axis slices are compared, instead of elements of the flat array.
    equal_nan
        Whether all NaNs are one element; slices with NaN are never equal.
    sorted
        Accepted for NumPy's sake: the result is always in ascending order.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray or tuple of ndarray
        The elements in ascending order, and what else was asked for.

    Examples
    --------
    >>> import situ
    >>> values, counts = situ.unique(situ.asarray([3, 1, 3]), return_counts=True)
    >>> values.to_numpy(), counts.to_numpy()
    (array([1, 3]), array([1, 2]))
    """
    if axis is not None:
        rows = find_distinct_rows(lend(x, queue), axis)
        wanted = (True, return_index, return_inverse, return_counts)
        chosen = tuple(part for part, is_wanted in zip(rows, wanted, strict=True) if is_wanted)
        return chosen if len(chosen) > 1 else rows.values
    values, *others = _native.unique(
        x,
        indices=return_index,
        inverse=return_inverse,
        counts=return_counts,
        equal_nan=equal_nan,
        queue=queue,
    )
    asked = tuple(part for part in others if part is not None)
    return (values, *asked) if asked else values


def unique_all(x: ndarray, /, *, queue: Place | None = None) -> UniqueAllResult:
    """Find distinct elements, where they are, and how often.

    Every NaN is an element of its own.

    Parameters
    ----------
    x
        An array.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    UniqueAllResult
        The elements (`values`) in ascending order; where each first stands in the flat array
        (`indices`); which one each element of `x` is (`inverse_indices`); how often each is there
        (`counts`).

    Examples
    --------
    >>> import situ
    >>> found = situ.unique_all(situ.asarray([30, 10, 30]))
    >>> found.values.to_numpy(), found.indices.to_numpy()
    (array([10, 30]), array([1, 0]))
    >>> found.inverse_indices.to_numpy(), found.counts.to_numpy()
    (array([1, 0, 1]), array([1, 2]))
    """
    values, *others = _native.unique(x, indices=True, inverse=True, counts=True, queue=queue)
    return UniqueAllResult(values, *map(_found, others))


def unique_counts(x: ndarray, /, *, queue: Place | None = None) -> UniqueCountsResult:
    """Find distinct elements and how often they are there.

    Every NaN is an element of its own.

    Parameters
    ----------
    x
        An array.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    UniqueCountsResult
        The elements (`values`) in ascending order, and how often each is there (`counts`).

    Examples
    --------
    >>> import situ
    >>> values, counts = situ.unique_counts(situ.asarray([30, 10, 30]))
    >>> values.to_numpy(), counts.to_numpy()
    (array([10, 30]), array([1, 2]))
    """
    values, _, _, counts = _native.unique(x, counts=True, queue=queue)
    return UniqueCountsResult(values, _found(counts))


def unique_inverse(x: ndarray, /, *, queue: Place | None = None) -> UniqueInverseResult:
    """Find distinct elements, and which of them each element is.

    Every NaN is an element of its own.

    Parameters
    ----------
    x
        An array.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    UniqueInverseResult
        The elements (`values`) in ascending order, and which one each element of `x` is
        (`inverse_indices`, in the shape of `x`).

    Examples
    --------
    >>> import situ
    >>> values, inverse = situ.unique_inverse(situ.asarray([30, 10, 30]))
    >>> values[inverse].to_numpy()
    array([30, 10, 30])
    """
    values, _, inverse, _ = _native.unique(x, inverse=True, queue=queue)
    return UniqueInverseResult(values, _found(inverse))


def unique_values(x: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Find distinct elements.

    Every NaN is an element of its own.

    Parameters
    ----------
    x
        An array.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The elements in ascending order.

    Examples
    --------
    >>> import situ
    >>> situ.unique_values(situ.asarray([30, 10, 30])).to_numpy()
    array([10, 30])
    """
    return _native.unique(x, queue=queue)[0]


def _distinct(x: ndarray, assume_unique: bool, queue: Place | None) -> ndarray:
    if assume_unique:
        return reshape(x, -1)
    return _native.unique(x, equal_nan=True, queue=queue)[0]


def _chosen(x: ndarray, others: ndarray, invert: bool, queue: Place | None) -> ndarray:
    return x[_native.isin(x, others, invert=invert, queue=queue)]


@takes_arrays
def union1d(x1: ndarray, x2: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Find the elements that are in one of two arrays.

    Parameters
    ----------
    x1, x2
        Arrays, which count as flat.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The distinct elements in ascending order.

    Examples
    --------
    >>> import situ
    >>> situ.union1d(situ.asarray([3, 1]), situ.asarray([2, 1])).to_numpy()
    array([1, 2, 3])
    """
    return _distinct(concat([x1, x2], axis=None, queue=queue), False, queue)


@takes_arrays
def intersect1d(
    x1: ndarray,
    x2: ndarray,
    /,
    assume_unique: bool = False,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Find the elements that are in both of two arrays.

    Parameters
    ----------
    x1, x2
        Arrays, which count as flat.
    assume_unique
        Whether the elements of each are known to be distinct.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The distinct elements in ascending order.

    Examples
    --------
    >>> import situ
    >>> situ.intersect1d(situ.asarray([3, 1, 1]), situ.asarray([2, 1])).to_numpy()
    array([1])
    """
    dtype = concat([reshape(x1, -1)[:0], reshape(x2, -1)[:0]], queue=queue).dtype
    both = _chosen(_distinct(x1, assume_unique, queue), x2, False, queue)
    return _native.sort(both.astype(dtype, copy=False), queue=queue)


def setdiff1d(
    x1: ndarray,
    x2: ndarray,
    /,
    assume_unique: bool = False,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Find the elements of an array that are not in another.

    Parameters
    ----------
    x1, x2
        Arrays, which count as flat.
    assume_unique
        Whether the elements of each are known to be distinct; then they keep their order.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The distinct elements in ascending order.

    Examples
    --------
    >>> import situ
    >>> situ.setdiff1d(situ.asarray([3, 1, 1]), situ.asarray([2, 1])).to_numpy()
    array([3])
    """
    return _chosen(_distinct(x1, assume_unique, queue), x2, True, queue)


def setxor1d(
    x1: ndarray,
    x2: ndarray,
    /,
    assume_unique: bool = False,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Find the elements that are in exactly one of two arrays.

    Parameters
    ----------
    x1, x2
        Arrays, which count as flat.
    assume_unique
        Whether the elements of each are known to be distinct.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The distinct elements in ascending order.

    Examples
    --------
    >>> import situ
    >>> situ.setxor1d(situ.asarray([3, 1, 1]), situ.asarray([2, 1])).to_numpy()
    array([2, 3])
    """
    first = _distinct(x1, assume_unique, queue)
    second = _distinct(x2, assume_unique, queue)
    either = [_chosen(first, second, True, queue), _chosen(second, first, True, queue)]
    return _native.sort(concat(either, queue=queue), queue=queue)
