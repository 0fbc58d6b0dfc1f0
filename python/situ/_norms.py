"""Norms of vectors and matrices, and condition numbers. Public names are in `situ.linalg`."""

import math
from collections.abc import Sequence
from typing import Literal, cast

import numpy as np

from situ import _elementwise, _native, _statistical
from situ._array_arguments import takes_arrays
from situ._axes import counted_axes
from situ._creation import eye
from situ._decompositions import inv, slogdet, svdvals
from situ._linear_algebra import vecdot
from situ._manipulation import moveaxis, reshape
from situ._matrix_shapes import check_matrices, check_square
from situ._native import ndarray
from situ._queue_manager import Place
from situ.exceptions import LinAlgError, ShapeError

VectorOrder = int | float
MatrixOrder = int | float | Literal["fro", "nuc"]


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
    try:
        float(ord)
    except (TypeError, ValueError):
        msg = (
            f"there is no vector norm of order {ord!r}\n"
            "  why:  it is the exponent in a sum of powers\n"
            "  help: use a number, such as 1, 2 or `situ.inf`; "
            '`linalg.matrix_norm` has "fro" and "nuc"'
        )
        raise ValueError(msg) from None
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
        axes = counted_axes(named, x.ndim)
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
        return _largest(sizes, queue)
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
    check_matrices("matrix_norm", x)
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
    if order in (2, -2):
        sizes = svdvals(x, queue=queue)
    else:
        axis = -2 if order in (1, -1) else -1
        sizes = _statistical.sum(_elementwise.abs(x, queue=queue), axis=axis, queue=queue)
    if cast("float", order) > 0:
        return _largest(sizes, queue)
    return _statistical.min(sizes, axis=-1, queue=queue)


def _largest(sizes: ndarray, queue: Place | None) -> ndarray:
    """Return the largest of some magnitudes along the last axis, which is 0 if there are none."""
    if sizes.shape[-1] == 0:
        return _statistical.sum(sizes, axis=-1, queue=queue)
    return _statistical.max(sizes, axis=-1, queue=queue)


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

    Raises
    ------
    LinAlgError
        The matrices have no elements.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.cond(situ.asarray([[1.0, 0.0], [0.0, 4.0]])).item()
    4.0
    """
    check_matrices("cond", x)
    if 0 in x.shape[-2:]:
        message = (
            f"`cond` is not defined for matrices of shape {x.shape[-2:]}\n"
            "  why:  a matrix without elements has no largest singular value\n"
            "  help: check the shape of the array first"
        )
        raise LinAlgError(message)
    if p in (None, 2, -2):
        values = svdvals(x, queue=queue)
        large, small = values[..., 0], values[..., -1]
        if p == -2:
            large, small = small, large
        numbers = _elementwise.divide(large, small, queue=queue)
    else:
        check_square("cond", x)
        is_singular = _elementwise.equal(slogdet(x, queue=queue).sign, 0, queue=queue)
        one = eye(x.shape[-1], dtype=x.dtype, queue=queue or x.queue, usm_type=x.usm_type)
        is_replaced = reshape(is_singular, (*is_singular.shape, 1, 1))
        regular = _elementwise.where(is_replaced, one, x, queue=queue)
        inverse = matrix_norm(inv(regular, queue=queue), ord=p, queue=queue)
        inverse = _elementwise.where(is_singular, math.inf, inverse, queue=queue)
        size = matrix_norm(x, ord=p, queue=queue)
        numbers = _elementwise.multiply(size, inverse, queue=queue)
    return _infinite_without_nan(numbers, x, queue)


def _infinite_without_nan(numbers: ndarray, x: ndarray, queue: Place | None) -> ndarray:
    """Return infinity for the NaN of matrices that have none: a zero divided by zero."""
    has_nan = _statistical.any(_elementwise.isnan(x, queue=queue), axis=(-2, -1), queue=queue)
    is_new = _elementwise.greater(_elementwise.isnan(numbers, queue=queue), has_nan, queue=queue)
    return _elementwise.where(is_new, math.inf, numbers, queue=queue)
