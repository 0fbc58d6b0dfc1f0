"""Linear equations of arrays with many dimensions: some of them are rows, the others columns."""

import math
from collections.abc import Sequence

from situ import _native
from situ._array_arguments import takes_arrays
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place
from situ.exceptions import LinAlgError

__all__ = ["tensorinv", "tensorsolve"]


@takes_arrays
def tensorinv(a: ndarray, /, ind: int = 2, *, queue: Place | None = None) -> ndarray:
    """Invert an array as a linear map between arrays.

    Parameters
    ----------
    a
        An array: the sizes of its first `ind` dimensions have the product of the others.
    ind
        How many of the dimensions are rows.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    ndarray
        The inverse, with the columns' dimensions first.

    Examples
    --------
    >>> import situ
    >>> a = situ.eye(6).reshape(2, 3, 6)
    >>> situ.linalg.tensorinv(a).shape
    (6, 2, 3)
    """
    if ind <= 0:
        msg = (
            f"`tensorinv` got the `ind` {ind}\n"
            "  why:  at least one dimension is rows\n"
            "  help: give 1 for a matrix"
        )
        raise ValueError(msg)
    a = lend(a, queue)
    rows, columns = a.shape[:ind], a.shape[ind:]
    if math.prod(rows) != math.prod(columns):
        _refuse("tensorinv", a.shape, rows, columns)
    size = math.prod(rows)
    return _native.inv(a.reshape((size, size))).reshape((*columns, *rows))


@takes_arrays
def tensorsolve(
    a: ndarray,
    b: ndarray,
    /,
    axes: Sequence[int] | None = None,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Find the array that gives another when it is multiplied over all its dimensions.

    Parameters
    ----------
    a
        The factors: the dimensions of `b`, then those of the result.
    b
        The right side.
    axes
        Dimensions of `a` to move to its end first.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The solution.

    Examples
    --------
    >>> import situ
    >>> a = 2 * situ.eye(6).reshape(2, 3, 6)
    >>> situ.linalg.tensorsolve(a, situ.ones((2, 3))).to_numpy()
    array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    """
    a, b = lend(a, queue), lend(b, queue)
    if axes is not None:
        a = _native.moveaxis(a, list(axes), list(range(-len(axes), 0)))
    shape = a.shape[b.ndim :]
    size = math.prod(shape)
    if a.shape[: b.ndim] != b.shape or size != b.size:
        _refuse("tensorsolve", a.shape, b.shape, shape)
    return _native.solve(a.reshape((size, size)), b.reshape(-1)).reshape(shape)


def _refuse(
    function: str, shape: Sequence[int], rows: Sequence[int], columns: Sequence[int]
) -> None:
    msg = (
        f"`{function}` got an array of shape {tuple(shape)}\n"
        f"  why:  its dimensions are rows of sizes {tuple(rows)} and columns of {tuple(columns)}, "
        "and there must be as many of both\n"
        "  help: check which dimensions belong together"
    )
    raise LinAlgError(msg)
