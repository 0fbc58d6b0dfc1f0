"""Products of matrices and vectors, many at a time."""

from situ import _native
from situ._array_arguments import takes_arrays
from situ._native import ndarray
from situ._output import Output, stored
from situ._placement import lend
from situ._queue_manager import Place
from situ.exceptions import ShapeError

__all__ = ["matvec", "vecmat"]


def _check(name: str, least: dict[str, tuple[ndarray, int]]) -> None:
    for argument, (x, ndim) in least.items():
        if x.ndim < ndim:
            msg = (
                f"`{name}` got `{argument}` with {x.ndim} dimensions\n"
                f"  why:  its last {ndim} dimensions are multiplied, the others broadcast\n"
                f"  help: give at least {ndim}"
            )
            raise ShapeError(msg)


@takes_arrays
def matvec(
    x1: ndarray, x2: ndarray, /, out: Output = None, *, queue: Place | None = None
) -> ndarray:
    """Multiply matrices by vectors.

    Parameters
    ----------
    x1
        Matrices, in the last two dimensions; the others broadcast.
    x2
        Vectors, in the last dimension.
    out
        Where the result goes; a new array by default.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The vectors.

    Examples
    --------
    >>> import situ
    >>> situ.matvec(situ.asarray([[1, 2], [3, 4]]), situ.asarray([[1, 0], [0, 1]])).to_numpy()
    array([[1, 3],
           [2, 4]])
    """
    x1, x2 = lend(x1, queue), lend(x2, queue)
    _check("matvec", {"x1": (x1, 2), "x2": (x2, 1)})
    product = _native.matmul(x1, x2[..., None])
    return stored("matvec", _native.squeeze(product, -1), out)


@takes_arrays
def vecmat(
    x1: ndarray, x2: ndarray, /, out: Output = None, *, queue: Place | None = None
) -> ndarray:
    """Multiply vectors, conjugated, by matrices.

    Parameters
    ----------
    x1
        Vectors, in the last dimension; the others broadcast.
    x2
        Matrices, in the last two dimensions.
    out
        Where the result goes; a new array by default.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The vectors.

    Examples
    --------
    >>> import situ
    >>> situ.vecmat(situ.asarray([1, 10]), situ.asarray([[1, 2], [3, 4]])).to_numpy()
    array([31, 42])
    """
    x1, x2 = lend(x1, queue), lend(x2, queue)
    _check("vecmat", {"x1": (x1, 1), "x2": (x2, 2)})
    row = _native.elementwise("conj", x1) if x1.dtype.kind == "c" else x1
    product = _native.matmul(row[..., None, :], x2)
    return stored("vecmat", _native.squeeze(product, -2), out)
