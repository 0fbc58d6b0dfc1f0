"""Arrays of other libraries, by DLPack.

Going the other way needs nothing but the array: ``numpy.from_dlpack(x)``, ``torch.from_dlpack(x)``.
"""

from typing import Any, Protocol, cast

import numpy as np

from situ import _native
from situ._creation import asarray
from situ._native import ndarray
from situ._queue_manager import Place, default, named_place

__all__ = ["from_dlpack"]

# What DLPack calls the host's memory, and that of SYCL devices.
_CPU = 1
_ONE_API = 14


class Producer(Protocol):
    """An array that other libraries can use."""

    def __dlpack__(self) -> object:
        """Return a capsule with it."""
        ...

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return where its memory is."""
        ...


def from_dlpack(
    x: ndarray | Producer,
    /,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    copy: bool | None = None,
) -> ndarray:
    """Use an array of another library.

    Parameters
    ----------
    x
        An array with ``__dlpack__``, in memory of the host or of a SYCL device.
    device, queue
        Where the result is, as for `asarray`; by default where `x` is, for memory of the host the
        current default.
    copy
        Whether to copy: ``True`` always, ``False`` never (an error if it would be necessary),
        ``None`` only if necessary. Devices with the aspect ``usm_system_allocations``, such as
        ``native``, use memory of the host in place, as USM memory of the kind ``host``. What is
        read-only is copied, for arrays of situ can be written.

    Returns
    -------
    ndarray
        The array. Without a copy it shares its elements with `x`, and keeps them alive.

    Raises
    ------
    BufferError
        If the memory is elsewhere, or a copy would be necessary and `copy` is false.

    Examples
    --------
    >>> import numpy as np, situ
    >>> host = np.zeros(3)
    >>> x = situ.from_dlpack(host)
    >>> x += 1
    >>> host
    array([1., 1., 1.])
    """
    device = named_place(device, queue)
    if isinstance(x, ndarray):
        return asarray(x, device=device, copy=copy)
    if not hasattr(x, "__dlpack__") or not hasattr(x, "__dlpack_device__"):
        msg = (
            f"`{type(x).__name__}` is not a DLPack array\n"
            "  why:  it has no `__dlpack__` and `__dlpack_device__`\n"
            "  help: use `situ.asarray`, which copies from whatever NumPy understands"
        )
        raise TypeError(msg)
    kind, _ = x.__dlpack_device__()
    if kind == _ONE_API:
        return _of_sycl_device(x, device, copy)
    if kind != _CPU:
        msg = (
            f"`{type(x).__name__}` is in memory that situ cannot use\n"
            f"  why:  it is on DLPack's device kind {int(kind)}; situ uses memory of the host, "
            f"which is {_CPU}, and of SYCL devices, which are {_ONE_API}\n"
            "  help: copy it to the host with its own library first"
        )
        raise BufferError(msg)
    place = default() if device is None else device
    if copy is not True:
        shared = _native.share_dlpack(x, device=place)
        if isinstance(shared, ndarray):
            return shared
        if copy is False:
            raise BufferError(_no_way_around(shared))
    return asarray(np.from_dlpack(cast("Any", x)), device=place)


def _of_sycl_device(x: Producer, device: Place | None, copy: bool | None) -> ndarray:
    """Return an array over memory of a SYCL device, which is brought elsewhere if that is asked."""
    if hasattr(x, "__sycl_usm_array_interface__"):  # which tells the queue as well
        return asarray(x, device=device, copy=copy)
    shared, is_read_only = _native.share_dlpack_sycl(x)
    if is_read_only and copy is False:
        raise BufferError(_no_way_around("it is read-only"))
    return asarray(shared, device=device, copy=True if is_read_only else copy)


def _no_way_around(why: str) -> str:
    return (
        "from_dlpack cannot avoid a copy\n"
        f"  why:  {why}, and `copy=False` was asked for\n"
        "  help: leave `copy` out, or use `copy=None`"
    )
