"""Decompositions, norms and solutions: the standard's `linalg` extension, and NumPy's.

Matrices are in the last two dimensions of an array, and functions work on all of them.
Decompositions are computed on the host, in turn with the work of the array's queue; memory that the
host does not reach is copied there and back. Their matrices share the threads of the native
device. Everything else (norms, products, powers) runs where the data is.

Integers and bools are converted to floats of the device's default width, as NumPy does.
"""

import math
import sys
from collections.abc import Sequence
from typing import Literal, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from situ import _elementwise, _native, _statistical
from situ._array_arguments import takes_arrays
from situ._creation import eye, full
from situ._linear_algebra import (
    cross,
    matmul,
    matrix_transpose,
    tensordot,
    vecdot,
)
from situ._linear_algebra import outer as _outer_of_all
from situ._manipulation import broadcast_to, moveaxis, reshape
from situ._native import ndarray
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

VectorOrder = int | float
MatrixOrder = int | float | Literal["fro", "nuc"]


class EighResult(NamedTuple):
    """Eigenvalues and eigenvectors of Hermitian matrices."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class EigResult(NamedTuple):
    """Eigenvalues and eigenvectors."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class QRResult(NamedTuple):
    """Orthogonal and triangular factors."""

    Q: ndarray
    R: ndarray


class SlogdetResult(NamedTuple):
    """Signs of determinants, and logarithms of their magnitudes."""

    sign: ndarray
    logabsdet: ndarray


class SVDResult(NamedTuple):
    """Singular vectors and values."""

    U: ndarray
    S: ndarray
    Vh: ndarray


class LstsqResult(NamedTuple):
    """A solution in the sense of least squares, and what is known about it."""

    x: ndarray
    residuals: ndarray
    rank: int
    s: ndarray


def cholesky(x: ndarray, /, *, upper: bool = False, queue: Place | None = None) -> ndarray:
    """Decompose Hermitian, positive definite matrices into a triangular matrix and its adjoint.

    Only the lower triangles are read, or with `upper` the upper ones.

    Parameters
    ----------
    x
        An array of square matrices.
    upper
        Whether the result is upper triangular.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        ``L`` with ``x = L @ conj(L.mT)``, or ``U`` with ``x = conj(U.mT) @ U``.

    Raises
    ------
    LinAlgError
        A matrix is not positive definite.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.cholesky(situ.asarray([[4.0, 2.0], [2.0, 5.0]])).to_numpy()
    array([[2., 0.],
           [1., 2.]])
    """
    return _native.cholesky(x, upper=upper, queue=queue)


def qr(
    x: ndarray,
    /,
    mode: Literal["reduced", "complete", "r"] = "reduced",
    *,
    queue: Place | None = None,
) -> QRResult | ndarray:
    """Decompose matrices into orthonormal columns and an upper triangular matrix.

    Parameters
    ----------
    x
        An array of matrices.
    mode
        How many columns ``Q`` has: ``"reduced"`` for those that are needed, ``"complete"`` for a
        square matrix. With ``"r"`` only ``R`` is returned, as NumPy does.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    QRResult
        The fields ``Q`` and ``R``, with ``x = Q @ R``.

    Examples
    --------
    >>> import situ
    >>> Q, R = situ.linalg.qr(situ.asarray([[3.0, 1.0], [4.0, 2.0]]))
    >>> (Q @ R).to_numpy().round(12)
    array([[3., 1.],
           [4., 2.]])
    """
    q, r = _native.qr(x, mode="reduced" if mode == "r" else mode, queue=queue)
    return r if mode == "r" else QRResult(q, r)


def det(x: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Compute determinants.

    Parameters
    ----------
    x
        An array of square matrices.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The determinants.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.det(situ.asarray([[2.0, 1.0], [4.0, 5.0]])).item()
    6.0
    """
    return _native.det(x, queue=queue)


def slogdet(x: ndarray, /, *, queue: Place | None = None) -> SlogdetResult:
    """Compute determinants that may be too large or too small for a float.

    Parameters
    ----------
    x
        An array of square matrices.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    SlogdetResult
        The fields ``sign``, numbers of magnitude one or zero, and ``logabsdet``; the determinants
        are ``sign * exp(logabsdet)``.

    Examples
    --------
    >>> import situ
    >>> sign, logabsdet = situ.linalg.slogdet(situ.asarray([[0.0, 1.0], [1.0, 0.0]]))
    >>> sign.item(), logabsdet.item()
    (-1.0, 0.0)
    """
    return SlogdetResult(*_native.slogdet(x, queue=queue))


def inv(x: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Invert matrices.

    Parameters
    ----------
    x
        An array of square matrices.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The inverses.

    Raises
    ------
    LinAlgError
        A matrix is singular.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.inv(situ.asarray([[2.0, 0.0], [0.0, 4.0]])).to_numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return _native.inv(x, queue=queue)


def solve(x1: ndarray, x2: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Solve systems of linear equations.

    Parameters
    ----------
    x1
        An array of square matrices.
    x2
        The right sides: one vector if it has one dimension, and otherwise columns of matrices. The
        dimensions before the matrices broadcast.
    queue
        What runs it: a queue from which both are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The ``x`` with ``x1 @ x = x2``.

    Raises
    ------
    LinAlgError
        A matrix is singular.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([[2.0, 0.0], [0.0, 4.0]])
    >>> situ.linalg.solve(x, situ.asarray([2.0, 2.0])).to_numpy()
    array([1. , 0.5])
    """
    return _native.solve(x1, x2, queue=queue)


def eigh(x: ndarray, /, UPLO: Literal["L", "U"] = "L", *, queue: Place | None = None) -> EighResult:
    """Find eigenvalues and eigenvectors of Hermitian matrices.

    Parameters
    ----------
    x
        An array of square matrices.
    UPLO
        Which triangle is read: the lower one, ``"L"``, or the upper one, ``"U"``.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    EighResult
        The fields ``eigenvalues``, in ascending order, and ``eigenvectors``, as columns.

    Raises
    ------
    LinAlgError
        An element is NaN or infinite.

    Examples
    --------
    >>> import situ
    >>> values, vectors = situ.linalg.eigh(situ.asarray([[0.0, 1.0], [1.0, 0.0]]))
    >>> values.to_numpy().round(12)
    array([-1.,  1.])
    """
    values, vectors = _native.eigh(x, upper=_is_upper(UPLO), vectors=True, queue=queue)
    return EighResult(values, cast("ndarray", vectors))


def eigvalsh(
    x: ndarray, /, UPLO: Literal["L", "U"] = "L", *, queue: Place | None = None
) -> ndarray:
    """Find eigenvalues of Hermitian matrices.

    Parameters
    ----------
    x
        An array of square matrices.
    UPLO
        Which triangle is read: the lower one, ``"L"``, or the upper one, ``"U"``.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The eigenvalues in ascending order.

    Raises
    ------
    LinAlgError
        An element is NaN or infinite.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.eigvalsh(situ.asarray([[0.0, 1.0], [1.0, 0.0]])).to_numpy().round(12)
    array([-1.,  1.])
    """
    return _native.eigh(x, upper=_is_upper(UPLO), vectors=False, queue=queue)[0]


def _is_upper(triangle: str) -> bool:
    if triangle not in ("L", "U"):
        message = f'`UPLO` is "L" or "U", not {triangle!r}'
        raise ValueError(message)
    return triangle == "U"


def eig(x: ndarray, /, *, queue: Place | None = None) -> EigResult:
    """Find eigenvalues and eigenvectors of matrices.

    Parameters
    ----------
    x
        An array of square matrices.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    EigResult
        The fields ``eigenvalues``, in no particular order, and ``eigenvectors``, columns of length
        one. They are complex in any case.

    Raises
    ------
    LinAlgError
        An element is NaN or infinite.

    Notes
    -----
    The dtype follows from that of `x` alone, as the array API standard has it. NumPy looks at the
    eigenvalues, and gives floats if all of them are real.

    Examples
    --------
    >>> import situ
    >>> values, vectors = situ.linalg.eig(situ.asarray([[0.0, -1.0], [1.0, 0.0]]))
    >>> sorted(values.to_numpy().imag.round(12).tolist())
    [-1.0, 1.0]
    """
    values, vectors = _native.eig(x, vectors=True, queue=queue)
    return EigResult(values, cast("ndarray", vectors))


def eigvals(x: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Find eigenvalues of matrices.

    Parameters
    ----------
    x
        An array of square matrices.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The eigenvalues, in no particular order. They are complex in any case.

    Raises
    ------
    LinAlgError
        An element is NaN or infinite.

    Notes
    -----
    The dtype follows from that of `x` alone, as the array API standard has it. NumPy looks at the
    eigenvalues, and gives floats if all of them are real.

    Examples
    --------
    >>> import situ
    >>> values = situ.linalg.eigvals(situ.asarray([[2.0, 1.0], [0.0, 3.0]])).to_numpy()
    >>> sorted(values.real.tolist())
    [2.0, 3.0]
    """
    return _native.eig(x, vectors=False, queue=queue)[0]


def svd(x: ndarray, /, full_matrices: bool = True, *, queue: Place | None = None) -> SVDResult:
    """Decompose matrices into singular values and vectors.

    Parameters
    ----------
    x
        An array of matrices.
    full_matrices
        Whether ``U`` and ``Vh`` are square, or only have as many vectors as there are values.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    SVDResult
        The fields ``U``, with columns of length one, ``S``, in descending order, and ``Vh``, with
        rows of length one: ``x = (U * S) @ Vh``.

    Raises
    ------
    LinAlgError
        An element is NaN or infinite.

    Examples
    --------
    >>> import situ
    >>> U, S, Vh = situ.linalg.svd(situ.asarray([[3.0, 0.0], [0.0, 5.0]]))
    >>> S.to_numpy().round(12)
    array([5., 3.])
    """
    return SVDResult(*_native.svd(x, full_matrices=full_matrices, queue=queue))


def svdvals(x: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Find singular values of matrices.

    Parameters
    ----------
    x
        An array of matrices.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The singular values in descending order.

    Raises
    ------
    LinAlgError
        An element is NaN or infinite.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.svdvals(situ.asarray([[3.0, 0.0], [0.0, 5.0]])).to_numpy().round(12)
    array([5., 3.])
    """
    return _native.svdvals(x, queue=queue)


def _cutoff(
    x: ndarray, singular_values: ndarray, rtol: float | ndarray | None, queue: Place | None
) -> ndarray:
    """Return which singular values count as larger than zero, which is a matter of rounding."""
    largest = _statistical.max(singular_values, axis=-1, keepdims=True, queue=queue)
    if rtol is None:
        rtol = max(x.shape[-2:]) * float(np.finfo(singular_values.dtype).eps)
    elif isinstance(rtol, ndarray):
        rtol = reshape(rtol, (*rtol.shape, 1))
    return _elementwise.greater(
        singular_values, _elementwise.multiply(largest, rtol, queue=queue), queue=queue
    )


@takes_arrays
def matrix_rank(
    x: ndarray, /, *, rtol: float | ndarray | None = None, queue: Place | None = None
) -> ndarray:
    """Count singular values that are not zero.

    Parameters
    ----------
    x
        An array of matrices.
    rtol
        Singular values up to this part of the largest count as zero. By default it is the larger
        side of the matrices times the distance of 1 from the next number of their dtype.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The ranks, as ``int64``.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.matrix_rank(situ.asarray([[1.0, 2.0], [2.0, 4.0]])).item()
    1
    """
    values = _native.svdvals(x, queue=queue)
    if values.shape[-1] == 0:
        return _statistical.count_nonzero(values, axis=-1, queue=queue)
    return _statistical.count_nonzero(_cutoff(x, values, rtol, queue), axis=-1, queue=queue)


@takes_arrays
def pinv(
    x: ndarray,
    /,
    rcond: float | ndarray | None = None,
    *,
    rtol: float | ndarray | None = None,
    queue: Place | None = None,
) -> ndarray:
    """Compute pseudo-inverses, which every matrix has.

    Parameters
    ----------
    x
        An array of matrices.
    rcond
        NumPy's name of `rtol`.
    rtol
        Singular values up to this part of the largest count as zero; see `matrix_rank`.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The pseudo-inverses.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.pinv(situ.asarray([[2.0, 0.0], [0.0, 0.0]])).to_numpy().round(12)
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    u, s, vh = _native.svd(x, full_matrices=False, queue=queue)
    if s.shape[-1]:
        counts = _cutoff(x, s, rcond if rtol is None else rtol, queue)
        inverse = _elementwise.where(
            counts, _elementwise.divide(1.0, s, queue=queue), 0.0, queue=queue
        )
        u = _elementwise.multiply(u, reshape(inverse, (*s.shape[:-1], 1, s.shape[-1])), queue=queue)
    return _adjoint(matmul(u, vh, queue=queue), queue)


def _adjoint(x: ndarray, queue: Place | None) -> ndarray:
    transposed = matrix_transpose(x)
    return _elementwise.conj(transposed, queue=queue) if x.dtype.kind == "c" else transposed


@takes_arrays
def matrix_power(x: ndarray, n: int, /, *, queue: Place | None = None) -> ndarray:
    """Multiply square matrices with themselves.

    Parameters
    ----------
    x
        An array of square matrices.
    n
        How often. Zero gives the identity, and less than zero powers of the inverse.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The powers.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.matrix_power(situ.asarray([[1, 1], [1, 0]]), 10).to_numpy()
    array([[89, 55],
           [55, 34]])
    """
    _check_square("matrix_power", x)
    if n == 0:
        size = x.shape[-1]
        one = eye(size, dtype=x.dtype, queue=queue or x.queue, usm_type=x.usm_type)
        return broadcast_to(one, x.shape).copy()
    factor = x if n > 0 else inv(x, queue=queue)
    exponent = abs(int(n))
    power: ndarray | None = None
    while exponent:
        if exponent % 2:
            power = factor if power is None else matmul(power, factor, queue=queue)
        exponent //= 2
        if exponent:
            factor = matmul(factor, factor, queue=queue)
    assert power is not None, "the exponent is not zero"
    return power.copy() if power is x else power


def _check_matrices(name: str, x: ndarray) -> None:
    if x.ndim < 2:
        message = (
            f"`{name}` needs matrices, but the array has {x.ndim} dimensions\n"
            "  why:  matrices are in the last two dimensions\n"
            "  help: add dimensions, e.g. with `x[None, :]`"
        )
        raise LinAlgError(message)


def _check_square(name: str, x: ndarray) -> None:
    _check_matrices(name, x)
    if x.shape[-1] != x.shape[-2]:
        message = (
            f"`{name}` needs square matrices, not {x.shape[-2]} rows and {x.shape[-1]} columns\n"
            f"  why:  the array has the shape {x.shape}, and its matrices are in the last two "
            "dimensions\n"
            "  help: transpose or slice it"
        )
        raise LinAlgError(message)


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


@takes_arrays
def vector_norm(
    x: ndarray,
    /,
    *,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    ord: VectorOrder = 2,
    queue: Place | None = None,
) -> ndarray:
    """Measure the length of vectors.

    Parameters
    ----------
    x
        An array.
    axis
        The axis along which the vectors lie. With several axes, or all by default, what lies along
        them is one vector.
    keepdims
        Whether these axes stay, with size one.
    ord
        Which norm: the largest magnitude for ``inf``, the smallest for ``-inf``, the number of
        elements that are not zero for 0, and otherwise the root of the sum of powers.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The norms, as real floats.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.vector_norm(situ.asarray([3.0, -4.0])).item()
    5.0
    """
    x = _as_float(x)
    vectors, shape = _flattened(x, axis, keepdims)
    return reshape(_norms(vectors, ord, queue), shape)


def _as_float(x: ndarray) -> ndarray:
    return x if x.dtype.kind in "fc" else x.astype(_native.default_float(device=x.queue))


def _flattened(
    x: ndarray, axis: int | Sequence[int] | None, keepdims: bool
) -> tuple[ndarray, tuple[int, ...]]:
    """Return `x` with all the axes as one at the end, and the shape of what is left of it."""
    if axis is None:
        axes = tuple(range(x.ndim))
    else:
        named = (axis,) if isinstance(axis, int) else tuple(axis)
        for each in named:
            if not -x.ndim <= each < x.ndim:
                message = f"axis {each} is out of bounds for an array of {x.ndim} dimensions"
                raise np.exceptions.AxisError(message)
        axes = tuple(each % x.ndim for each in named)
        if len(set(axes)) != len(axes):
            message = f"an axis of {named} is named twice"
            raise ShapeError(message)
    kept = [size for each, size in enumerate(x.shape) if each not in axes]
    length = math.prod(x.shape[each] for each in axes)
    moved = moveaxis(x, axes, tuple(range(x.ndim - len(axes), x.ndim)))
    shape = [1 if each in axes else size for each, size in enumerate(x.shape)]
    return reshape(moved, (*kept, length)), tuple(shape if keepdims else kept)


def _norms(vectors: ndarray, order: VectorOrder, queue: Place | None) -> ndarray:
    """Return the norms of vectors along the last axis."""
    dtype = vectors.dtype
    if order == 2 and dtype != np.float16:
        squares = vecdot(vectors, vectors, queue=queue)
        if dtype.kind == "c":
            squares = _elementwise.real(squares, queue=queue)
        return _elementwise.sqrt(squares, queue=queue)
    sizes = _elementwise.abs(vectors, queue=queue)
    if order == math.inf:
        return _statistical.max(sizes, axis=-1, queue=queue)
    if order == -math.inf:
        return _statistical.min(sizes, axis=-1, queue=queue)
    if order == 0:
        counts = _statistical.count_nonzero(sizes, axis=-1, queue=queue)
        return counts.astype(sizes.dtype)
    if order == 1:
        return _statistical.sum(sizes, axis=-1, queue=queue)
    if dtype == np.float16:
        # Powers of half precision would overflow where norms do not.
        return _norms(sizes.astype(np.float32), order, queue).astype(dtype)
    powers = _elementwise.pow(sizes, float(order), queue=queue)
    total = _statistical.sum(powers, axis=-1, queue=queue)
    return _elementwise.pow(total, 1.0 / order, queue=queue)


@takes_arrays
def matrix_norm(
    x: ndarray,
    /,
    *,
    keepdims: bool = False,
    ord: MatrixOrder | None = "fro",
    queue: Place | None = None,
) -> ndarray:
    """Measure the size of matrices.

    Parameters
    ----------
    x
        An array of matrices.
    keepdims
        Whether the last two dimensions stay, with size one.
    ord
        Which norm: ``"fro"`` for the root of the sum of squares, ``"nuc"`` for the sum of singular
        values, 2 and -2 for the largest and smallest of them, 1 and -1 for the largest and smallest
        sum of magnitudes in a column, ``inf`` and ``-inf`` for those in a row.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The norms, as real floats.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.matrix_norm(situ.asarray([[1.0, -2.0], [3.0, 4.0]]), ord=1).item()
    6.0
    """
    _check_matrices("matrix_norm", x)
    x = _as_float(x)
    norms = _matrix_norms(x, "fro" if ord is None else ord, queue)
    return reshape(norms, (*norms.shape, 1, 1)) if keepdims else norms


def _matrix_norms(x: ndarray, order: MatrixOrder, queue: Place | None) -> ndarray:
    if order == "fro":
        return vector_norm(x, axis=(-2, -1), queue=queue)
    if order == "nuc":
        return _statistical.sum(svdvals(x, queue=queue), axis=-1, queue=queue)
    if order not in (1, -1, 2, -2, math.inf, -math.inf):
        message = (
            f"there is no matrix norm of order {order!r}\n"
            '  help: use "fro", "nuc", 1, -1, 2, -2, inf or -inf'
        )
        raise ValueError(message)
    extreme = _statistical.max if cast("float", order) > 0 else _statistical.min
    if order in (2, -2):
        return extreme(svdvals(x, queue=queue), axis=-1, queue=queue)
    sizes = _elementwise.abs(x, queue=queue)
    axis = -2 if order in (1, -1) else -1
    return extreme(_statistical.sum(sizes, axis=axis, queue=queue), axis=-1, queue=queue)


@takes_arrays
def norm(
    x: ndarray,
    /,
    ord: MatrixOrder | None = None,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Measure vectors or matrices, as NumPy's `norm` does.

    Parameters
    ----------
    x
        An array.
    ord
        Which norm; see `vector_norm` and `matrix_norm`. By default the root of the sum of squares.
    axis
        One axis for vectors, two for matrices. Without any, an array of one or two dimensions is a
        vector or a matrix, and with neither axis nor order all elements are one vector.
    keepdims
        Whether these axes stay, with size one.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The norms, as real floats.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.norm(situ.asarray([[3.0, 0.0], [0.0, 4.0]])).item()
    5.0
    """
    if axis is None:
        if ord is None:
            return vector_norm(x, keepdims=keepdims, queue=queue)
        axes = tuple(range(x.ndim))
    else:
        axes = (axis,) if isinstance(axis, int) else tuple(axis)
    if len(axes) == 1:
        if isinstance(ord, str):
            message = f"there is no vector norm of order {ord!r}\n  help: use a number or inf"
            raise ValueError(message)
        order = 2 if ord is None else ord
        return vector_norm(x, axis=axes, keepdims=keepdims, ord=order, queue=queue)
    if len(axes) != 2:
        message = (
            f"a norm of order {ord!r} needs one axis or two, not {len(axes)}\n"
            "  help: name them with `axis=`"
        )
        raise ShapeError(message)
    matrices = moveaxis(x, axes, (-2, -1))
    norms = matrix_norm(matrices, ord=ord, queue=queue)
    if not keepdims:
        return norms
    counted = [each % x.ndim for each in axes]
    return reshape(norms, [1 if i in counted else size for i, size in enumerate(x.shape)])


@takes_arrays
def cond(x: ndarray, /, p: MatrixOrder | None = None, *, queue: Place | None = None) -> ndarray:
    """Compute how much errors grow when equations with a matrix are solved.

    Parameters
    ----------
    x
        An array of matrices; square ones for any other norm than 2 and -2.
    p
        Which norm, by default 2; see `matrix_norm`.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The norms of the matrices times those of their inverses; infinite for singular matrices.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.cond(situ.asarray([[1.0, 0.0], [0.0, 4.0]])).item()
    4.0
    """
    if p in (None, 2, -2):
        values = svdvals(x, queue=queue)
        large, small = values[..., 0], values[..., -1]
        if p == -2:
            large, small = small, large
        return _elementwise.divide(large, small, queue=queue)
    _check_square("cond", x)
    size = matrix_norm(x, ord=p, queue=queue)
    try:
        inverse = inv(x, queue=queue)
    except LinAlgError:
        if x.ndim > 2:
            raise
        return full((), math.inf, dtype=size.dtype, queue=x.queue, usm_type=x.usm_type)
    return _elementwise.multiply(size, matrix_norm(inverse, ord=p, queue=queue), queue=queue)


@takes_arrays
def lstsq(
    x1: ndarray, x2: ndarray, /, rcond: float | None = None, *, queue: Place | None = None
) -> LstsqResult:
    """Solve linear equations so that the sum of squared errors is as small as possible.

    Parameters
    ----------
    x1
        A matrix, of any shape and rank.
    x2
        The right sides: a vector, or columns of a matrix.
    rcond
        Singular values up to this part of the largest count as zero; see `matrix_rank`.
    queue
        What runs it: a queue from which both are accessible. By default that of the arrays.

    Returns
    -------
    LstsqResult
        The fields ``x``, the shortest of the solutions; ``residuals``, the sums of squared errors,
        empty if the rank is not that of the columns, or there are no more rows than columns;
        ``rank``; and ``s``, the singular values.

    Examples
    --------
    >>> import situ
    >>> x1 = situ.asarray([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> situ.linalg.lstsq(x1, situ.asarray([1.0, 3.0, 5.0])).x.to_numpy().round(12)
    array([1., 2.])
    """
    if x1.ndim != 2 or x2.ndim not in (1, 2) or x1.shape[0] != x2.shape[0]:
        message = (
            f"cannot solve equations with a matrix of shape {x1.shape} and right sides of shape "
            f"{x2.shape}\n"
            "  why:  there are as many right sides as rows of the matrix\n"
            "  help: right sides are a vector, or columns of a matrix"
        )
        raise LinAlgError(message)
    rows, columns = x1.shape
    right = reshape(x2, (rows, math.prod(x2.shape[1:])))
    u, s, vh = _native.svd(x1, full_matrices=False, queue=queue)
    if s.shape[-1]:
        counts = _cutoff(x1, s, rcond, queue)
        rank = int(_statistical.count_nonzero(counts, queue=queue))
        inverse = _elementwise.where(
            counts, _elementwise.divide(1.0, s, queue=queue), 0.0, queue=queue
        )
    else:
        rank, inverse = 0, s
    within = matmul(_adjoint(u, queue), right, queue=queue)
    scaled = _elementwise.multiply(within, reshape(inverse, (s.shape[-1], 1)), queue=queue)
    solution = matmul(_adjoint(vh, queue), scaled, queue=queue)
    if rank == columns and rows > columns:
        errors = _elementwise.subtract(right, matmul(x1, solution, queue=queue), queue=queue)
        sizes = _elementwise.abs(errors, queue=queue)
        residuals = _statistical.sum(_elementwise.square(sizes, queue=queue), axis=0, queue=queue)
    else:
        residuals = s[:0].copy()
    return LstsqResult(reshape(solution, (columns, *x2.shape[1:])), residuals, rank, s)


@takes_arrays
def multi_dot(arrays: Sequence[ndarray], /, *, queue: Place | None = None) -> ndarray:
    """Multiply several matrices in the order that takes the fewest multiplications.

    Parameters
    ----------
    arrays
        At least two matrices. The first may be a vector, which is a row, and so may the last, which
        is a column.
    queue
        What runs it: a queue from which all are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        Their product.

    Examples
    --------
    >>> import situ
    >>> x = situ.ones((2, 100))
    >>> situ.linalg.multi_dot([x, situ.ones((100, 100)), situ.ones((100, 3))]).shape
    (2, 3)
    """
    if len(arrays) < 2:
        message = f"`multi_dot` needs at least two arrays, not {len(arrays)}"
        raise ValueError(message)
    matrices = list(arrays)
    is_row, is_column = matrices[0].ndim == 1, matrices[-1].ndim == 1
    if is_row:
        matrices[0] = reshape(matrices[0], (1, matrices[0].size))
    if is_column:
        matrices[-1] = reshape(matrices[-1], (matrices[-1].size, 1))
    for x in matrices:
        if x.ndim != 2:
            message = f"`multi_dot` needs matrices, but an array has {x.ndim} dimensions"
            raise LinAlgError(message)
    sizes = [matrices[0].shape[0], *(x.shape[1] for x in matrices)]
    product = _multiplied(matrices, _best_cuts(sizes), 0, len(matrices) - 1, queue)
    shape = product.shape[is_row : 2 - is_column]
    return reshape(product, shape)


def _best_cuts(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Return for each run of matrices after which one to cut it in two."""
    count = len(sizes) - 1
    costs = dict.fromkeys(((i, i) for i in range(count)), 0)
    cuts: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for start in range(count - length):
            end = start + length
            choices = {
                cut: costs[start, cut]
                + costs[cut + 1, end]
                + sizes[start] * sizes[cut + 1] * sizes[end + 1]
                for cut in range(start, end)
            }
            cuts[start, end] = min(choices, key=lambda cut: choices[cut])
            costs[start, end] = choices[cuts[start, end]]
    return cuts


def _multiplied(
    matrices: Sequence[ndarray],
    cuts: dict[tuple[int, int], int],
    start: int,
    end: int,
    queue: Place | None,
) -> ndarray:
    if start == end:
        return matrices[start]
    cut = cuts[start, end]
    left = _multiplied(matrices, cuts, start, cut, queue)
    right = _multiplied(matrices, cuts, cut + 1, end, queue)
    return matmul(left, right, queue=queue)


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
