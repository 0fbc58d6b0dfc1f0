"""The names of ``dpnp.tensor``, which is ``dpctl.tensor`` in older layouts of the peers."""

# The tables are full of small functions, whose types would hide what they say.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

import situ
from situ import _native
from situ._native import Device, Queue, ndarray
from situ.compat._described_memory import over_memory
from situ.compat._dpctl_order import PLACEMENT_NAMES
from situ.compat._dpnp import NAMES as DPNP_NAMES
from situ.compat._dpnp import asnumpy, copy, same
from situ.compat._dpnp_names import TENSOR, TENSOR_ARGUMENTS, VALUES
from situ.compat._enumerations import DLDeviceType
from situ.compat._filter_strings import device_of, place
from situ.compat._peer_class import peer_class
from situ.compat._peer_module import Refusal

__all__ = ["NAMES"]


def _made_usm_ndarray(
    shape: Any,  # noqa: ANN401 - an integer, or several; or elements
    dtype: npt.DTypeLike | None = None,
    strides: object = None,
    buffer: Any = "device",  # noqa: ANN401 - a kind of memory, or memory
    offset: int = 0,
    order: str = "C",
    buffer_ctor_kwargs: dict[str, Any] | None = None,
    array_namespace: object = None,
    *,
    type: str | None = None,
    queue: Any = None,  # noqa: ANN401 - what names a place
) -> ndarray:
    """Make an array of undefined elements, or over memory.

    With ``type`` or ``queue``, as in the first proposals for such arrays, the first argument
    is the elements.
    """
    del order, array_namespace
    if type is not None or queue is not None:
        where = None if queue is None else place(queue)
        return situ.asarray(shape, dtype=dtype, device=where, usm_type=type)
    if not isinstance(buffer, str):
        return over_memory(buffer, shape, dtype, cast("Any", strides), offset)
    if strides is not None or offset:
        Refusal("usm_ndarray with strides", "make the array, and take a view: `x[::2]`").refuse()
    where = (buffer_ctor_kwargs or {}).get("queue")
    return situ.empty(shape, dtype=dtype, queue=where, usm_type=buffer)


def _made_device(*arguments: object, **keywords: object) -> Device:
    """Return the device of an array; the peer has a class of its own for that."""
    return device_of(*arguments, **keywords) if arguments or keywords else situ.current().device


class TopKResult(NamedTuple):
    """The values found, and where they were."""

    values: ndarray
    indices: ndarray


def top_k(x: ndarray, k: int, /, *, axis: int | None = None, mode: str = "largest") -> TopKResult:
    """Return the largest or smallest elements, and where they are."""
    if mode not in ("largest", "smallest"):
        msg = f"`mode` is 'largest' or 'smallest', not {mode!r}"
        raise ValueError(msg)
    along = x if axis is not None else situ.reshape(x, (-1,))
    axis = -1 if axis is None else axis
    order = situ.argsort(along, axis=axis, descending=mode == "largest")
    cut: list[slice] = [slice(None)] * order.ndim
    cut[axis] = slice(k)
    indices = order[tuple(cut)]
    return TopKResult(situ.take_along_axis(along, indices, axis), indices)


def from_numpy(
    np_ary: npt.NDArray[Any],
    /,
    *,
    device: Any = None,  # noqa: ANN401
    usm_type: str = "device",
    sycl_queue: Queue | None = None,
) -> ndarray:
    """Copy an array of NumPy's to a device."""
    where = device if sycl_queue is None else sycl_queue
    return _native.from_numpy(
        np.ascontiguousarray(np_ary),
        device=None if where is None else place(where),
        usm_type=usm_type,
    )


def sycl_device_to_dldevice(dev: Device) -> tuple[DLDeviceType, int]:
    """Return the type and number that DLPack has for a device."""
    kind, number = situ.empty(0, device=dev).__dlpack_device__()
    return DLDeviceType(kind), number


def dldevice_to_sycl_device(dl_dev: Sequence[int]) -> Device:
    """Return the device that DLPack's type and number mean."""
    for device in _native.devices():
        if sycl_device_to_dldevice(device) == tuple(dl_dev):
            return device
    msg = f"no device has DLPack's type and number {tuple(dl_dev)}"
    raise ValueError(msg)


def vecdot(x1: ndarray, x2: ndarray, axis: int = -1) -> ndarray:
    """Return the dot products of vectors along an axis."""
    return situ.vecdot(x1, x2, axis=axis)


def _text(x: ndarray, **options: Any) -> str:  # noqa: ANN401
    known = {key: value for key, value in options.items() if value is not None}
    return np.array2string(x.to_numpy(), **known)


def usm_ndarray_repr(
    x: ndarray,
    line_width: int | None = None,
    precision: int | None = None,
    suppress: bool | None = None,
    prefix: str = "usm_ndarray",
) -> str:
    """Return the text of an array for programmers."""
    text = _text(
        x, max_line_width=line_width, precision=precision, suppress_small=suppress, separator=", "
    )
    return f"{prefix}({text})"


def usm_ndarray_str(
    x: ndarray,
    line_width: int | None = None,
    edge_items: int | None = None,
    threshold: int | None = None,
    precision: int | None = None,
    floatmode: str | None = None,
    suppress: bool | None = None,
    sign: str | None = None,
    numpy: bool = False,
    separator: str = " ",
    prefix: str = "",
    suffix: str = "",
) -> str:
    """Return the text of an array's elements."""
    del numpy
    return _text(
        x,
        max_line_width=line_width,
        edgeitems=edge_items,
        threshold=threshold,
        precision=precision,
        floatmode=floatmode,
        suppress_small=suppress,
        sign=sign,
        separator=separator,
        prefix=prefix,
        suffix=suffix,
    )


def _print_options(**options: object) -> dict[str, Any]:
    """Return options as NumPy calls them, which situ's texts follow."""
    own = {name: value for name, value in options.items() if value is not None and name != "numpy"}
    return cast("dict[str, Any]", own)


NAMES: dict[str, Any] = {
    **same(TENSOR, TENSOR_ARGUMENTS, "dpnp.tensor"),
    **{name: getattr(situ, name) for name in VALUES.split()},
    **PLACEMENT_NAMES,
    "DLDeviceType": DLDeviceType,
    "Device": peer_class("Device", "dpnp.tensor", Device, _made_device),
    "__array_api_version__": situ.__array_api_version__,
    "__array_namespace_info__": situ.__array_namespace_info__,
    "asnumpy": asnumpy,
    "copy": copy,
    "cumulative_logsumexp": DPNP_NAMES["cumlogsumexp"],
    "dldevice_to_sycl_device": dldevice_to_sycl_device,
    "dtype": np.dtype,
    "from_numpy": from_numpy,
    "get_print_options": np.get_printoptions,
    "print_options": lambda **options: np.printoptions(**_print_options(**options)),
    "set_print_options": lambda **options: np.set_printoptions(**_print_options(**options)),
    "sycl_device_to_dldevice": sycl_device_to_dldevice,
    "to_numpy": asnumpy,
    "top_k": top_k,
    "usm_ndarray": peer_class("usm_ndarray", "dpnp.tensor", ndarray, _made_usm_ndarray),
    "usm_ndarray_repr": usm_ndarray_repr,
    "usm_ndarray_str": usm_ndarray_str,
    "vecdot": vecdot,
    **{
        name: DPNP_NAMES[name]
        for name in ("logsumexp", "proj", "put_along_axis", "reduce_hypot", "rsqrt")
    },
}
