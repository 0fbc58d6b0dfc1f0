"""Elements at positions that are in arrays."""

from situ import _native
from situ._native import ndarray
from situ._queue_manager import Place

__all__ = ["take", "take_along_axis"]


def take(
    x: ndarray, indices: ndarray, /, *, axis: int | None = None, queue: Place | None = None
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


def take_along_axis(
    x: ndarray, indices: ndarray, /, *, axis: int = -1, queue: Place | None = None
) -> ndarray:
    """Take elements along an axis, at other positions for each place along the other axes.

    Parameters
    ----------
    x
        An array.
    indices
        Positions along the axis, with as many dimensions as `x`; all other dimensions broadcast.
    axis
        The axis.
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
    return _native.take_along_axis(x, indices, axis, queue=queue)
