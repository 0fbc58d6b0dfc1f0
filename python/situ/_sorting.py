"""Elements in order, and looking for elements among sorted ones."""

import operator
from collections.abc import Sequence
from typing import Literal

import numpy as np

from situ import _native
from situ._array_arguments import takes_arrays
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place
from situ.exceptions import ShapeError

__all__ = [
    "argpartition",
    "argsort",
    "lexsort",
    "partition",
    "searchsorted",
    "sort",
    "sort_complex",
]

# NumPy's names of algorithms. All of them are accepted, and every sort is stable.
_KINDS = {None, "quicksort", "mergesort", "heapsort", "stable"}


def _check_kind(function: str, kind: str | None) -> None:
    if kind not in _KINDS:
        msg = (
            f"`{function}` has no kind `{kind}`\n"
            '  help: leave it out, or use "stable"; every sort of situ is stable'
        )
        raise ValueError(msg)


def sort(
    x: ndarray,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
    queue: Place | None = None,
) -> ndarray:
    """Put elements in order.

    Equal elements keep their order. NaN comes last, whichever way numbers go; zeros of either sign
    are equal. Complex numbers are ordered by their real parts, then by their imaginary parts.

    Parameters
    ----------
    x
        An array.
    axis
        The axis to sort along; ``None`` sorts the flat array.
    kind
        Accepted for NumPy's sake: the result is the same for every kind.
    descending
        Whether large numbers come first.
    stable
        Accepted for the standard's sake: every sort is stable.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        A new array of the shape and dtype of `x`.

    Examples
    --------
    >>> import situ
    >>> situ.sort(situ.asarray([3.0, float("nan"), 1.0, 2.0])).to_numpy()
    array([ 1.,  2.,  3., nan])
    >>> situ.sort(situ.asarray([[3, 1], [2, 4]]), axis=0, descending=True).to_numpy()
    array([[3, 4],
           [2, 1]])
    """
    _check_kind("sort", kind)
    return _native.sort(x, axis=axis, descending=descending, queue=queue)


def argsort(
    x: ndarray,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
    queue: Place | None = None,
) -> ndarray:
    """Find the positions that put elements in order.

    The order is that of :func:`sort`: equal elements keep theirs, and NaN comes last.

    Parameters
    ----------
    x
        An array.
    axis
        The axis to sort along; ``None`` sorts the flat array.
    kind
        Accepted for NumPy's sake: the result is the same for every kind.
    descending
        Whether large numbers come first.
    stable
        Accepted for the standard's sake: every sort is stable.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        Positions along the axis, as ``int64``.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([30, 10, 20])
    >>> order = situ.argsort(x)
    >>> order.to_numpy()
    array([1, 2, 0])
    >>> x[order].to_numpy()
    array([10, 20, 30])
    """
    _check_kind("argsort", kind)
    return _native.argsort(x, axis=axis, descending=descending, queue=queue)


def searchsorted(
    x1: ndarray,
    x2: ndarray | complex,
    /,
    side: Literal["left", "right"] = "left",
    sorter: ndarray | None = None,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Find where numbers must go for a sorted row to stay sorted.

    Parameters
    ----------
    x1
        An array of one dimension in ascending order, or in the order that `sorter` gives.
    x2
        The numbers.
    side
        Whether a number comes before (``"left"``) or after (``"right"``) elements that equal it.
    sorter
        For each place the position of the element of `x1` that belongs there, as :func:`argsort`
        finds it. Positions that do not exist are reported by the next wait.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        For each number how many elements are before its place, as ``int64``.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([10, 20, 20, 30])
    >>> situ.searchsorted(x, situ.asarray([20, 35])).to_numpy()
    array([1, 4])
    >>> int(situ.searchsorted(x, 20, side="right"))
    3
    """
    return _native.searchsorted(x1, x2, side=side, sorter=sorter, queue=queue)


def _check_places(function: str, x: ndarray, kth: int | Sequence[int], axis: int | None) -> None:
    length = x.size if axis is None else x.shape[axis] if -x.ndim <= axis < x.ndim else None
    for place in [kth] if isinstance(kth, int) else kth:
        if length is not None and not -length <= operator.index(place) < length:
            msg = (
                f"`{function}` has no place {place} in a row of {length} elements\n"
                f"  help: places are {-length} to {length - 1}"
            )
            raise ValueError(msg)


@takes_arrays
def partition(
    x: ndarray,
    kth: int | Sequence[int],
    /,
    axis: int | None = -1,
    kind: str = "introselect",
    *,
    queue: Place | None = None,
) -> ndarray:
    """Put elements at some places that belong there, and before them what comes before.

    Parameters
    ----------
    x
        An array.
    kth
        The places. All others get what belongs there too: the result is that of :func:`sort`.
    axis
        The axis to sort along; ``None`` sorts the flat array.
    kind
        Accepted for NumPy's sake: it makes no difference.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        A new array of the shape and dtype of `x`.

    Examples
    --------
    >>> import situ
    >>> situ.partition(situ.asarray([3, 1, 2]), 1).to_numpy()
    array([1, 2, 3])
    """
    _check_places("partition", x, kth, axis)
    return _native.sort(x, axis=axis, queue=queue)


@takes_arrays
def argpartition(
    x: ndarray,
    kth: int | Sequence[int],
    /,
    axis: int | None = -1,
    kind: str = "introselect",
    *,
    queue: Place | None = None,
) -> ndarray:
    """Find the positions that :func:`partition` puts elements by.

    Parameters
    ----------
    x
        An array.
    kth
        The places. The result is that of :func:`argsort`, so all others are right too.
    axis
        The axis to sort along; ``None`` sorts the flat array.
    kind
        Accepted for NumPy's sake: it makes no difference.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        Positions along the axis, as ``int64``.

    Examples
    --------
    >>> import situ
    >>> situ.argpartition(situ.asarray([30, 10, 20]), 0).to_numpy()
    array([1, 2, 0])
    """
    _check_places("argpartition", x, kth, axis)
    return _native.argsort(x, axis=axis, queue=queue)


@takes_arrays
def lexsort(
    keys: ndarray | Sequence[ndarray], /, axis: int = -1, *, queue: Place | None = None
) -> ndarray:
    """Find the order by several keys: by the last one, equal ones by the one before, and so on.

    Parameters
    ----------
    keys
        The keys, arrays of one shape; or one array, whose first dimension are the keys.
    axis
        The axis to sort along.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        Positions along the axis, as ``int64``.

    Examples
    --------
    >>> import situ
    >>> first, last = situ.asarray([1, 5, 1, 4]), situ.asarray([9, 4, 0, 4])
    >>> situ.lexsort((last, first)).to_numpy()
    array([2, 0, 3, 1])
    """
    listed = list(keys) if not isinstance(keys, ndarray) else _native.unstack(keys, 0)
    if not listed:
        msg = (
            "`lexsort` got no keys\n"
            "  why:  there is no order without one\n"
            "  help: give at least one array"
        )
        raise TypeError(msg)
    if len({key.shape for key in listed}) > 1:
        shapes = ", ".join(str(key.shape) for key in listed)
        msg = (
            f"`lexsort` got keys of the shapes {shapes}\n"
            "  why:  each element has all of the keys\n"
            "  help: give arrays of one shape"
        )
        raise ShapeError(msg)
    listed = [lend(key, queue) for key in listed]
    order = _native.argsort(listed[0], axis=axis)
    for key in listed[1:]:
        # A stable sort keeps the order by the keys before among what is equal.
        ordered = _native.take_along_axis(key, order, axis)
        order = _native.take_along_axis(order, _native.argsort(ordered, axis=axis), axis)
    return order


@takes_arrays
def sort_complex(a: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Sort numbers as complex ones: by their real parts, then by their imaginary parts.

    Parameters
    ----------
    a
        An array, which is sorted along its last axis.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    ndarray
        The complex numbers.

    Examples
    --------
    >>> import situ
    >>> situ.sort_complex(situ.asarray([3.0, 1.0, 2.0])).to_numpy()
    array([1.+0.j, 2.+0.j, 3.+0.j])
    """
    ordered = _native.sort(a, axis=-1, queue=queue)
    if ordered.dtype.kind == "c":
        return ordered
    is_narrow = ordered.dtype.kind in "iu" and ordered.dtype.itemsize <= 2
    is_narrow |= ordered.dtype.kind == "f" and ordered.dtype.itemsize <= 4
    wide = _native.default_float(device=ordered).itemsize > 4
    return _native.bring(
        ordered, dtype=np.dtype("complex64" if is_narrow or not wide else "complex128")
    )
