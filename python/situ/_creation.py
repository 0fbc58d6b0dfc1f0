"""Making arrays: from host data, from constants."""

from collections.abc import Sequence
from typing import Any, TypeGuard, cast

import numpy as np
import numpy.typing as npt

from situ import _native
from situ._native import ndarray
from situ._queue_manager import Place, default
from situ.exceptions import DTypeError

__all__ = ["asarray", "empty", "full", "ones", "zeros"]

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
        memory, memory of situ described by ``__sycl_usm_array_interface__``, nested sequences
        (which may contain situ arrays), a number.
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
    if hasattr(obj, "__sycl_usm_array_interface__") and not isinstance(obj, ndarray):
        obj = _native.from_usm_interface(obj)
    if isinstance(obj, ndarray):
        place = _named_place(device, queue)
        return _native.bring(obj, dtype=dtype, device=place, usm_type=usm_type, copy=copy)
    if copy is False:
        msg = (
            "asarray cannot avoid a copy\n"
            "  why:  the data is not an array on a device, and `copy=False` was asked for\n"
            "  help: leave `copy` out, or use `copy=None`"
        )
        raise ValueError(msg)
    if _is_sequence(obj):
        placed = _native.placement_of_nested(obj, device=_named_place(device, queue))
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
    """Return nested sequences with NumPy arrays in the place of situ arrays."""
    if isinstance(nested, ndarray):
        return nested.to_numpy()
    if _is_sequence(nested):
        return [_to_host(item) for item in nested]
    return nested


def _host_array(obj: object, dtype: npt.DTypeLike | None) -> npt.NDArray[Any]:
    """Return a C-contiguous NumPy array of native byte order and a dtype situ has."""
    if isinstance(obj, bytes):
        # NumPy takes it for a string.
        obj = memoryview(obj)
    if hasattr(obj, "__dlpack__") and not hasattr(obj, "__array__"):
        obj = np.from_dlpack(cast("Any", obj))
    host = np.asarray(obj, dtype=dtype)
    if host.dtype.kind not in "biufc":
        msg = (
            f"situ has no dtype {host.dtype}\n"
            "  why:  arrays hold bools, integers, floats and complex numbers\n"
            "  help: give `dtype=`, or convert the data first"
        )
        raise DTypeError(msg)
    native = host.dtype.newbyteorder("=")
    return np.require(host, dtype=native, requirements="C").reshape(host.shape)


def _named_place(device: Place | None, queue: Place | None) -> Place | None:
    """Return the place that was named; None if none was."""
    if device is not None and queue is not None:
        msg = "give either `device` or `queue`, not both"
        raise ValueError(msg)
    return device if queue is None else queue


def _place(device: Place | None, queue: Place | None) -> Place | None:
    """Return the place that was named, or else the default that was set; None if neither was."""
    named = _named_place(device, queue)
    return default() if named is None else named


def _sizes(shape: Shape) -> list[int]:
    sizes = [shape] if isinstance(shape, int) else list(shape)
    if any(size < 0 for size in sizes):
        msg = f"a shape has no negative sizes, but {tuple(sizes)} does"
        raise ValueError(msg)
    return sizes


def empty(
    shape: Shape,
    *,
    dtype: npt.DTypeLike | None = None,
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


def full(
    shape: Shape,
    fill_value: complex,
    *,
    dtype: npt.DTypeLike | None = None,
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
        The number.
    dtype
        Element type; by default that of the number, as for `asarray`.
    device, queue, usm_type
        Where, as for `asarray`.

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
    if dtype is None and _has_dtype(fill_value):
        dtype = np.asarray(fill_value).dtype
    place = _place(device, queue)
    return _native.full(_sizes(shape), fill_value, dtype=dtype, device=place, usm_type=usm_type)


def zeros(
    shape: Shape,
    *,
    dtype: npt.DTypeLike | None = None,
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
    return full(
        shape,
        0.0 if dtype is None else 0,
        dtype=dtype,
        device=device,
        queue=queue,
        usm_type=usm_type,
    )


def ones(
    shape: Shape,
    *,
    dtype: npt.DTypeLike | None = None,
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
    return full(
        shape,
        1.0 if dtype is None else 1,
        dtype=dtype,
        device=device,
        queue=queue,
        usm_type=usm_type,
    )
