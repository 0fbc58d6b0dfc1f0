"""The names of ``dpctl`` 0.22, those it had before, and what each is in situ."""

# The tables are full of small functions, whose types would hide what they say.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import time
import warnings
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple, cast

import situ
from situ import _native
from situ._native import Context, Device, Event, Platform, Queue
from situ.compat._enumerations import (
    backend_type,
    device_type,
    event_status_type,
    global_mem_cache_type,
)
from situ.compat._filter_strings import device_of, select
from situ.compat._peer_class import peer_class
from situ.compat._peer_module import Refusal

__all__ = ["NAMES", "SyclQueue", "device_context"]

_PROPERTIES = {"default": 0, "enable_profiling": 1, "in_order": 2}


def _made_device(arg: object = None, /) -> Device:
    """Choose a device, by filter string; the default one if nothing is said."""
    return situ.current().device if arg is None else device_of(arg)


def _made_context(arg: object = None, /) -> Context:
    """Return the default context of a device, or make one for several devices."""
    if arg is None:
        return situ.current().context
    if isinstance(arg, str | Device):
        return device_of(arg).root_device.default_context
    return Context(cast("Any", arg))


def _made_queue(*arguments: object, property: object = None, **keywords: object) -> Queue:
    """Make a queue: for a filter string, a device, or a context and one of its devices."""
    if keywords:
        msg = f"SyclQueue() got an unexpected keyword argument '{min(keywords)}'"
        raise TypeError(msg)
    # Without in-order, a queue is in order all the same: situ's are unless they are told otherwise,
    # and so all queues of a device without properties are equivalent.
    profiling = bool(_property_bits(property) & _PROPERTIES["enable_profiling"])
    places = [select(one) if isinstance(one, str) else one for one in arguments]
    if not places and not profiling:
        current = situ.current()
        return Queue(current.context, current.device)
    return Queue(*cast("Any", places or [situ.current().device]), enable_profiling=profiling)


def _property_bits(property: object) -> int:
    if property is None:
        return 0
    if isinstance(property, int):
        return property
    names = [property] if isinstance(property, str) else list(cast("Iterable[str]", property))
    bits = 0
    for name in names:
        if name not in _PROPERTIES:
            choices = ", ".join(f"'{one}'" for one in _PROPERTIES)
            msg = f"a queue has no property {name!r}\n  help: there are {choices}"
            raise ValueError(msg)
        bits |= _PROPERTIES[name]
    return bits


def _made_event(arg: object = None, /) -> Event:
    """Return an event that has ended, or the one that is given."""
    if arg is None:
        return Event()
    if isinstance(arg, Event):
        return arg
    msg = f"an event is made of nothing or of an event, not of a `{type(arg).__name__}`"
    raise TypeError(msg)


def _made_platform(arg: object = None, /) -> Platform:
    """Return the platform of a device."""
    try:
        return arg if isinstance(arg, Platform) else _made_device(arg).platform
    except situ.DeviceError as error:
        # The peer has no class for this one.
        raise ValueError(str(error)) from None


SyclContext = peer_class("SyclContext", "dpctl", Context, _made_context)
SyclDevice = peer_class("SyclDevice", "dpctl", Device, _made_device)
SyclEvent = peer_class("SyclEvent", "dpctl", Event, _made_event)
SyclPlatform = peer_class("SyclPlatform", "dpctl", Platform, _made_platform)
SyclQueue = peer_class("SyclQueue", "dpctl", Queue, _made_queue)


class _Durations(NamedTuple):
    host_dt: float
    device_dt: float


class SyclTimer(situ.Timer):
    """A timer of situ whose times are multiplied by a scale."""

    def __init__(
        self,
        host_timer: Callable[[], float] = time.perf_counter,
        device_timer: str | None = None,
        time_scale: float = 1,
    ) -> None:
        super().__init__(host_timer)
        del device_timer
        self._scale = time_scale

    @property
    def dt(self) -> Any:  # noqa: ANN401 - two numbers under the peer's names
        """Seconds on the host and on the device, times the scale."""
        host, device = super().dt
        return _Durations(host * self._scale, device * self._scale)


# Finding devices


def get_devices(backend: str = "all", device_type: str = "all") -> list[Device]:
    """Return the devices of a backend and of a type."""
    wanted, kind = str(backend_type(backend)), str(device_type)
    if kind not in {str(one) for one in NAMES["device_type"]}:
        msg = f"`{kind}` is no device type"
        raise ValueError(msg)
    return [
        device
        for device in _native.devices()
        if (wanted == device.backend or (wanted == "all" and device.backend != "reference"))
        and kind in ("all", device.device_type)
    ]


def get_num_devices(backend: str = "all", device_type: str = "all") -> int:
    """Count the devices of a backend and of a type."""
    return len(get_devices(backend, device_type))


def select_device_with_aspects(
    required_aspects: str | Iterable[str], excluded_aspects: str | Iterable[str] | None = None
) -> Device:
    """Return a device that has some aspects and has not others."""
    required, excluded = _listed(required_aspects), _listed(excluded_aspects or ())
    found = _native.devices(aspects=required, without=excluded)
    fitting = [device for device in found if device.backend != "reference"]
    if not fitting:
        have = ", ".join(f"`{device.filter_string}`" for device in _native.devices())
        msg = (
            f"no device has the aspects {required} without {excluded}\n"
            f"  help: there are {have}; `device.aspects` says what each has"
        )
        raise situ.DeviceError(msg)
    default = situ.current().device
    return default if default in fitting else fitting[0]


def _listed(aspects: str | Iterable[str]) -> list[str]:
    return [aspects] if isinstance(aspects, str) else list(aspects)


def lsplatform(verbosity: int = 0) -> None:
    """Print the platforms, and with more verbosity their devices."""
    for number, platform in enumerate(_native.platforms()):
        if verbosity:
            print(f"Platform {number:2d} ::")
        cast("Any", platform).print_platform_info(verbosity)


def _is_there(kind: str) -> bool:
    return bool(get_devices(device_type=kind))


# What went away, and how it is said now


def _deprecated(name: str, instead: str) -> None:
    warnings.warn(f"`{name}` is deprecated; {instead}", DeprecationWarning, stacklevel=3)


def device_context(arg: object) -> AbstractContextManager[Queue]:
    """Make a queue current for a block: for new arrays, and for kernels that get NumPy arrays."""
    _deprecated(
        "dpctl.device_context",
        "give arrays a place (`device=`), or use `situ.current` and `situ.host_data_on`",
    )
    return on(arg)


@contextmanager
def on(arg: object) -> Generator[Queue]:
    """Make a queue current for a block, without a warning."""
    queue = arg if isinstance(arg, Queue) else _native.find_queue(device_of(arg))
    with situ.current(queue), situ.host_data_on(queue):
        _activated.append(queue)
        try:
            yield queue
        finally:
            _activated.pop()


_activated: list[Queue] = []


def set_global_queue(arg: object) -> None:
    """Set the queue that new arrays belong to if nobody says."""
    _deprecated("dpctl.set_global_queue", "use `situ.set_global_queue`")
    situ.set_global_queue(arg if isinstance(arg, Queue) else device_of(arg))


def reset_global_queue() -> None:
    """Forget the global queue."""
    _deprecated("dpctl.reset_global_queue", "use `situ.reset_global_queue`")
    situ.reset_global_queue()


def get_current_queue() -> Queue:
    """Return the queue that new arrays belong to."""
    _deprecated("dpctl.get_current_queue", "use `situ.current()`")
    return situ.current()


def get_current_device_type() -> object:
    """Return the type of the current queue's device."""
    _deprecated("dpctl.get_current_device_type", "use `situ.current().device.device_type`")
    return device_type(situ.current().device.device_type)


def get_current_backend() -> object:
    """Return the backend of the current queue."""
    _deprecated("dpctl.get_current_backend", "use `situ.current().device.backend`")
    return backend_type(situ.current().device.backend)


def get_num_activated_queues() -> int:
    """Count the blocks of `device_context` around the caller."""
    _deprecated("dpctl.get_num_activated_queues", "situ keeps no stack of queues")
    return len(_activated)


def is_in_device_context() -> bool:
    """Return whether a block of `device_context` is around the caller."""
    _deprecated("dpctl.is_in_device_context", "situ keeps no stack of queues")
    return bool(_activated)


def has_host_device() -> bool:
    """Return whether there is a host device: there is none any more."""
    _deprecated("dpctl.has_host_device", "the native device is the host: `situ.Device('native')`")
    return False


class _RawArgument:
    """An argument of kernels that are not written in Python; situ has no such kernels."""

    def __init__(self, *_arguments: object) -> None:
        Refusal(f"dpctl.{type(self).__name__}", _RAW).refuse()

    @staticmethod
    def is_available() -> bool:
        """Whether kernels can take one: no."""
        return False


_RAW = "write the kernel in Python with `@situ.kernel`; it takes `situ.kernel_api.LocalAccessor`"
RawKernelArg = type("RawKernelArg", (_RawArgument,), {"__module__": "dpctl"})
WorkGroupMemory = type("WorkGroupMemory", (_RawArgument,), {"__module__": "dpctl"})

NAMES: dict[str, Any] = {
    "LocalAccessor": lambda dtype, shape: situ.kernel_api.LocalAccessor(shape, dtype),
    "RawKernelArg": RawKernelArg,
    "SyclContext": SyclContext,
    "SyclContextCreationError": situ.DeviceError,
    "SyclDevice": SyclDevice,
    "SyclDeviceCreationError": situ.DeviceError,
    "SyclEvent": SyclEvent,
    "SyclKernelInvalidRangeError": situ.ShapeError,
    "SyclKernelSubmitError": situ.KernelError,
    "SyclPlatform": SyclPlatform,
    "SyclQueue": SyclQueue,
    "SyclQueueCreationError": situ.DeviceError,
    "SyclSubDeviceCreationError": situ.DeviceError,
    "SyclTimer": SyclTimer,
    "WorkGroupMemory": WorkGroupMemory,
    "__version__": "0.22.1",
    "backend_type": backend_type,
    "device_context": device_context,
    "device_type": device_type,
    "event_status_type": event_status_type,
    "get_composite_devices": lambda: list[Device](),
    "get_current_backend": get_current_backend,
    "get_current_device_type": get_current_device_type,
    "get_current_queue": get_current_queue,
    "get_device_cached_queue": lambda key: _native.find_queue(
        device_of(key[1] if isinstance(key, tuple) else key)
    ),
    "get_devices": get_devices,
    "get_include": Refusal(
        "dpctl.get_include",
        "its headers are of another interface; situ's own is in `situ.get_include()`",
    ),
    "get_num_activated_queues": get_num_activated_queues,
    "get_num_devices": get_num_devices,
    "get_platforms": _native.platforms,
    "global_mem_cache_type": global_mem_cache_type,
    "has_accelerator_devices": lambda: _is_there("accelerator"),
    "has_cpu_devices": lambda: _is_there("cpu"),
    "has_gpu_devices": lambda: _is_there("gpu"),
    "has_host_device": has_host_device,
    "is_in_device_context": is_in_device_context,
    "lsplatform": lsplatform,
    "nested_context_factories": [],
    "reset_global_queue": reset_global_queue,
    "select_accelerator_device": lambda: select("accelerator"),
    "select_cpu_device": lambda: select("cpu"),
    "select_default_device": lambda: situ.current().device,
    "select_device_with_aspects": select_device_with_aspects,
    "select_gpu_device": lambda: select("gpu"),
    "select_host_device": Refusal(
        "dpctl.select_host_device", "the native device is the host: `situ.Device('native')`"
    ),
    "set_global_queue": set_global_queue,
}
