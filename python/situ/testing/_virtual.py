"""Devices that are not there, for the time of a test."""

from collections.abc import Sequence
from contextlib import ContextDecorator

from situ._native import Device, add_virtual_devices, remove_virtual_devices


class virtual_devices(ContextDecorator):
    """Add virtual devices for the time of a block or of a function.

    A virtual device runs kernels on this machine's processor, but it has its own default context
    and its own limited memory, it can be partitioned, and the host cannot touch its ``device``
    memory. What works on several of them works on several real devices as far as placement and
    memory are concerned.

    The devices come after all others in `situ.devices`, so the default device stays what it is.
    Blocks may be nested: each adds devices of its own, numbered on. After the block the devices can
    no longer be found, but whoever holds one can go on using it.

    Parameters
    ----------
    request
        Types with a number of devices, such as ``"gpu:2,cpu:1"``; a type alone means one device. A
        virtual GPU has 8 compute units in 2 tiles, other types have 4 compute units.
        ``"gpu:1:no-fp64"`` is one without double precision.
    memory_bytes
        How much memory each device has for ``device`` and ``shared`` allocations; a quarter of the
        machine's if left out.
    without
        Aspects that the devices lack: ``"fp64"``, ``"fp16"``.

    Raises
    ------
    situ.DeviceError
        On entry, if `request` makes no sense, or devices cannot be without an aspect.

    Examples
    --------
    >>> import situ, situ.testing
    >>> with situ.testing.virtual_devices("gpu:2") as (first, second):
    ...     x = situ.ones(3, device=first)
    ...     y = situ.ones(3, device=second)
    ...     try:
    ...         x + y
    ...     except situ.PlacementError:
    ...         print("x and y live on different devices")
    x and y live on different devices

    As a decorator it adds devices for each call:

    >>> @situ.testing.virtual_devices("gpu")
    ... def count_gpus():
    ...     return len(situ.devices("gpu"))
    >>> count_gpus() - len(situ.devices("gpu"))
    1

    Many GPUs have no double precision. Whether a program works there can be tested anywhere:

    >>> with situ.testing.virtual_devices("gpu", without=("fp64",)) as (gpu,):
    ...     print(situ.ones(3, device=gpu).dtype)
    float32

    A pytest fixture is a block with a ``yield``::

        @pytest.fixture
        def gpus():
            with situ.testing.virtual_devices("gpu:2") as devices:
                yield devices
    """

    def __init__(
        self,
        request: str,
        *,
        memory_bytes: int | None = None,
        without: Sequence[str] = (),
    ) -> None:
        self._request = request
        self._memory_bytes = memory_bytes
        self._without = list(without)
        self._entered: list[list[Device]] = []

    def __enter__(self) -> list[Device]:
        """Add the devices and return them in the order of the request."""
        devices = add_virtual_devices(
            self._request, memory_bytes=self._memory_bytes, without=self._without
        )
        self._entered.append(devices)
        return list(devices)

    def __exit__(self, *exception: object) -> None:
        """Remove the devices of the innermost block that is still open."""
        remove_virtual_devices(self._entered.pop())
