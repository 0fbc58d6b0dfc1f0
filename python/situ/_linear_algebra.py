"""Products of vectors, matrices and tensors.

`matmul` and `vecdot` are computed by situ's native half; the other functions bring their operands
into a form that these two take, by views where memory allows it. So they all run where the data is.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from situ import _elementwise, _native, _statistical
from situ._array_arguments import takes_arrays
from situ._axes import counted_axes
from situ._creation import full
from situ._manipulation import moveaxis, permute_dims, reshape
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place
from situ.exceptions import ShapeError

__all__ = [
    "cross",
    "diag",
    "diagonal",
    "dot",
    "inner",
    "kron",
    "matmul",
    "matrix_transpose",
    "outer",
    "tensordot",
    "trace",
    "vdot",
    "vecdot",
]

# How many axes to contract, or which ones of each operand.
ContractedAxes = int | tuple[int | Sequence[int], int | Sequence[int]]


def matmul(
    x1: ndarray, x2: ndarray, /, out: ndarray | None = None, *, queue: Place | None = None
) -> ndarray:
    """Multiply matrices; the same as ``x1 @ x2``.

    Matrices are in the last two dimensions, and the dimensions before them broadcast. An operand
    with one dimension is a row on the left and a column on the right, and that dimension is left
    out of the result. Integers wrap around, ``float16`` is summed in single precision, and of bools
    the result is whether any pair is true.

    Parameters
    ----------
    x1, x2
        Arrays of at least one dimension.
    out
        Where the result goes; it may be one of the operands.
    queue
        What runs it: a queue from which all arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The products.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([[1, 2], [3, 4]])
    >>> situ.matmul(x, x).to_numpy()
    array([[ 7, 10],
           [15, 22]])
    >>> (x @ situ.asarray([1, 1])).to_numpy()
    array([3, 7])
    """
    return _native.matmul(x1, x2, out=out, queue=queue)


def vecdot(x1: ndarray, x2: ndarray, /, *, axis: int = -1, queue: Place | None = None) -> ndarray:
    """Multiply vectors along an axis and add up; elements of `x1` are conjugated.

    Parameters
    ----------
    x1, x2
        Arrays of at least one dimension, which broadcast.
    axis
        The axis along which the vectors lie, of the same size in both. It counts from the end,
        where the arrays do not have as many dimensions.
    queue
        What runs it: a queue from which both are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The sums.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([[1, 2], [3, 4]])
    >>> situ.vecdot(x, situ.asarray([1, 10])).to_numpy()
    array([21, 43])
    """
    return _native.vecdot(x1, x2, axis, queue=queue)


@takes_arrays
def matrix_transpose(x: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Exchange the last two dimensions; a view.

    Parameters
    ----------
    x
        An array of at least two dimensions.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The transposed matrices.

    Examples
    --------
    >>> import situ
    >>> situ.matrix_transpose(situ.zeros((5, 2, 3))).shape
    (5, 3, 2)
    """
    if queue is not None:
        x = lend(x, queue)
    if x.ndim < 2:
        message = (
            f"`matrix_transpose` needs an array with at least 2 dimensions, not {x.ndim}\n"
            "  help: add dimensions, e.g. with `x[None, :]`"
        )
        raise ShapeError(message)
    return moveaxis(x, -1, -2)


@takes_arrays
def tensordot(
    x1: ndarray,
    x2: ndarray,
    /,
    axes: ContractedAxes = 2,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Multiply tensors and add up along some axes of both.

    Parameters
    ----------
    x1, x2
        Arrays.
    axes
        The axes to add up along, first those of `x1` and then those of `x2`. A number ``n`` means
        the last ``n`` axes of `x1` and the first ``n`` ones of `x2`.
    queue
        What runs it: a queue from which both are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The sums. Its dimensions are the others of `x1`, followed by the others of `x2`.

    Examples
    --------
    >>> import situ
    >>> x = situ.ones((2, 3, 4))
    >>> situ.tensordot(x, situ.ones((4, 3)), axes=((1, 2), (1, 0))).to_numpy()
    array([12., 12.])
    """
    left, right = _contracted(x1, x2, axes)
    sizes = [x1.shape[axis] for axis in left]
    if sizes != [x2.shape[axis] for axis in right]:
        message = (
            f"cannot contract axes {left} of shape {x1.shape} with axes {right} of shape "
            f"{x2.shape}\n"
            "  why:  axes that are contracted with each other have the same size\n"
            "  help: name other axes, or transpose one of the arrays"
        )
        raise ShapeError(message)
    left_kept = [axis for axis in range(x1.ndim) if axis not in left]
    right_kept = [axis for axis in range(x2.ndim) if axis not in right]
    rows = [x1.shape[axis] for axis in left_kept]
    columns = [x2.shape[axis] for axis in right_kept]
    inner = math.prod(sizes)
    first = reshape(permute_dims(x1, (*left_kept, *left)), (math.prod(rows), inner))
    second = reshape(permute_dims(x2, (*right, *right_kept)), (inner, math.prod(columns)))
    return reshape(_native.matmul(first, second, queue=queue), (*rows, *columns))


def _contracted(
    x1: ndarray, x2: ndarray, axes: ContractedAxes
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the axes to contract, counted from the start."""
    if isinstance(axes, tuple | list):
        left, right = axes
        left = (left,) if isinstance(left, int) else tuple(left)
        right = (right,) if isinstance(right, int) else tuple(right)
    else:
        count = int(axes)
        if count < 0 or count > min(x1.ndim, x2.ndim):
            message = (
                f"cannot contract {count} axes of arrays with {x1.ndim} and {x2.ndim} dimensions"
            )
            raise ShapeError(message)
        left, right = tuple(range(x1.ndim - count, x1.ndim)), tuple(range(count))
    if len(left) != len(right):
        message = (
            f"{len(left)} axes of `x1` cannot be contracted with {len(right)} axes of `x2`\n"
            "  help: name as many axes of one as of the other"
        )
        raise ShapeError(message)
    return counted_axes(left, x1.ndim), counted_axes(right, x2.ndim)


@takes_arrays
def dot(
    x1: ndarray, x2: ndarray, /, out: ndarray | None = None, *, queue: Place | None = None
) -> ndarray:
    """Multiply as NumPy's `dot` does.

    Two arrays with one dimension give the sum of their products, and matrices their product. In
    general the last axis of `x1` is contracted with the last but one of `x2`; an operand without
    dimensions multiplies the other. New code is better off with `matmul`, `vecdot` or `tensordot`.

    Parameters
    ----------
    x1, x2
        Arrays.
    out
        Where the result goes.
    queue
        What runs it: a queue from which all arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The product.

    Examples
    --------
    >>> import situ
    >>> situ.dot(situ.asarray([1, 2, 3]), situ.asarray([4, 5, 6])).item()
    32
    """
    if x1.ndim == 0 or x2.ndim == 0:
        return _elementwise.multiply(x1, x2, out=out, queue=queue)
    if x1.ndim <= 2 and x2.ndim <= 2:
        return _native.matmul(x1, x2, out=out, queue=queue)
    product = tensordot(x1, x2, axes=(-1, -2 if x2.ndim > 1 else -1), queue=queue)
    if out is None:
        return product
    return _elementwise.positive(product, out=out, queue=queue)


@takes_arrays
def inner(x1: ndarray, x2: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Multiply and add up along the last axes of both arrays; nothing is conjugated.

    Parameters
    ----------
    x1, x2
        Arrays whose last axes have the same size.
    queue
        What runs it: a queue from which both are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The sums.

    Examples
    --------
    >>> import situ
    >>> situ.inner(situ.asarray([[1, 2], [3, 4]]), situ.asarray([1, 10])).to_numpy()
    array([21, 43])
    """
    if x1.ndim == 0 or x2.ndim == 0:
        return _elementwise.multiply(x1, x2, queue=queue)
    return tensordot(x1, x2, axes=(-1, -1), queue=queue)


@takes_arrays
def vdot(x1: ndarray, x2: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Multiply all elements of two arrays, those of `x1` conjugated, and add up.

    Parameters
    ----------
    x1, x2
        Arrays with as many elements; they are taken in row-major order.
    queue
        What runs it: a queue from which both are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The sum, without dimensions.

    Examples
    --------
    >>> import situ
    >>> situ.vdot(situ.asarray([1j, 2]), situ.asarray([1j, 2])).item()
    (5+0j)
    """
    return _native.vecdot(reshape(x1, (x1.size,)), reshape(x2, (x2.size,)), -1, queue=queue)


@takes_arrays
def outer(
    x1: ndarray, x2: ndarray, /, out: ndarray | None = None, *, queue: Place | None = None
) -> ndarray:
    """Multiply each element of one array with each of another.

    Parameters
    ----------
    x1, x2
        Arrays; they are taken in row-major order.
    out
        Where the result goes.
    queue
        What runs it: a queue from which all arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A matrix, with a row for each element of `x1` and a column for each of `x2`.

    Examples
    --------
    >>> import situ
    >>> situ.outer(situ.asarray([1, 2]), situ.asarray([3, 4, 5])).to_numpy()
    array([[ 3,  4,  5],
           [ 6,  8, 10]])
    """
    column, row = reshape(x1, (x1.size, 1)), reshape(x2, (1, x2.size))
    return _elementwise.multiply(column, row, out=out, queue=queue)


@takes_arrays
def kron(x1: ndarray, x2: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Kronecker's product: blocks of `x2`, one for each element of `x1`, multiplied by it.

    Parameters
    ----------
    x1, x2
        Arrays; the one with fewer dimensions gets new ones in front.
    queue
        What runs it: a queue from which both are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The blocks, side by side.

    Examples
    --------
    >>> import situ
    >>> situ.kron(situ.asarray([1, 10]), situ.asarray([1, 2, 3])).to_numpy()
    array([ 1,  2,  3, 10, 20, 30])
    """
    ndim = max(x1.ndim, x2.ndim)
    left = (1,) * (ndim - x1.ndim) + x1.shape
    right = (1,) * (ndim - x2.ndim) + x2.shape
    outside = [size for pair in zip(left, (1,) * ndim, strict=True) for size in pair]
    inside = [size for pair in zip((1,) * ndim, right, strict=True) for size in pair]
    blocks = _elementwise.multiply(reshape(x1, outside), reshape(x2, inside), queue=queue)
    return reshape(blocks, [a * b for a, b in zip(left, right, strict=True)])


@takes_arrays
def cross(x1: ndarray, x2: ndarray, /, *, axis: int = -1, queue: Place | None = None) -> ndarray:
    """Multiply vectors in space: the result is at right angles to both.

    Parameters
    ----------
    x1, x2
        Arrays, which broadcast, of numbers.
    axis
        The axis along which the vectors lie, of size 3 in both.
    queue
        What runs it: a queue from which both are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The vectors, along the same axis.

    Examples
    --------
    >>> import situ
    >>> situ.cross(situ.asarray([1, 0, 0]), situ.asarray([0, 1, 0])).to_numpy()
    array([0, 0, 1])
    """
    vectors: list[ndarray] = []
    for name, x in (("x1", x1), ("x2", x2)):
        (counted,) = counted_axes((axis,), x.ndim)
        if x.shape[counted] != 3:
            message = (
                f"`cross` needs vectors of 3 elements, but axis {axis} of `{name}` has size "
                f"{x.shape[counted]}\n"
                f"  why:  its shape is {x.shape}\n"
                "  help: name the axis along which the vectors lie"
            )
            raise ShapeError(message)
        vectors.append(moveaxis(x, counted, -1))
    a, b = vectors
    parts: list[ndarray] = []
    for this, other in ((1, 2), (2, 0), (0, 1)):
        product = _elementwise.multiply(a[..., this], b[..., other], queue=queue)
        minus = _elementwise.multiply(a[..., other], b[..., this], queue=queue)
        parts.append(_elementwise.subtract(product, minus, queue=queue))
    return _native.stack(parts, axis, queue=queue)


@takes_arrays
def diagonal(
    x: ndarray, /, offset: int = 0, axis1: int = 0, axis2: int = 1, *, queue: Place | None = None
) -> ndarray:
    """Find the elements on a diagonal; a view.

    Parameters
    ----------
    x
        An array of at least two dimensions.
    offset
        How many places the diagonal is above the main one.
    axis1, axis2
        The dimensions of the matrices: rows and columns.
    queue
        The queue of the result, from which the array is accessible; by default the array's.

    Returns
    -------
    ndarray
        The diagonals, along a last dimension.

    See Also
    --------
    situ.linalg.diagonal : The same for matrices in the last two dimensions.

    Examples
    --------
    >>> import situ
    >>> situ.diagonal(situ.asarray([[1, 2], [3, 4]])).to_numpy()
    array([1, 4])
    """
    if queue is not None:
        x = lend(x, queue)
    return _native.diagonal(_matrices_last(x, axis1, axis2), offset)


@takes_arrays
def trace(
    x: ndarray,
    /,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: npt.DTypeLike | None = None,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Add up the elements on a diagonal.

    Parameters
    ----------
    x
        An array of at least two dimensions.
    offset
        How many places the diagonal is above the main one.
    axis1, axis2
        The dimensions of the matrices: rows and columns.
    dtype
        Element type of the result; by default 64 bits for integers and bools, else that of `x`.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The sums.

    See Also
    --------
    situ.linalg.trace : The same for matrices in the last two dimensions.

    Examples
    --------
    >>> import situ
    >>> situ.trace(situ.asarray([[1, 2], [3, 4]])).item()
    5
    """
    elements = diagonal(x, offset, axis1, axis2)
    return _statistical.sum(elements, axis=-1, dtype=dtype, queue=queue)


def _matrices_last(x: ndarray, axis1: int, axis2: int) -> ndarray:
    if x.ndim < 2:
        message = (
            f"a diagonal needs an array with at least 2 dimensions, not {x.ndim}\n"
            "  help: `situ.diag` makes a matrix with a given diagonal"
        )
        raise ShapeError(message)
    return moveaxis(x, (axis1, axis2), (-2, -1))


@takes_arrays
def diag(x: ndarray, /, k: int = 0, *, queue: Place | None = None) -> ndarray:
    """Make a matrix from its diagonal, or find the diagonal of a matrix.

    Parameters
    ----------
    x
        An array with one dimension, or a matrix.
    k
        How many places the diagonal is above the main one.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A new matrix that is zero elsewhere, or a view of the diagonal.

    Examples
    --------
    >>> import situ
    >>> situ.diag(situ.asarray([1, 2])).to_numpy()
    array([[1, 0],
           [0, 2]])
    """
    if queue is not None:
        x = lend(x, queue)
    if x.ndim == 2:
        return _native.diagonal(x, k)
    if x.ndim != 1:
        message = f"`diag` takes arrays with 1 or 2 dimensions, not {x.ndim}"
        raise ShapeError(message)
    size = x.shape[0] + abs(k)
    zero: Any = x.dtype.type(0).item()
    matrix = full((size, size), zero, dtype=x.dtype, queue=x.queue, usm_type=x.usm_type)
    _native.diagonal(matrix, k)[...] = x
    return matrix
