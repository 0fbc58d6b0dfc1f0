"""Where elements are."""

import math

from situ import _native
from situ._array_arguments import takes_arrays
from situ._complex_extremes import find_complex_extreme
from situ._native import ndarray
from situ._output import Output, stored
from situ._placement import lend
from situ._queue_manager import Place

__all__ = [
    "argmax",
    "argmin",
    "argwhere",
    "flatnonzero",
    "nanargmax",
    "nanargmin",
    "nonzero",
]


@takes_arrays
def argmax(
    x: ndarray,
    /,
    axis: int | None = None,
    out: Output = None,
    *,
    keepdims: bool = False,
    queue: Place | None = None,
) -> ndarray:
    """Where the largest element is; the first one of several, and the first NaN if there is one.

    Parameters
    ----------
    x
        An array.
    axis
        The axis to look along. By default the whole array is one row, in row-major order.
    out
        Where the result goes; a new array by default.
    keepdims
        Whether the axis stays, with size one.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        Positions, as ``int64``.

    Examples
    --------
    >>> import situ
    >>> situ.argmax(situ.asarray([[1, 5], [7, 3]]), axis=0).to_numpy()
    array([1, 0])
    """
    if x.dtype.kind == "c":
        found = find_complex_extreme("max", lend(x, queue), axis, keepdims)
    elif axis is out is queue is None and not keepdims:
        return _native.reduce("argmax", x)
    else:
        found = _native.reduce("argmax", x, axis=axis, keepdims=keepdims, queue=queue)
    return stored("argmax", found, out)


@takes_arrays
def argmin(
    x: ndarray,
    /,
    axis: int | None = None,
    out: Output = None,
    *,
    keepdims: bool = False,
    queue: Place | None = None,
) -> ndarray:
    """Where the smallest element is; the first one of several, and the first NaN if there is one.

    Parameters
    ----------
    x
        An array.
    axis
        The axis to look along. By default the whole array is one row, in row-major order.
    out
        Where the result goes; a new array by default.
    keepdims
        Whether the axis stays, with size one.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        Positions, as ``int64``.

    Examples
    --------
    >>> import situ
    >>> situ.argmin(situ.asarray([[1, 5], [7, 3]]), axis=0).to_numpy()
    array([0, 1])
    """
    if x.dtype.kind == "c":
        found = find_complex_extreme("min", lend(x, queue), axis, keepdims)
    elif axis is out is queue is None and not keepdims:
        return _native.reduce("argmin", x)
    else:
        found = _native.reduce("argmin", x, axis=axis, keepdims=keepdims, queue=queue)
    return stored("argmin", found, out)


def nonzero(x: ndarray, /, *, queue: Place | None = None) -> tuple[ndarray, ...]:
    """Find elements that are not zero.

    How many there are must be known before the result can be made, so this waits for `x`.

    Parameters
    ----------
    x
        An array of at least one dimension.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    tuple of ndarray
        Their positions in row-major order, one array for each dimension.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([[3, 0], [0, 5]])
    >>> [position.to_numpy() for position in situ.nonzero(x)]
    [array([0, 1]), array([0, 1])]
    """
    if queue is not None:
        x = lend(x, queue)
    return tuple(_native.nonzero(x))


@takes_arrays
def argwhere(x: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Find elements that are not zero; this waits, as `nonzero`.

    Parameters
    ----------
    x
        An array.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        Their positions in row-major order, a row for each.

    Examples
    --------
    >>> import situ
    >>> situ.argwhere(situ.asarray([[3, 0], [0, 5]])).to_numpy()
    array([[0, 0],
           [1, 1]])
    """
    if queue is not None:
        x = lend(x, queue)
    if x.ndim == 0:
        return _native.full(
            [int(bool(x)), 0], 0, dtype="int64", device=x.queue, usm_type=x.usm_type
        )
    return _native.stack(_native.nonzero(x), 1)


@takes_arrays
def flatnonzero(x: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Find elements of the flat array that are not zero; this waits, as `nonzero`.

    Parameters
    ----------
    x
        An array.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        Their positions in row-major order.

    Examples
    --------
    >>> import situ
    >>> situ.flatnonzero(situ.asarray([[3, 0], [0, 5]])).to_numpy()
    array([0, 3])
    """
    if queue is not None:
        x = lend(x, queue)
    return _native.nonzero(x.reshape(-1))[0]


@takes_arrays
def nanargmax(
    x: ndarray,
    /,
    axis: int | None = None,
    out: Output = None,
    *,
    keepdims: bool = False,
    queue: Place | None = None,
) -> ndarray:
    """Find the largest element that is not NaN; this waits, to refuse rows of nothing but NaNs.

    Parameters
    ----------
    x, axis, out, keepdims, queue
        As for `argmax`.

    Returns
    -------
    ndarray
        Positions, as ``int64``.

    Examples
    --------
    >>> import situ
    >>> int(situ.nanargmax(situ.asarray([1.0, float("nan"), 3.0, 2.0])))
    2
    """
    numbers = _without_nan(x, -math.inf, axis, queue)
    return argmax(numbers, axis, out, keepdims=keepdims, queue=queue)


@takes_arrays
def nanargmin(
    x: ndarray,
    /,
    axis: int | None = None,
    out: Output = None,
    *,
    keepdims: bool = False,
    queue: Place | None = None,
) -> ndarray:
    """Find the smallest element that is not NaN; this waits, to refuse rows of nothing but NaNs.

    Parameters
    ----------
    x, axis, out, keepdims, queue
        As for `argmin`.

    Returns
    -------
    ndarray
        Positions, as ``int64``.

    Examples
    --------
    >>> import situ
    >>> int(situ.nanargmin(situ.asarray([1.0, float("nan"), 3.0, 2.0])))
    0
    """
    numbers = _without_nan(x, math.inf, axis, queue)
    return argmin(numbers, axis, out, keepdims=keepdims, queue=queue)


def _without_nan(x: ndarray, instead: float, axis: int | None, queue: Place | None) -> ndarray:
    """Return the array with another number for NaN; refuse rows that have no other."""
    if x.dtype.kind != "f":
        return x
    is_nan = _native.elementwise("isnan", x, queue=queue)
    if bool(_native.reduce("any", _native.reduce("all", is_nan, axis=axis))):
        msg = (
            "there is a row of nothing but NaNs\n"
            "  why:  none of its elements is the smallest or the largest\n"
            "  help: leave such rows out, e.g. `x[~situ.all(situ.isnan(x), axis=-1)]`"
        )
        raise ValueError(msg)
    return _native.elementwise("where", is_nan, instead, x, queue=queue)
