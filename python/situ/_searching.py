"""Where elements are."""

from situ import _native
from situ._native import ndarray
from situ._output import Output, stored
from situ._queue_manager import Place

__all__ = ["argmax", "argmin", "nonzero"]


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
    found = _native.reduce("argmax", x, axis=axis, keepdims=keepdims, queue=queue)
    return stored("argmax", found, out)


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
    found = _native.reduce("argmin", x, axis=axis, keepdims=keepdims, queue=queue)
    return stored("argmin", found, out)


def nonzero(x: ndarray, /) -> tuple[ndarray, ...]:
    """Find elements that are not zero.

    How many there are must be known before the result can be made, so this waits for `x`.

    Parameters
    ----------
    x
        An array of at least one dimension.

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
    return tuple(_native.nonzero(x))
