"""Decompositions, norms and solutions: the standard's `linalg` extension, and NumPy's.

Matrices are in the last two dimensions of an array, and functions work on all of them.
Decompositions are computed on the host, in turn with the work of the array's queue; memory that the
host does not reach is copied there and back. Their matrices share the threads of the native
device. Everything else (norms, products, powers) runs where the data is.

Integers and bools are converted to floats of the device's default width, as NumPy does.
"""

import sys

import numpy.typing as npt

from situ import _native, _statistical
from situ._array_arguments import takes_arrays
from situ._decompositions import (
    EighResult,
    EigResult,
    QRResult,
    SlogdetResult,
    SVDResult,
    cholesky,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    inv,
    qr,
    slogdet,
    solve,
    svd,
    svdvals,
)
from situ._linear_algebra import (
    cross,
    matmul,
    matrix_transpose,
    tensordot,
    vecdot,
)
from situ._linear_algebra import outer as _outer_of_all
from situ._matrix_functions import LstsqResult, lstsq, matrix_power, matrix_rank, multi_dot, pinv
from situ._native import ndarray
from situ._norms import cond, matrix_norm, norm, vector_norm
from situ._offload import BoundModule, on_queue
from situ._placement import lend
from situ._queue_manager import Place
from situ._tensor_equations import tensorinv, tensorsolve
from situ.exceptions import LinAlgError, ShapeError

__all__ = [
    "EigResult",
    "EighResult",
    "LinAlgError",
    "LstsqResult",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "on",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]


def diagonal(x: ndarray, /, *, offset: int = 0, queue: Place | None = None) -> ndarray:
    """Find the elements on a diagonal of matrices; a view.

    Parameters
    ----------
    x
        An array of matrices.
    offset
        How many places the diagonal is above the main one.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The diagonals, along the last dimension.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.diagonal(situ.asarray([[1, 2], [3, 4]])).to_numpy()
    array([1, 4])
    """
    if queue is not None:
        x = lend(x, queue)
    return _native.diagonal(x, offset)


def trace(
    x: ndarray,
    /,
    *,
    offset: int = 0,
    dtype: npt.DTypeLike | None = None,
    queue: Place | None = None,
) -> ndarray:
    """Add up the elements on a diagonal of matrices.

    Parameters
    ----------
    x
        An array of matrices.
    offset
        How many places the diagonal is above the main one.
    dtype
        Element type of the result; by default 64 bits for integers and bools, else that of `x`.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The sums.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.trace(situ.asarray([[1, 2], [3, 4]])).item()
    5
    """
    return _statistical.sum(_native.diagonal(x, offset), axis=-1, dtype=dtype, queue=queue)


@takes_arrays
def outer(x1: ndarray, x2: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Multiply each element of one vector with each of another.

    Parameters
    ----------
    x1, x2
        Arrays with one dimension.
    queue
        What runs it: a queue from which both are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A matrix, with a row for each element of `x1` and a column for each of `x2`.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.outer(situ.asarray([1, 2]), situ.asarray([3, 4, 5])).to_numpy()
    array([[ 3,  4,  5],
           [ 6,  8, 10]])
    """
    if x1.ndim != 1 or x2.ndim != 1:
        message = (
            f"`outer` needs arrays with one dimension, not shapes {x1.shape} and {x2.shape}\n"
            "  help: flatten them, e.g. with `x.reshape(-1)`; `situ.outer` does so"
        )
        raise ShapeError(message)
    return _outer_of_all(x1, x2, queue=queue)


def on(queue: Place | None = None) -> BoundModule:
    """Return this module with all its functions bound to a queue.

    Parameters
    ----------
    queue
        A queue, or what says where: a filter string, device or array. By default the current
        default queue.

    Returns
    -------
    BoundModule
        Its functions run on that queue, and take any mix of arrays, as those of
        `situ.offload_to` do.

    Examples
    --------
    >>> import numpy as np
    >>> import situ
    >>> lapack = situ.linalg.on("reference")
    >>> lapack.svdvals(np.diag([1.0, 2.0])).queue == lapack.queue
    True
    """
    return on_queue(sys.modules[__name__], queue)
