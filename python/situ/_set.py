"""Sets: distinct elements, and whether elements are among others.

How many distinct elements there are must be known before the result can be made, so functions that
find them wait for their input.
"""

from typing import NamedTuple

from situ import _native
from situ._native import ndarray
from situ._queue_manager import Place

__all__ = [
    "UniqueAllResult",
    "UniqueCountsResult",
    "UniqueInverseResult",
    "isin",
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


def unique(
    x: ndarray,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: None = None,
    *,
    equal_nan: bool = True,
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
        Only ``None``: the elements of the flat array.
    equal_nan
        Whether all NaNs are one element.
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
        msg = (
            f"`unique` finds distinct elements, not distinct slices along axis {axis}\n"
            "  help: leave `axis` out"
        )
        raise NotImplementedError(msg)
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
