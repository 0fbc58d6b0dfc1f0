"""Making arrays: from host data, from constants."""

import math
import operator
from collections.abc import Sequence
from typing import Any, Literal, TypeGuard, cast

import numpy as np
import numpy.typing as npt

from situ import _native
from situ._array_arguments import adopted, takes_arrays
from situ._dtypes import DType, int64, uint64
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place, default, named_place
from situ.exceptions import DTypeError, ShapeError

__all__ = [
    "arange",
    "array",
    "asanyarray",
    "asarray",
    "ascontiguousarray",
    "copy",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]

Shape = int | Sequence[int]


def asarray(
    obj: object,
    /,
    *,
    dtype: npt.DTypeLike | None = None,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
    copy: bool | None = None,
) -> ndarray:
    """Bring data to a device.

    Parameters
    ----------
    obj
        A situ array, a NumPy array, anything with the buffer protocol, a DLPack producer in host
        memory, what describes USM memory by ``__sycl_usm_array_interface__`` (arrays of dpnp,
        memory of dpctl), nested sequences (which may contain arrays on devices), a number.
    dtype
        Element type of the result; by default that of the data. Python's floats and complex numbers
        are ``float64`` and ``complex128``, or half of that on devices without the aspect ``fp64``.
    device
        Where to: a filter string such as ``"cpu"``, a device, a queue or an array. By default where
        a situ array is already, otherwise the current default.
    queue
        The queue the result belongs to; another way to say where.
    usm_type
        ``"device"`` (default), ``"shared"`` or ``"host"``.
    copy
        Whether to copy: ``True`` always, ``False`` never (an error if it would be necessary),
        ``None`` only if necessary. A situ array is copied if another context, USM kind or dtype is
        asked for; another queue of the same context needs no copy.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([1.0, 2.0, 3.0])
    >>> (x * 2).to_numpy()
    array([2., 4., 6.])
    """
    # To look at this of an array of ours would give its address away.
    if not isinstance(obj, ndarray | type) and hasattr(obj, "__sycl_usm_array_interface__"):
        obj = _native.from_usm_interface(obj)
    if isinstance(obj, ndarray):
        place = named_place(device, queue)
        return _native.bring(obj, dtype=dtype, device=place, usm_type=usm_type, copy=copy)
    if copy is False:
        msg = (
            "asarray cannot avoid a copy\n"
            "  why:  the data is not an array on a device, and `copy=False` was asked for\n"
            "  help: leave `copy` out; or use memory of the host in place, where the device can, "
            "with `situ.from_dlpack`"
        )
        raise ValueError(msg)
    if _is_sequence(obj):
        placed = _native.placement_of_nested(obj, device=named_place(device, queue))
        if placed is not None:
            device, queue, usm_type = placed[0], None, usm_type or placed[1]
            obj = _to_host(obj)
    place = _place(device, queue)
    host = _host_array(obj, dtype)
    if dtype is None and host.dtype in _WIDE and not _has_dtype(obj):
        default_float = _native.default_float(device=place)
        host = host.astype(np.result_type(default_float, _NARROWEST[host.dtype.kind]), copy=False)
    return _native.from_numpy(host, device=place, usm_type=usm_type)


# The dtypes that not every device has, and the narrowest of their kinds.
_WIDE = (np.dtype(np.float64), np.dtype(np.complex128))
_NARROWEST = {"f": np.float16, "c": np.complex64}


def _has_dtype(obj: object) -> bool:
    """Return whether data brings its own dtype, as Python's numbers do not."""
    return not isinstance(obj, list | tuple | complex | float) or isinstance(obj, np.generic)


def _is_sequence(obj: object) -> TypeGuard[Sequence[object]]:
    return isinstance(obj, list | tuple)


def _to_host(nested: object) -> object:
    """Return nested sequences with NumPy arrays in the place of arrays on devices."""
    nested = adopted(nested)
    if isinstance(nested, ndarray):
        return nested.to_numpy()
    if _is_sequence(nested):
        return [_to_host(item) for item in nested]
    return nested


def _converted(obj: object, dtype: npt.DTypeLike | None) -> npt.NDArray[Any]:
    """Return data as NumPy converts it, or say what to do about it."""
    try:
        return np.asarray(obj, dtype=dtype)
    except OverflowError:
        msg = (
            f"a number of the data does not fit into {np.dtype(dtype)}\n"
            "  why:  new arrays hold their numbers exactly\n"
            '  help: choose a wider dtype, e.g. `dtype="float64"`'
        )
        raise OverflowError(msg) from None
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        msg = (
            "the sequences in the data have different lengths\n"
            "  why:  an array has as many elements in every row\n"
            "  help: fill short rows up, or make an array of each row"
        )
        raise ValueError(msg) from None


def _host_array(obj: object, dtype: npt.DTypeLike | None) -> npt.NDArray[Any]:
    """Return a C-contiguous NumPy array of native byte order and a dtype situ has."""
    if isinstance(obj, bytes):
        # NumPy takes it for a string.
        obj = memoryview(obj)
    if hasattr(obj, "__dlpack__") and not hasattr(obj, "__array__"):
        obj = np.from_dlpack(cast("Any", obj))
    host = _converted(obj, dtype)
    if host.dtype.kind not in "biufc":
        msg = (
            f"situ has no dtype {host.dtype}\n"
            "  why:  arrays hold bools, integers, floats and complex numbers\n"
            "  help: give `dtype=`, or convert the data first"
        )
        raise DTypeError(msg)
    native = host.dtype.newbyteorder("=")
    return np.require(host, dtype=native, requirements="C").reshape(host.shape)


def _place(device: Place | None, queue: Place | None) -> Place | None:
    """Return the place that was named, or else the default that was set; None if neither was."""
    named = named_place(device, queue)
    return default() if named is None else named


# The largest number of elements.
_LARGEST = 2**63 - 1


def _sizes(shape: Shape) -> list[int]:
    if type(shape) is int and 0 <= shape <= _LARGEST:
        return [shape]
    # Asking for the abstract class takes longer than all the rest.
    listed = shape if isinstance(shape, tuple | list | Sequence) else [shape]
    try:
        sizes = [operator.index(size) for size in listed]
    except TypeError:
        msg = (
            f"{shape} is no shape\n"
            "  why:  sizes are integers\n"
            "  help: convert them, e.g. with `int(...)` or `//`"
        )
        raise TypeError(msg) from None
    if any(size < 0 for size in sizes):
        msg = (
            f"{tuple(sizes)} is no shape\n"
            "  why:  sizes are not negative\n"
            "  help: check how the sizes are computed"
        )
        raise ValueError(msg)
    if any(size > _LARGEST for size in sizes):
        msg = (
            f"an array of shape {tuple(sizes)} has more elements than can be counted\n"
            "  why:  positions are numbers of 64 bits\n"
            "  help: check the sizes, or work on smaller pieces"
        )
        raise ShapeError(msg)
    return sizes


def empty(
    shape: Shape,
    dtype: npt.DTypeLike | None = None,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make an array whose elements are undefined.

    Parameters
    ----------
    shape
        Sizes of the dimensions.
    dtype
        Element type; by default ``float64``, or ``float32`` on devices without the aspect ``fp64``.
    device, queue, usm_type
        Where, as for `asarray`.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> situ.empty((2, 3)).shape
    (2, 3)
    """
    place = _place(device, queue)
    return _native.empty(_sizes(shape), dtype=dtype, device=place, usm_type=usm_type)


@takes_arrays
def full(
    shape: Shape,
    fill_value: complex | ndarray,
    dtype: npt.DTypeLike | None = None,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make an array filled with one number.

    Parameters
    ----------
    shape
        Sizes of the dimensions.
    fill_value
        The number, or an array that is repeated to the shape.
    dtype
        Element type; by default that of the number, as for `asarray`.
    device, queue, usm_type
        Where, as for `asarray`; by default where `fill_value` is if it is an array.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> situ.full(3, 7).to_numpy()
    array([7, 7, 7])
    """
    if isinstance(fill_value, ndarray):
        dtype, place, usm_type = _like(fill_value, dtype, named_place(device, queue), usm_type)
        result = _native.empty(_sizes(shape), dtype=dtype, device=place, usm_type=usm_type)
        result[...] = fill_value if result.dtype == fill_value.dtype else fill_value.astype(dtype)
        return result
    if isinstance(fill_value, np.generic | np.ndarray):
        number = np.asarray(fill_value)
        dtype = number.dtype if dtype is None else dtype
        fill_value = cast("complex", fill_value if number.ndim else number.item())
    place = _place(device, queue)
    return _native.full(_sizes(shape), fill_value, dtype=dtype, device=place, usm_type=usm_type)


def zeros(
    shape: Shape,
    dtype: npt.DTypeLike | None = None,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make an array of zeros.

    Parameters
    ----------
    shape
        Sizes of the dimensions.
    dtype
        Element type; by default ``float64``, or ``float32`` on devices without the aspect ``fp64``.
    device, queue, usm_type
        Where, as for `asarray`.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> situ.zeros(2).to_numpy()
    array([0., 0.])
    """
    place = _place(device, queue)
    value = 0.0 if dtype is None else 0
    return _native.full(_sizes(shape), value, dtype=dtype, device=place, usm_type=usm_type)


def ones(
    shape: Shape,
    dtype: npt.DTypeLike | None = None,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make an array of ones.

    Parameters
    ----------
    shape
        Sizes of the dimensions.
    dtype
        Element type; by default ``float64``, or ``float32`` on devices without the aspect ``fp64``.
    device, queue, usm_type
        Where, as for `asarray`.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> situ.ones(2).to_numpy()
    array([1., 1.])
    """
    place = _place(device, queue)
    value = 1.0 if dtype is None else 1
    return _native.full(_sizes(shape), value, dtype=dtype, device=place, usm_type=usm_type)


def _complex_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the complex dtype whose parts hold numbers of a dtype."""
    return np.result_type(dtype, np.complex64)


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: npt.DTypeLike | None = None,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make numbers at even distances, from `start` up to but without `stop`.

    Parameters
    ----------
    start
        The first number; with one argument that is `stop`, and the first number is 0.
    stop
        The end, which is not included.
    step
        The distance.
    dtype
        Element type; by default ``int64`` if all numbers are integers, else ``float64``.
    device, queue, usm_type
        Where, as for `asarray`.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> situ.arange(2, 10, 3).to_numpy()
    array([2, 5, 8])
    """
    if stop is None:
        start, stop = 0, start
    if any(isinstance(each, complex) for each in (start, stop, step)):
        msg = (
            f"`arange` cannot count from {start} to {stop} by {step}\n"
            "  why:  complex numbers have no order\n"
            "  help: multiply or add afterwards, e.g. `1j * situ.arange(3)`"
        )
        raise TypeError(msg)
    if step == 0:
        msg = (
            "`arange` cannot go in steps of zero\n"
            "  why:  it would never reach the end\n"
            "  help: use `full` for equal numbers, or `linspace` for a number of them"
        )
        raise ZeroDivisionError(msg)
    is_whole = isinstance(start, int) and isinstance(stop, int) and isinstance(step, int)
    length = (stop - start) / step if not is_whole else -((start - stop) // step)
    if not math.isfinite(length) or length > _LARGEST:
        msg = (
            f"`arange` from {start} to {stop} by {step} has no length that can be counted\n"
            "  why:  positions are numbers of 64 bits\n"
            "  help: check the ends, or take larger steps"
        )
        raise ShapeError(msg)
    count = max(0, math.ceil(length))
    place = _place(device, queue)
    if not is_whole:
        compute = _native.default_float(device=place)
    else:
        start, step, compute = _wrapped(int(start), int(step), count)
    target = compute if dtype is None else np.dtype(dtype)
    return _native.iota(
        count,
        start,
        step,
        compute=_complex_of(compute) if target.kind == "c" else compute,
        dtype=target,
        device=place,
        usm_type=usm_type,
    )


# The dtypes of whole numbers, with the least and the largest that each holds.
_WHOLE = ((int64, -(2**63), 2**63 - 1), (uint64, 0, 2**64 - 1))


def _wrapped(start: int, step: int, count: int) -> tuple[int, int, DType]:
    """Return integers as they are counted on a device, and the dtype that holds all of them."""
    last = start + max(0, count - 1) * step
    for dtype, least, largest in _WHOLE:
        if least <= start <= largest and least <= last <= largest:
            # A step may be larger than the numbers are, or negative; adding it wraps around.
            wrapped = step % 2**64
            is_negative = least < 0 and wrapped > largest
            return start, wrapped - 2**64 if is_negative else wrapped, dtype
    msg = (
        f"`arange` from {start} to {last} has numbers that no integer dtype holds\n"
        "  why:  integers have at most 64 bits\n"
        "  help: use floats, e.g. `arange(float(start), ...)`"
    )
    raise OverflowError(msg)


@takes_arrays
def linspace(
    start: complex | ndarray,
    stop: complex | ndarray,
    /,
    num: int = 50,
    *,
    dtype: npt.DTypeLike | None = None,
    endpoint: bool = True,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make a number of numbers at even distances between two ends.

    Parameters
    ----------
    start, stop
        The ends. They may be arrays; then each pair of their elements has its numbers, along the
        first axis of the result.
    num
        How many numbers.
    dtype
        Element type; by default ``float64``, or ``complex128`` if an end is complex.
    endpoint
        Whether `stop` is included.
    device, queue, usm_type
        Where, as for `asarray`; by default where the ends are if they are arrays.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> situ.linspace(0, 1, 5).to_numpy()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    try:
        num = operator.index(num)
    except TypeError:
        msg = (
            f"`linspace` cannot make {num!r} numbers\n"
            "  why:  they are counted\n"
            "  help: convert it, e.g. with `int(...)`"
        )
        raise TypeError(msg) from None
    if num < 0:
        msg = (
            f"`linspace` cannot make {num} numbers\n"
            "  why:  there are at least 0\n"
            "  help: check how `num` is computed"
        )
        raise ValueError(msg)
    if isinstance(start, ndarray) or isinstance(stop, ndarray):
        place = named_place(device, queue)
        return _between(start, stop, num, dtype, endpoint, place, usm_type)
    place = _place(device, queue)
    compute = _native.default_float(device=place)
    if isinstance(start, complex) or isinstance(stop, complex):
        compute = _complex_of(compute)
        if dtype is not None and np.dtype(dtype).kind != "c":
            # The imaginary parts are left out at the end, with the warning about that.
            whole = linspace(start, stop, num, endpoint=endpoint, device=place, usm_type=usm_type)
            return whole.astype(dtype)
    target = compute if dtype is None else np.dtype(dtype)
    if target.kind == "c":
        compute = _complex_of(compute)
    intervals = num - 1 if endpoint else num
    step = (stop - start) / intervals if intervals > 0 else 0.0
    result = _native.iota(
        num,
        start,
        step,
        compute=compute,
        dtype=target,
        device=place,
        usm_type=usm_type,
    )
    if endpoint and num > 1:
        # Rounding must not move the end.
        result[-1] = int(stop.real) if target.kind in "iu" else stop
    return result


def _between(
    start: complex | ndarray,
    stop: complex | ndarray,
    num: int,
    dtype: npt.DTypeLike | None,
    endpoint: bool,
    place: Place | None,
    usm_type: str | None,
) -> ndarray:
    """Return numbers at even distances between ends of which one at least is an array."""
    distance = cast("ndarray", (stop - start) * 1.0)
    place = distance.queue if place is None else place
    usm_type = distance.usm_type if usm_type is None else usm_type
    intervals = max(num - 1 if endpoint else num, 1)
    steps = arange(num, dtype=distance.real.dtype, device=place, usm_type=usm_type)
    column = _native.reshape(steps, (num, *[1] * distance.ndim))
    result = column * (distance / intervals) + start
    if endpoint and num > 1:
        # Rounding must not move the end.
        result[-1] = stop
    if dtype is None:
        return result
    target = np.dtype(dtype)
    # NumPy rounds down, not towards zero.
    whole = _native.elementwise("floor", result) if target.kind in "iu" else result
    return whole.astype(target, copy=False)


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: npt.DTypeLike | None = None,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make a matrix with ones on a diagonal and zeros elsewhere.

    Parameters
    ----------
    n_rows, n_cols
        Its sizes; as many columns as rows by default.
    k
        Which diagonal: 0 for the main one, more for those right of it, less for those below.
    dtype
        Element type; ``float64`` by default.
    device, queue, usm_type
        Where, as for `asarray`.

    Returns
    -------
    ndarray
        The matrix.

    Examples
    --------
    >>> import situ
    >>> situ.eye(2, 3, k=1).to_numpy()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    rows, columns = _sizes((n_rows, n_rows if n_cols is None else n_cols))
    place = _place(device, queue)
    dtype = _native.default_float(device=place) if dtype is None else dtype
    k = _diagonal(k, rows, columns)
    return _native.eye(rows, columns, k, dtype=dtype, device=place, usm_type=usm_type)


def _diagonal(k: int, rows: int, columns: int) -> int:
    """Return the number of a diagonal; of those outside of the matrix, that of the nearest."""
    return max(-rows, min(operator.index(k), columns))


def _triangle(x: ndarray, k: int, *, is_lower: bool) -> ndarray:
    """Return matrices with zeros outside of a triangle."""
    if x.ndim < 2:
        msg = (
            f"a triangle of an array with {x.ndim} dimensions\n"
            "  why:  the last two dimensions are those of the matrices\n"
            "  help: add dimensions, e.g. with `x[None, :]`"
        )
        raise ShapeError(msg)
    rows, columns = x.shape[-2:]
    return _native.triangle(x, _diagonal(k, rows, columns), is_lower)


@takes_arrays
def tril(x: ndarray, /, k: int = 0, *, queue: Place | None = None) -> ndarray:
    """Keep the lower triangle of matrices, and put zeros elsewhere.

    Parameters
    ----------
    x
        An array whose last two dimensions are matrices.
    k
        The highest diagonal that is kept: 0 for the main one, more for those right of it.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A new array.

    Examples
    --------
    >>> import situ
    >>> situ.tril(situ.ones((2, 3))).to_numpy()
    array([[1., 0., 0.],
           [1., 1., 0.]])
    """
    if queue is not None:
        x = lend(x, queue)
    return _triangle(x, k, is_lower=True)


@takes_arrays
def triu(x: ndarray, /, k: int = 0, *, queue: Place | None = None) -> ndarray:
    """Keep the upper triangle of matrices, and put zeros elsewhere.

    Parameters
    ----------
    x
        An array whose last two dimensions are matrices.
    k
        The lowest diagonal that is kept: 0 for the main one, more for those right of it.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A new array.

    Examples
    --------
    >>> import situ
    >>> situ.triu(situ.ones((2, 3))).to_numpy()
    array([[1., 1., 1.],
           [0., 1., 1.]])
    """
    if queue is not None:
        x = lend(x, queue)
    return _triangle(x, k, is_lower=False)


@takes_arrays
def meshgrid(
    *arrays: ndarray, indexing: Literal["xy", "ij"] = "xy", queue: Place | None = None
) -> tuple[ndarray, ...]:
    """Make the coordinates of a grid from those along its axes.

    Parameters
    ----------
    *arrays
        Arrays of one dimension.
    indexing
        ``"xy"`` for a grid whose first coordinate runs along its columns, ``"ij"`` for one where it
        runs along its rows.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    tuple of ndarray
        An array of coordinates for each axis.

    Examples
    --------
    >>> import situ
    >>> x, y = situ.meshgrid(situ.asarray([1, 2, 3]), situ.asarray([10, 20]))
    >>> y.to_numpy()
    array([[10, 10, 10],
           [20, 20, 20]])
    """
    if queue is not None:
        arrays = tuple(lend(x, queue) for x in arrays)
    if indexing not in {"xy", "ij"}:
        msg = (
            f"`meshgrid` has no indexing {indexing!r}\n"
            "  why:  the first coordinate runs along columns ('xy') or rows ('ij')\n"
            "  help: use one of the two"
        )
        raise ValueError(msg)
    if any(x.ndim > 1 for x in arrays):
        msg = (
            f"`meshgrid` got arrays of {[x.ndim for x in arrays]} dimensions\n"
            "  why:  each has the coordinates along one axis\n"
            "  help: flatten them, e.g. with `x.reshape(-1)`"
        )
        raise ShapeError(msg)
    count = len(arrays)
    order = list(range(count))
    if indexing == "xy" and count > 1:
        order[:2] = [1, 0]
    shape = [0] * count
    for position, x in zip(order, arrays, strict=True):
        shape[position] = x.size
    grids: list[ndarray] = []
    for position, x in zip(order, arrays, strict=True):
        sizes = [1] * count
        sizes[position] = x.size
        grids.append(_native.broadcast_to(_native.reshape(x, sizes), shape).copy())
    return tuple(grids)


def _like(
    x: ndarray, dtype: npt.DTypeLike | None, place: Place | None, usm_type: str | None
) -> tuple[npt.DTypeLike, Place, str]:
    """Return what a new array has by default: what `x` has."""
    return (
        x.dtype if dtype is None else dtype,
        x.queue if place is None else place,
        x.usm_type if usm_type is None else usm_type,
    )


@takes_arrays
def empty_like(
    x: ndarray,
    /,
    dtype: npt.DTypeLike | None = None,
    *,
    shape: Shape | None = None,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make an array of the shape of another one, whose elements are undefined.

    Parameters
    ----------
    x
        The array.
    dtype
        Element type; that of `x` by default.
    shape
        Another shape than that of `x`.
    device, queue, usm_type
        Where; that of `x` by default.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> situ.empty_like(situ.zeros((2, 3))).shape
    (2, 3)
    """
    dtype, place, usm_type = _like(x, dtype, named_place(device, queue), usm_type)
    return empty(x.shape if shape is None else shape, dtype=dtype, device=place, usm_type=usm_type)


@takes_arrays
def full_like(
    x: ndarray,
    /,
    fill_value: complex | ndarray,
    dtype: npt.DTypeLike | None = None,
    *,
    shape: Shape | None = None,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make an array of the shape of another one, filled with one number.

    Parameters
    ----------
    x
        The array.
    fill_value
        The number, or an array that is repeated to the shape.
    dtype
        Element type; that of `x` by default.
    shape
        Another shape than that of `x`.
    device, queue, usm_type
        Where; that of `x` by default.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> situ.full_like(situ.zeros(3), 7).to_numpy()
    array([7., 7., 7.])
    """
    dtype, place, usm_type = _like(x, dtype, named_place(device, queue), usm_type)
    return full(
        x.shape if shape is None else shape,
        fill_value,
        dtype=dtype,
        device=place,
        usm_type=usm_type,
    )


@takes_arrays
def ones_like(
    x: ndarray,
    /,
    dtype: npt.DTypeLike | None = None,
    *,
    shape: Shape | None = None,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make an array of ones of the shape of another one.

    Parameters
    ----------
    x
        The array.
    dtype
        Element type; that of `x` by default.
    shape
        Another shape than that of `x`.
    device, queue, usm_type
        Where; that of `x` by default.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> situ.ones_like(situ.zeros(2)).to_numpy()
    array([1., 1.])
    """
    dtype, place, usm_type = _like(x, dtype, named_place(device, queue), usm_type)
    return full(
        x.shape if shape is None else shape, 1, dtype=dtype, device=place, usm_type=usm_type
    )


@takes_arrays
def zeros_like(
    x: ndarray,
    /,
    dtype: npt.DTypeLike | None = None,
    *,
    shape: Shape | None = None,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make an array of zeros of the shape of another one.

    Parameters
    ----------
    x
        The array.
    dtype
        Element type; that of `x` by default.
    shape
        Another shape than that of `x`.
    device, queue, usm_type
        Where; that of `x` by default.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> situ.zeros_like(situ.ones(2)).to_numpy()
    array([0., 0.])
    """
    dtype, place, usm_type = _like(x, dtype, named_place(device, queue), usm_type)
    return full(
        x.shape if shape is None else shape, 0, dtype=dtype, device=place, usm_type=usm_type
    )


def array(
    obj: object,
    /,
    dtype: npt.DTypeLike | None = None,
    *,
    copy: bool | None = True,
    ndmin: int = 0,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make an array of data; unlike `asarray`, it is a copy.

    Parameters
    ----------
    obj, dtype, device, queue, usm_type
        As for `asarray`.
    copy
        Whether to copy: ``True`` always, ``False`` never (an error if it would be necessary),
        ``None`` only if necessary.
    ndmin
        How many dimensions there are at least; new ones come first.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> situ.array([1, 2, 3], "float32").to_numpy()
    array([1., 2., 3.], dtype=float32)
    """
    result = asarray(obj, dtype=dtype, copy=copy, device=device, queue=queue, usm_type=usm_type)
    return _native.expand_dims(result, range(max(0, ndmin - result.ndim)))


@takes_arrays
def copy(x: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Copy an array into new, contiguous memory.

    Parameters
    ----------
    x
        An array.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The copy.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([1, 2, 3])
    >>> y = situ.copy(x)
    >>> y[0] = 9
    >>> x.to_numpy()
    array([1, 2, 3])
    """
    if queue is not None:
        x = lend(x, queue)
    return x.copy()


def ascontiguousarray(
    obj: object,
    /,
    dtype: npt.DTypeLike | None = None,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Bring data to a device so that elements lie one after the other, copied only if necessary.

    Parameters
    ----------
    obj, dtype, device, queue, usm_type
        As for `asarray`.

    Returns
    -------
    ndarray
        The array, of at least one dimension.

    Examples
    --------
    >>> import situ
    >>> situ.ascontiguousarray(situ.zeros((2, 3)).T).strides
    (16, 8)
    """
    result = asarray(obj, dtype=dtype, device=device, queue=queue, usm_type=usm_type)
    if result.ndim == 0:
        return result.reshape(1)
    expected = result.itemsize
    for size, stride in zip(reversed(result.shape), reversed(result.strides), strict=True):
        if size != 1 and stride != expected:
            return result.copy()
        expected *= size
    return result


# NumPy's other name.
asanyarray = asarray
