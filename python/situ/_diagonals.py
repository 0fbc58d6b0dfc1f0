"""Diagonals of arrays: their positions, arrays made of them, and elements put there."""

from collections.abc import Callable

from situ import _native
from situ._array_arguments import expect_array, takes_arrays
from situ._creation import arange, ones
from situ._grids import tril_indices, triu_indices
from situ._linear_algebra import diag
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place
from situ.exceptions import ShapeError

__all__ = [
    "diag_indices",
    "diag_indices_from",
    "diagflat",
    "fill_diagonal",
    "mask_indices",
    "tril_indices_from",
    "triu_indices_from",
]


def diag_indices(
    n: int,
    ndim: int = 2,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> tuple[ndarray, ...]:
    """Make the index of the main diagonal of an array with equal sizes.

    Parameters
    ----------
    n
        The size along each dimension.
    ndim
        The number of dimensions.
    device, queue, usm_type
        Where, as for `asarray`.

    Returns
    -------
    tuple of ndarray
        Positions, an array for each dimension.

    Examples
    --------
    >>> import situ
    >>> x = situ.zeros((2, 2))
    >>> x[situ.diag_indices(2)] = 5.0
    >>> x.to_numpy()
    array([[5., 0.],
           [0., 5.]])
    """
    return (arange(n, device=device, queue=queue, usm_type=usm_type),) * ndim


@takes_arrays
def diag_indices_from(arr: ndarray, /, *, queue: Place | None = None) -> tuple[ndarray, ...]:
    """Make the index of the main diagonal of an array.

    Parameters
    ----------
    arr
        An array of at least two dimensions, all of one size.
    queue
        The queue of the index; by default the array's.

    Returns
    -------
    tuple of ndarray
        Positions, an array for each dimension.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([[1, 2], [3, 4]])
    >>> x[situ.diag_indices_from(x)].to_numpy()
    array([1, 4])
    """
    arr = lend(arr, queue)
    _check_square("diag_indices_from", arr)
    return diag_indices(arr.shape[0], arr.ndim, queue=arr.queue, usm_type=arr.usm_type)


def _check_square(function: str, arr: ndarray) -> None:
    if arr.ndim < 2 or len(set(arr.shape)) != 1:
        msg = (
            f"`{function}` got an array of shape {arr.shape}\n"
            "  why:  the diagonal goes from corner to corner of at least two equal dimensions\n"
            "  help: take a part with equal sizes first"
        )
        raise ShapeError(msg)


@takes_arrays
def diagflat(v: ndarray, /, k: int = 0, *, queue: Place | None = None) -> ndarray:
    """Make a matrix with elements on a diagonal and zeros elsewhere.

    Parameters
    ----------
    v
        The elements, in row-major order.
    k
        Which diagonal: positive ones are above the main diagonal.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    ndarray
        The matrix.

    Examples
    --------
    >>> import situ
    >>> situ.diagflat(situ.asarray([[1, 2]]), 1).to_numpy()
    array([[0, 1, 0],
           [0, 0, 2],
           [0, 0, 0]])
    """
    return diag(lend(v, queue).reshape(-1), k)


@takes_arrays
def fill_diagonal(
    a: ndarray, val: ndarray | complex, /, wrap: bool = False, *, queue: Place | None = None
) -> None:
    """Change the elements of the main diagonal.

    Parameters
    ----------
    a
        The array to change: two dimensions, or more of one size.
    val
        The new elements, repeated as often as needed; or one number.
    wrap
        Whether the diagonal of a tall matrix starts again after a row without it.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Examples
    --------
    >>> import situ
    >>> x = situ.zeros((2, 2))
    >>> situ.fill_diagonal(x, 5.0)
    >>> x.to_numpy()
    array([[5., 0.],
           [0., 5.]])
    """
    expect_array("fill_diagonal", "a", a)
    a, val = lend(a, queue), lend(val, queue)
    if a.ndim != 2:
        _check_square("fill_diagonal", a)
    columns = a.shape[-1]
    if a.ndim == 2:
        step = columns + 1
        end = a.size if wrap else min(a.size, columns * columns)
    else:
        step = 1 + sum(columns**power for power in range(1, a.ndim))
        end = a.size
    positions = arange(0, end, step, queue=a.queue)
    if isinstance(val, ndarray) and val.ndim and positions.size:
        val = _native.tile(val.reshape(-1), [-(-positions.size // max(val.size, 1))])
        val = val[: positions.size]
    row = a.reshape(-1)
    row[positions] = val
    if not _native.shares_memory(row, a):
        # No view makes these elements one row, so a copy was changed.
        a[...] = row.reshape(a.shape)


@takes_arrays
def tril_indices_from(
    arr: ndarray, /, k: int = 0, *, queue: Place | None = None
) -> tuple[ndarray, ndarray]:
    """Make the index of the lower triangle of a matrix.

    Parameters
    ----------
    arr
        A matrix.
    k
        Up to which diagonal.
    queue
        The queue of the index; by default the array's.

    Returns
    -------
    tuple of ndarray
        Positions along rows and columns.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([[1, 2], [3, 4]])
    >>> x[situ.tril_indices_from(x)].to_numpy()
    array([1, 3, 4])
    """
    arr = _matrix("tril_indices_from", lend(arr, queue))
    return tril_indices(arr.shape[0], k, arr.shape[1], queue=arr.queue)


@takes_arrays
def triu_indices_from(
    arr: ndarray, /, k: int = 0, *, queue: Place | None = None
) -> tuple[ndarray, ndarray]:
    """Make the index of the upper triangle of a matrix.

    Parameters
    ----------
    arr, k, queue
        As for `tril_indices_from`; from which diagonal.

    Returns
    -------
    tuple of ndarray
        Positions along rows and columns.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([[1, 2], [3, 4]])
    >>> x[situ.triu_indices_from(x)].to_numpy()
    array([1, 2, 4])
    """
    arr = _matrix("triu_indices_from", lend(arr, queue))
    return triu_indices(arr.shape[0], k, arr.shape[1], queue=arr.queue)


def _matrix(function: str, arr: ndarray) -> ndarray:
    if arr.ndim != 2:
        msg = (
            f"`{function}` got an array with {arr.ndim} dimensions\n"
            "  why:  triangles are parts of matrices\n"
            "  help: choose a matrix, e.g. `arr[0]`"
        )
        raise ShapeError(msg)
    return arr


def mask_indices(
    n: int,
    mask_func: Callable[..., ndarray],
    k: complex = 0,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> tuple[ndarray, ...]:
    """Make the index of what a function such as `tril` leaves of a square matrix; this waits.

    Parameters
    ----------
    n
        How many rows and columns.
    mask_func
        A function of a matrix and `k`, whose result is zero where the mask does not hold.
    k
        What the function is given.
    device, queue, usm_type
        Where, as for `asarray`.

    Returns
    -------
    tuple of ndarray
        Positions along rows and columns.

    Examples
    --------
    >>> import situ
    >>> rows, columns = situ.mask_indices(2, situ.triu)
    >>> rows.to_numpy(), columns.to_numpy()
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    every = ones((n, n), "int64", device=device, queue=queue, usm_type=usm_type)
    return tuple(_native.nonzero(mask_func(every, k)))
