"""Functions of matrices by decompositions and products: ranks, pseudo-inverses, powers, fits.

They run where the data is, but for the decompositions in them. Public names are in `situ.linalg`.
"""

import math
import operator
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from situ import _elementwise, _native, _statistical
from situ._array_arguments import takes_arrays
from situ._creation import eye
from situ._decompositions import inv
from situ._linear_algebra import matmul, matrix_transpose
from situ._manipulation import broadcast_to, reshape
from situ._matrix_shapes import check_square
from situ._native import ndarray
from situ._queue_manager import Place
from situ.exceptions import LinAlgError


class LstsqResult(NamedTuple):
    """A solution in the sense of least squares, and what is known about it."""

    x: ndarray
    residuals: ndarray
    rank: int
    s: ndarray


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
    check_square("matrix_power", x)
    try:
        n = operator.index(n)
    except TypeError:
        msg = (
            f"`matrix_power` has no power {n!r}\n"
            "  why:  a matrix is multiplied with itself a whole number of times\n"
            "  help: use an integer; `linalg.eigh` gives eigenvalues, which have any power"
        )
        raise TypeError(msg) from None
    if n == 0:
        size = x.shape[-1]
        one = eye(size, dtype=x.dtype, queue=queue or x.queue, usm_type=x.usm_type)
        return broadcast_to(one, x.shape).copy()
    factor = x if n > 0 else inv(x, queue=queue)
    exponent = abs(n)
    power: ndarray | None = None
    while exponent:
        if exponent % 2:
            power = factor if power is None else matmul(power, factor, queue=queue)
        exponent //= 2
        if exponent:
            factor = matmul(factor, factor, queue=queue)
    assert power is not None, "the exponent is not zero"
    return power.copy() if power is x else power


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
