"""The names of ``dpnp`` 0.20, and what each is in situ."""

# The tables are full of small functions, whose types would hide what they say.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import sys
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from numpy.lib.array_utils import normalize_axis_index

import situ
from situ import _native
from situ._native import Queue, ndarray
from situ.compat._described_memory import over_memory
from situ.compat._dpnp_expressions import NAMES as EXPRESSIONS
from situ.compat._dpnp_names import ARGUMENTS, OF_NUMPY, SAME, VALUES
from situ.compat._enumerations import DLDeviceType
from situ.compat._filter_strings import place
from situ.compat._flat_iterator import flatiter
from situ.compat._keywords import adapted
from situ.compat._layout_flags import LayoutFlags
from situ.compat._peer_class import peer_class
from situ.compat._peer_module import Refusal
from situ.compat._special import NAMES as SPECIAL

__all__ = ["EXCEPTIONS", "NAMES", "asnumpy", "copy", "on_host", "refusal", "same", "vecdot"]


def same(names: str, arguments: dict[str, str], module: str) -> dict[str, Any]:
    """Return the functions of a module of situ, each under its name, called as the peer's are."""
    home: Any = situ
    for part in module.split(".")[1:]:
        home = getattr(home, part, home)
    return {
        name: adapted(getattr(home, name), f"{module}.{name}", arguments.get(name, ""))
        for name in names.split()
    }


def refusal(module: str, name: str, instead: str = "") -> Refusal:
    """Return what stands for a function of NumPy's that situ has not."""
    host = f"numpy.{module.partition('.')[2]}." if "." in module else "numpy."
    way = f"on the host, `situ.asarray({host}{name}(x.to_numpy()))` computes it"
    return Refusal(f"{module}.{name}", f"`{instead}`; {way}" if instead else way)


def on_host(function: Callable[..., Any], peer: str) -> Callable[..., ndarray]:
    """Return a function that lets NumPy make an array from data of the host, and brings it over."""

    def call(
        *arguments: object,
        device: Any = None,  # noqa: ANN401 - whatever names a place
        usm_type: str | None = None,
        sycl_queue: Queue | None = None,
        like: object = None,
        **keywords: object,
    ) -> ndarray:
        if like is not None:
            Refusal(f"{peer} with `like`", "say where the array goes with `device=`").refuse()
        host = function(*arguments, **keywords)
        where = device if sycl_queue is None else sycl_queue
        return situ.asarray(host, device=None if where is None else place(where), usm_type=usm_type)

    call.__name__ = call.__qualname__ = peer.rpartition(".")[2]
    call.__doc__ = f"NumPy's `{call.__name__}` of data of the host, as an array of a device."
    return call


# Arrays in and out


def asnumpy(a: object, order: str = "C") -> npt.NDArray[Any]:
    """Copy an array to the host."""
    host = a.to_numpy() if isinstance(a, ndarray) else np.asarray(a)
    return np.asarray(host, order=cast("Any", order))


def copy(
    a: ndarray,
    order: str = "K",
    subok: bool = False,
    device: Any = None,  # noqa: ANN401 - whatever names a place
    usm_type: str | None = None,
    sycl_queue: Queue | None = None,
) -> ndarray:
    """Copy an array, here or elsewhere."""
    del order, subok
    where = device if sycl_queue is None else sycl_queue
    return situ.array(a, device=None if where is None else place(where), usm_type=usm_type)


def _made_array(
    shape: Any,  # noqa: ANN401 - an integer, or several
    dtype: npt.DTypeLike | None = None,
    buffer: object = None,
    offset: int = 0,
    strides: object = None,
    order: str = "C",
    device: Any = None,  # noqa: ANN401
    usm_type: str = "device",
    sycl_queue: Queue | None = None,
) -> ndarray:
    """Make an array of undefined elements, or over memory."""
    del order
    if buffer is not None:
        # Counted in bytes there.
        size = np.dtype(dtype or np.float64).itemsize
        steps = None if strides is None else [one // size for one in cast("Any", strides)]
        return over_memory(buffer, shape, dtype, steps, offset // size)
    if strides is not None or offset:
        msg = "`strides` and `offset` need a `buffer`"
        raise ValueError(msg)
    where = device if sycl_queue is None else sycl_queue
    return situ.empty(
        shape, dtype=dtype, device=None if where is None else place(where), usm_type=usm_type
    )


def linspace(
    start: Any,  # noqa: ANN401 - a number, an array, or a list
    stop: Any,  # noqa: ANN401
    /,
    num: int,
    *,
    dtype: npt.DTypeLike | None = None,
    endpoint: bool = True,
    retstep: bool = False,
    axis: int = 0,
    **keywords: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Return numbers at even distances, and with ``retstep`` also the distance."""
    make = adapted(situ.linspace, "dpnp.linspace")
    if all(bool(np.isscalar(end)) for end in (start, stop)):
        made = make(start, stop, num, dtype=dtype, endpoint=endpoint, **keywords)
        steps: Any = num - 1 if endpoint else num
        step = (stop - start) / steps if steps > 0 else np.nan
    else:
        first, last = (NAMES["asarray"](end, **keywords) for end in (start, stop))
        steps = max(num - 1 if endpoint else num, 1)
        step = (last - first) / steps
        places = situ.arange(num, device=step)
        made = first + places.reshape((-1,) + (1,) * step.ndim) * step
        made = situ.moveaxis(made, 0, axis)
        made = made if dtype is None else situ.astype(made, dtype, copy=False)
    return (made, situ.asarray(step, device=made.queue)) if retstep else made


def _like(make: Callable[..., ndarray], peer: str) -> Callable[..., ndarray]:
    """Return a function that makes an array like another one, of another shape if that is given."""

    def call(
        a: Any,  # noqa: ANN401 - an array, which is checked
        /,
        *value: Any,  # noqa: ANN401
        dtype: npt.DTypeLike | None = None,
        shape: Any = None,  # noqa: ANN401 - an integer, or several
        usm_type: str | None = None,
        device: Any = None,  # noqa: ANN401
        sycl_queue: Queue | None = None,
        **keywords: Any,  # noqa: ANN401
    ) -> ndarray:
        if not isinstance(a, ndarray):
            msg = f"{peer}() needs an array, not a `{type(a).__name__}`"
            raise TypeError(msg)
        anywhere = device is None and sycl_queue is None
        return adapted(make, peer)(
            a.shape if shape is None else shape,
            *value,
            dtype=a.dtype if dtype is None else dtype,
            usm_type=a.usm_type if usm_type is None else usm_type,
            device=device,
            sycl_queue=a.queue if anywhere else sycl_queue,
            **keywords,
        )

    call.__name__ = call.__qualname__ = peer.rpartition(".")[2]
    call.__doc__ = f"As `situ.{call.__name__}`, also of another shape."
    return call


def asarray_chkfinite(a: object, dtype: npt.DTypeLike | None = None, **keywords: Any) -> ndarray:  # noqa: ANN401
    """Return an array, unless an element is infinite or not a number."""
    x = NAMES["asarray"](a, dtype=dtype, **keywords)
    if x.dtype.kind in "fc" and not bool(situ.all(situ.isfinite(x))):
        msg = "array must not contain infs or NaNs"
        raise ValueError(msg)
    return x


def asfarray(a: object, dtype: npt.DTypeLike | None = None, **keywords: Any) -> ndarray:  # noqa: ANN401
    """Return an array of floats."""
    x = NAMES["asarray"](a, **keywords)
    if dtype is None and x.dtype.kind not in "fc":
        dtype = _native.default_float(device=x)
    return x if dtype is None else x.astype(dtype, copy=False)


def asfortranarray(a: object, dtype: npt.DTypeLike | None = None, **keywords: Any) -> ndarray:  # noqa: ANN401
    """Return an array whose first index is the fastest in memory."""
    x = NAMES["asarray"](a, dtype=dtype, **keywords)
    return x if LayoutFlags(x).f_contiguous else situ.array(x.T).T


def _grid(function: Any) -> Callable[..., object]:  # noqa: ANN401 - NumPy's object
    class Grid:
        """Grids by slices, as NumPy's object of this name makes them."""

        def __init__(self, **place: object) -> None:
            self._place = place

        def __call__(self, **place: object) -> "Grid":
            return Grid(**place)

        def __getitem__(self, key: object) -> object:
            made = function[key]
            convert = on_host(np.asarray, "dpnp.mgrid")
            if isinstance(made, tuple):
                return tuple(convert(one, **self._place) for one in cast("tuple[Any]", made))
            return convert(made, **self._place)

    return Grid()


# Functions whose arguments need more than other names


def cross(
    a: ndarray,
    b: ndarray,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> ndarray:
    """Return the cross product of vectors along an axis."""
    if axis is None and (axisa, axisb, axisc) == (-1, -1, -1):
        return situ.cross(a, b)
    if axis is None:
        a, b = situ.moveaxis(a, axisa, -1), situ.moveaxis(b, axisb, -1)
        return situ.moveaxis(situ.cross(a, b), -1, axisc)
    return situ.cross(a, b, axis=axis)


def vecdot(x1: ndarray, x2: ndarray, /, axis: int | None = None, **_rest: object) -> ndarray:
    """Return the dot products of vectors along an axis."""
    return situ.vecdot(x1, x2, axis=-1 if axis is None else axis)


def rollaxis(x: ndarray, axis: int, start: int = 0) -> ndarray:
    """Move an axis back until it lies before another."""
    axis = normalize_axis_index(axis, x.ndim)
    start = normalize_axis_index(start, x.ndim + 1) if start >= 0 else start + x.ndim
    return situ.moveaxis(x, axis, start - 1 if axis < start else start)


def diag_indices(n: int, ndim: int = 2, **keywords: Any) -> tuple[ndarray, ...]:  # noqa: ANN401
    """Return the indices of the diagonal of an array with equal sizes."""
    return (NAMES["arange"](n, **keywords),) * ndim


def diag_indices_from(arr: ndarray) -> tuple[ndarray, ...]:
    """Return the indices of the diagonal of an array."""
    if arr.ndim < 2 or len(set(arr.shape)) != 1:
        msg = "the array needs at least two dimensions, all of one size"
        raise ValueError(msg)
    return diag_indices(arr.shape[0], arr.ndim, device=arr.queue)


def fill_diagonal(a: ndarray, val: complex, wrap: bool = False) -> None:
    """Assign a number to the diagonal."""
    if wrap or a.ndim != 2:
        refusal("dpnp", "fill_diagonal").refuse()
    n = min(a.shape)
    index = situ.arange(n, device=a)
    a[cast("Any", (index, index))] = val


def check_supported_arrays_type(
    *arrays: object, scalar_type: bool = False, all_scalars: bool = False
) -> bool:
    """Raise an error unless all are arrays, or numbers where these are allowed."""
    has_array = False
    for one in arrays:
        if isinstance(one, ndarray):
            has_array = True
        elif not (scalar_type and np.isscalar(one)):
            msg = f"an array is needed, not a `{type(one).__name__}`"
            raise TypeError(msg)
    if scalar_type and not all_scalars and not has_array and arrays:
        msg = "at least one array is needed"
        raise TypeError(msg)
    return True


def are_same_logical_tensors(ar1: ndarray, ar2: ndarray) -> bool:
    """Return whether two arrays have the same elements in memory, in the same order."""
    one, other = (x.__sycl_usm_array_interface__ for x in (ar1, ar2))
    keys = ("data", "shape", "typestr", "offset")
    return ar1.strides == ar2.strides and all(one.get(key) == other.get(key) for key in keys)


def byte_bounds(a: ndarray) -> tuple[int, int]:
    """Return the first address of an array's elements, and the one after the last."""
    interface = a.__sycl_usm_array_interface__
    low = high = interface["data"][0] + interface.get("offset", 0) * a.itemsize
    for size, stride in zip(a.shape, a.strides, strict=True):
        extent = (size - 1) * stride
        low, high = (low + extent, high) if extent < 0 else (low, high + extent)
    return low, high + a.itemsize


def normalized_queue(
    obj: Any = None,  # noqa: ANN401 - an array, or what names a place
    device: Any = None,  # noqa: ANN401
    sycl_queue: Queue | None = None,
) -> Queue:
    """Return the queue that is meant."""
    where = next((one for one in (sycl_queue, device, obj) if one is not None), None)
    return situ.current() if where is None else _native.find_queue(place(where))


def default_float_type(device: Any = None, sycl_queue: Queue | None = None) -> np.dtype[Any]:  # noqa: ANN401
    """Return the dtype that floats have on a device if nothing is said."""
    return _native.default_float(device=normalized_queue(None, device, sycl_queue))


def synchronize_array_data(a: ndarray) -> None:
    """Wait for the work that makes an array."""
    a.queue.wait()


def offload_to(selector: object) -> object:
    """Return the array functions, bound to one queue."""
    found: Any = getattr(situ, "offload_to", None)
    if found is None:
        Refusal("dpnp.offload_to", "`with situ.current(selector):` places new arrays").refuse()
    return found(place(cast("Any", selector)))


# What situ has not, and what does the same, if there is something.
_LACKING = {
    "bitwise_count": "",
    "einsum_path": "situ.einsum chooses an order by itself",
    "frexp": "",
    "gcd": "math.gcd(a, b) in a kernel",
    "histogram2d": "",
    "histogramdd": "",
    "i0": "",
    "lcm": "math.lcm(a, b) in a kernel",
    "proj": "",
}

NAMES: dict[str, Any] = {
    **same(SAME, ARGUMENTS, "dpnp"),
    **{name: getattr(situ, name) for name in VALUES.split()},
    **{name: getattr(np, name) for name in OF_NUMPY.split()},
    **EXPRESSIONS,
    **{name: refusal("dpnp", name, instead) for name, instead in _LACKING.items()},
    **{
        name: on_host(getattr(np, name), f"dpnp.{name}")
        for name in (
            "bartlett",
            "frombuffer",
            "fromfile",
            "fromiter",
            "fromstring",
            "kaiser",
            "loadtxt",
        )
    },
    "DLDeviceType": DLDeviceType,
    "__array_api_version__": situ.__array_api_version__,
    "__array_namespace_info__": situ.__array_namespace_info__,
    "__version__": "0.20.0",
    "are_same_logical_tensors": are_same_logical_tensors,
    "as_usm_ndarray": adapted(
        situ.asarray, "dpnp.as_usm_ndarray", "a dtype device usm_type sycl_queue"
    ),
    "asarray_chkfinite": asarray_chkfinite,
    "asfarray": asfarray,
    "asfortranarray": asfortranarray,
    "asnumpy": asnumpy,
    "byte_bounds": byte_bounds,
    "check_limitations": lambda **_options: None,
    "check_supported_arrays_type": check_supported_arrays_type,
    "copy": copy,
    "cross": cross,
    "default_float_type": default_float_type,
    "diag_indices": diag_indices,
    "diag_indices_from": diag_indices_from,
    "diagflat": lambda v, /, k=0, **keywords: situ.diag(
        situ.ravel(NAMES["asarray"](v, **keywords)), k
    ),
    "empty_like": _like(situ.empty, "dpnp.empty_like"),
    "erf": SPECIAL["erf"],
    "fill_diagonal": fill_diagonal,
    "flatiter": flatiter,
    "full_like": _like(situ.full, "dpnp.full_like"),
    "get_array_module": lambda *arrays: (
        sys.modules["dpnp"] if any(isinstance(one, ndarray) for one in arrays) else np
    ),
    "get_dpnp_descriptor": Refusal("dpnp.get_dpnp_descriptor", "pass the `situ.ndarray` itself"),
    "get_include": Refusal(
        "dpnp.get_include",
        "its headers are of another interface; situ's own is in `situ.get_include()`",
    ),
    "get_normalized_queue_device": normalized_queue,
    "get_result_array": lambda a, out=None, casting="safe": a if out is None else out,
    "get_usm_ndarray": lambda a: a,
    "get_usm_ndarray_or_scalar": lambda a: a,
    "is_cuda_backend": lambda obj=None: False,
    "is_supported_array_or_scalar": lambda a: isinstance(a, ndarray) or np.isscalar(a),
    "is_supported_array_type": lambda a: isinstance(a, ndarray),
    "isfortran": lambda a: LayoutFlags(a).fnc,
    "linspace": linspace,
    "mgrid": _grid(np.mgrid),
    "ndarray": peer_class("ndarray", "dpnp", ndarray, _made_array),
    "offload_to": offload_to,
    "ogrid": _grid(np.ogrid),
    "ones_like": _like(situ.ones, "dpnp.ones_like"),
    "rollaxis": rollaxis,
    "row_stack": adapted(situ.vstack, "dpnp.row_stack", "tup"),
    "rsqrt": lambda x, /, out=None, **_rest: situ.reciprocal(situ.sqrt(x), out=out),
    "synchronize_array_data": synchronize_array_data,
    "tril_indices_from": lambda arr, k=0: situ.tril_indices(
        arr.shape[-2], k, arr.shape[-1], device=arr.queue
    ),
    "triu_indices_from": lambda arr, k=0: situ.triu_indices(
        arr.shape[-2], k, arr.shape[-1], device=arr.queue
    ),
    "vecdot": vecdot,
    "zeros_like": _like(situ.zeros, "dpnp.zeros_like"),
}

EXCEPTIONS: dict[str, object] = {
    "AxisError": np.exceptions.AxisError,
    "DLPackCreationError": BufferError,
    "ExecutionPlacementError": situ.PlacementError,
    "SyclContextCreationError": situ.DeviceError,
    "SyclDeviceCreationError": situ.DeviceError,
    "SyclQueueCreationError": situ.DeviceError,
    "USMAllocationError": situ.OutOfMemoryError,
}
