"""What devices, queues, events, memory and arrays are called by the peers: tables of attributes.

Arrays hand out their queue, queues their device and so on, all by themselves, so objects cannot be
wrapped on the way to a program that uses the peers' names. Instead, situ's classes have those names
too while the peers' modules are installed. Three attributes that exist anyway are given another
look: ``backend`` and ``device_type`` are members of enumerations, which are equal to the texts
that situ has there, and some methods take arguments that they ignore.
"""

# The tables are full of small functions of one situ object, whose types would hide what they say.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any, cast

import numpy as np
import numpy.typing as npt

import situ
from situ import _native
from situ._native import Allocation, Context, Device, Event, Kernel, Platform, Queue, ndarray
from situ.compat._described_memory import reinterpreted
from situ.compat._enumerations import (
    backend_type,
    device_type,
    event_status_type,
    global_mem_cache_type,
)
from situ.compat._filter_strings import device_of
from situ.compat._flat_iterator import flatiter
from situ.compat._keywords import adapted
from situ.compat._layout_flags import LayoutFlags
from situ.compat._peer_module import Refusal

__all__ = ["attach", "detach"]

# What was there before, to be put back: class, name, and the attribute or nothing.
_before: list[tuple[type, str, object]] = []
_ABSENT = object()


def attach() -> None:
    """Give situ's classes the peers' names."""
    # Read before anything changes.
    backend, kind = (_getter(Device, name) for name in ("backend", "device_type"))
    platform_backend = _getter(Platform, "backend")
    looks: dict[type, dict[str, object]] = {
        Device: {
            "backend": property(lambda device: backend_type(backend(device))),
            "device_type": property(lambda device: device_type(kind(device))),
        },
        Platform: {
            "backend": property(lambda platform: backend_type(platform_backend(platform))),
        },
    }
    for owner, table in _TABLES.items():
        for name, attribute in (table | looks.get(owner, {})).items():
            _before.append((owner, name, owner.__dict__.get(name, _ABSENT)))
            setattr(owner, name, attribute)


def detach() -> None:
    """Take the names away again."""
    while _before:
        owner, name, attribute = _before.pop()
        if attribute is _ABSENT:
            delattr(owner, name)
        else:
            setattr(owner, name, attribute)


def _getter(owner: type, name: str) -> Callable[[Any], Any]:
    """Return what reads a property of a compiled class."""
    descriptor: Any = owner.__dict__[name]
    return lambda instance: descriptor.__get__(instance, owner)


def _alias(name: str) -> property:
    """Another name for a property."""
    return property(lambda instance: getattr(instance, name), doc=f"As `{name}`.")


def _constant(value: object, doc: str) -> property:
    return property(lambda _instance: value, doc=doc)


def _or_zero(name: str) -> property:
    return property(lambda instance: getattr(instance, name) or 0, doc=f"As `{name}`; 0: unknown.")


def _refusal(name: str, instead: str) -> Callable[..., None]:
    """Return a method that situ has nothing for."""
    refusal = Refusal(name, instead)

    def method(_self: object, *_arguments: object, **_keywords: object) -> None:
        refusal.refuse()

    method.__doc__ = refusal.__doc__
    method.__dict__["refusal"] = refusal
    return method


_NO_ADDRESS = "pass the object itself, or its capsule by `_get_capsule()` where it is SYCL's"

# Devices


def _filter_string(
    device: Device, include_backend: bool = True, include_device_type: bool = True
) -> str:
    """Return a filter string of the device, with or without its backend and type."""
    backend = str(device.backend) if include_backend else None
    kind = str(device.device_type) if include_device_type else None
    fitting = [
        other
        for other in _native.devices()
        if backend in (None, str(other.backend)) and kind in (None, str(other.device_type))
    ]
    words = (backend, kind, str(fitting.index(device.root_device)))
    return ":".join(word for word in words if word is not None)


def _index(device: Device) -> int:
    """Return the position of the device among all of the machine."""
    return _native.devices().index(device.root_device)


def _cache_type(device: Device) -> global_mem_cache_type:
    name = device.cache_type
    return global_mem_cache_type[name] if name else global_mem_cache_type.none


def _print_device(device: Device) -> None:
    """Print what the device is."""
    facts = {
        "Name": device.name,
        "Driver version": device.driver_version,
        "Vendor": device.vendor or "",
        "Filter string": device.filter_string,
    }
    print("\n".join(f"    {name:<15} {value}" for name, value in facts.items()), end="\n\n")


def _work_item_sizes(device: Device) -> tuple[int, ...]:
    warnings.warn(
        "`max_work_item_sizes` is deprecated, use `max_work_item_sizes3d`",
        DeprecationWarning,
        stacklevel=2,
    )
    return device.max_work_item_sizes_3d


def _selector_score(device: Device) -> int:
    """Return a number that is the greatest for the default device."""
    if device == situ.current().device:
        return 2000
    return {"gpu": 1500, "cpu": 1300}.get(str(device.device_type), 100)


def _sub_devices(device: Device, **keywords: object) -> list[Device]:
    """Cut the device into parts: ``partition`` is a number, several numbers, or an affinity."""
    if keywords.keys() != {"partition"}:
        msg = "create_sub_devices() takes exactly one argument, `partition`, by name"
        raise TypeError(msg)
    partition = keywords["partition"]
    if isinstance(partition, str):
        if partition == "not_applicable":
            msg = f"{device.filter_string} cannot be cut by what does not apply"
            raise situ.DeviceError(msg)
        return _create_sub_devices(device, partition)
    # Halves of a number of compute units are floats.
    if isinstance(partition, Sequence):
        return _create_sub_devices(device, [int(count) for count in cast("Any", partition)])
    return _create_sub_devices(device, int(cast("Any", partition)))


_create_sub_devices = Device.create_sub_devices


def _can_access_peer(device: Device, peer: Device, value: str = "access_supported") -> bool:
    """Return whether the device reaches the memory of another: within a root device only."""
    del value
    return device.root_device == peer.root_device


_IMAGES = (
    "image_2d_max_height",
    "image_2d_max_width",
    "image_3d_max_depth",
    "image_3d_max_height",
    "image_3d_max_width",
    "max_read_image_args",
    "max_write_image_args",
)

_DEVICE: dict[str, object] = {
    **{name: _constant(0, "Kernels have no images.") for name in _IMAGES},
    "addressof_ref": _refusal("dpctl.SyclDevice.addressof_ref", _NO_ADDRESS),
    "can_access_peer": _can_access_peer,
    "component_devices": lambda _device: list[Device](),
    "composite_device": _constant(None, "Devices are not put together of others."),
    "create_device": staticmethod(
        lambda device=None: situ.current().device if device is None else device_of(device)
    ),
    "create_sub_devices": _sub_devices,
    "default_selector_score": property(_selector_score),
    "disable_peer_access": _refusal(
        "dpctl.SyclDevice.disable_peer_access", "a `situ.Context` says which devices see an array"
    ),
    "enable_peer_access": _refusal(
        "dpctl.SyclDevice.enable_peer_access", "make a `situ.Context` of the devices"
    ),
    "get_device_id": _index,
    "get_filter_string": _filter_string,
    "get_unpartitioned_parent_device": lambda device: device.root_device,
    "global_mem_cache_line_size": _or_zero("cache_line_bytes"),
    "global_mem_cache_size": _or_zero("cache_bytes"),
    "global_mem_cache_type": property(_cache_type),
    "global_mem_size": _alias("memory_bytes"),
    "is_accelerator": _alias("has_aspect_accelerator"),
    "is_cpu": _alias("has_aspect_cpu"),
    "is_gpu": _alias("has_aspect_gpu"),
    "local_mem_size": _alias("local_memory_bytes"),
    "max_clock_frequency": _or_zero("clock_mhz"),
    "max_compute_units": _alias("compute_units"),
    "max_mem_alloc_size": _alias("max_allocation_bytes"),
    "max_work_item_sizes": property(_work_item_sizes),
    "max_work_item_sizes1d": _alias("max_work_item_sizes_1d"),
    "max_work_item_sizes2d": _alias("max_work_item_sizes_2d"),
    "max_work_item_sizes3d": _alias("max_work_item_sizes_3d"),
    "partition_max_sub_devices": _alias("max_sub_devices"),
    "print_device_info": _print_device,
    "profiling_timer_resolution": _or_zero("timer_resolution_ns"),
    "sub_group_independent_forward_progress": _alias("sub_groups_progress_independently"),
    "sycl_context": _alias("default_context"),
    # The peer's arrays have a device that is more: a device with the array's queue.
    "sycl_device": property(lambda device: device),
    "sycl_platform": _alias("platform"),
    "sycl_queue": property(_native.find_queue),
    "sycl_queue_": property(_native.find_queue),
    "wait": lambda device: _native.find_queue(device).wait(),
}

# Platforms, contexts, queues and events


def _print_platform(platform: Platform, verbosity: int = 0) -> None:
    """Print what the platform is, and with more verbosity what its devices are."""
    if verbosity == 0:
        print(platform.name, platform.version)
        return
    facts = {
        "Name": platform.name,
        "Version": platform.version,
        "Vendor": platform.vendor,
        "Backend": str(platform.backend),
        "Num Devices": len(platform.devices),
    }
    print("\n".join(f"    {name:<11} {value}" for name, value in facts.items()))
    if verbosity < 2:
        return
    for number, device in enumerate(platform.devices):
        print(f"      # {number}")
        print(f"        {'Name':<19} {device.name}")
        print(f"        {'Version':<19} {device.driver_version}")
        print(f"        {'Filter string':<19} {device.filter_string}")


def _platform_devices(platform: Platform, device_type: str = "all") -> list[Device]:
    """Return the devices of the platform, all or those of a type."""
    wanted = str(device_type)
    return [one for one in platform.devices if wanted in ("all", str(one.device_type))]


_PLATFORM: dict[str, object] = {
    "get_composite_devices": lambda _platform: list[Device](),
    "get_devices": _platform_devices,
    "print_platform_info": _print_platform,
}

_CONTEXT: dict[str, object] = {
    "addressof_ref": _refusal("dpctl.SyclContext.addressof_ref", _NO_ADDRESS),
    "get_devices": lambda context: context.devices,
}


def _memcpy(queue: Queue, dest: object, src: object, count: int) -> None:
    """Copy bytes, and wait for the copy."""
    _memcpy_async(queue, dest, src, count).wait()


def _memcpy_async(
    queue: Queue,
    dest: object,
    src: object,
    count: int,
    dEvents: Sequence[Event] | None = None,
) -> Event:
    """Copy bytes between allocations, or between one and an object of the host."""
    depends = list(dEvents or ())
    if isinstance(dest, Allocation) and isinstance(src, Allocation):
        return queue.copy_async(dest, src, count, depends=depends)
    Event.wait_for(depends)
    if isinstance(dest, Allocation):
        dest.copy_from_host(memoryview(cast("Any", src)).cast("B")[:count])
    elif isinstance(src, Allocation):
        src.copy_to_host(memoryview(cast("Any", dest)).cast("B")[:count])
    else:
        memoryview(cast("Any", dest)).cast("B")[:count] = memoryview(cast("Any", src)).cast("B")[
            :count
        ]
    return Event()


def _memset(queue: Queue, mem: Allocation, val: int, count: int | None = None) -> None:
    """Set bytes, and wait for it."""
    queue.fill(mem, val, count)


def _memset_async(
    queue: Queue,
    mem: Allocation,
    val: int,
    count: int | None = None,
    dEvents: Sequence[Event] | None = None,
) -> Event:
    """Set bytes."""
    return queue.fill_async(mem, val, count, depends=list(dEvents or ()))


def _submit_barrier(queue: Queue, dependent_events: Iterable[Event] | None = None) -> Event:
    """Submit a barrier; the event ends when everything before it has."""
    return queue.barrier(depends=list(dependent_events or ()) or None)


def _keep_alive(
    queue: Queue,
    args: object,
    dEvents: Sequence[Event] = (),
) -> Event:
    """Keep objects until events have ended."""
    return queue.host_task(_hold, args, depends=list(dEvents))


def _hold(_objects: object) -> None:
    """Do nothing with what is kept."""


def _hint(_queue: Queue, *_arguments: object) -> None:
    """Take a hint about memory, which situ has no use for."""


_RAW_KERNELS = (
    "write the kernel in Python with `@situ.kernel`, and call it, or submit it with "
    "`kernel[range].submit(...)`"
)

_QUEUE: dict[str, object] = {
    "_submit_keep_args_alive": _keep_alive,
    "addressof_ref": _refusal("dpctl.SyclQueue.addressof_ref", _NO_ADDRESS),
    "backend": property(lambda queue: queue.device.backend),
    "driver_version": property(lambda queue: queue.device.driver_version),
    "get_sycl_context": lambda queue: queue.context,
    "get_sycl_device": lambda queue: queue.device,
    "has_enable_profiling": _alias("enable_profiling"),
    "is_in_order": _alias("in_order"),
    "mem_advise": _hint,
    "memcpy": _memcpy,
    "memcpy_async": _memcpy_async,
    "memset": _memset,
    "memset_async": _memset_async,
    "name": property(lambda queue: queue.device.name),
    "prefetch": _hint,
    "print_device_info": lambda queue: _print_device(queue.device),
    "submit_async": _refusal("dpctl.SyclQueue.submit_async", _RAW_KERNELS),
    "submit_barrier": _submit_barrier,
    "sycl_context": _alias("context"),
    "sycl_device": _alias("device"),
}

_EVENT: dict[str, object] = {
    "_get_capsule": _refusal("dpctl.SyclEvent._get_capsule", "wait for the event: `event.wait()`"),
    "addressof_ref": _refusal("dpctl.SyclEvent.addressof_ref", "wait for it: `event.wait()`"),
    "backend": property(lambda _event: situ.current().device.backend),
    "execution_status": property(lambda event: event_status_type[event.status]),
    "get_wait_list": lambda event: event.dependencies,
    "profiling_info_end": _alias("end_ns"),
    "profiling_info_start": _alias("start_ns"),
    "profiling_info_submit": _alias("submit_ns"),
}

# Kernels

_INSPECT = "`kernel.inspect()` shows what was made of the kernel"
_TYPING = "situ compiles for the arrays of each call; `kernel.specializations` lists what there is"


def _no_effect(_kernel: Kernel, *_arguments: object, **_keywords: object) -> None:
    """Do nothing: situ compiles when it has to, and keeps what it compiled on disk."""


_KERNEL: dict[str, object] = {
    **{
        name: _refusal(f"numba_dpex.kernel.{name}", _TYPING)
        for name in (
            "add_overload",
            "fold_argument_types",
            "get_annotation_info",
            "get_call_template",
            "get_compile_result",
            "get_function_type",
            "get_metadata",
            "get_overload",
            "parallel_diagnostics",
            "typeof_pyval",
        )
    },
    **{
        name: _refusal(f"numba_dpex.kernel.{name}", _INSPECT)
        for name in ("inspect_cfg", "inspect_disasm_cfg", "inspect_types")
    },
    "compile": _no_effect,
    "disable_compile": _no_effect,
    "dump": lambda kernel, tab="": print(f"{tab}{kernel!r}", *kernel.specializations),
    "enable_caching": _no_effect,
    "inspect_asm": lambda kernel, signature=None: kernel.inspect("asm"),
    "inspect_llvm": lambda kernel, signature=None: kernel.inspect("llvm"),
    "is_compiling": _constant(False, "Nothing is compiled while nobody waits for it."),
    "nopython_signatures": _alias("specializations"),
    "py_func": _alias("__wrapped__"),
    "recompile": _no_effect,
    "signatures": _alias("specializations"),
    "stats": _constant(None, "The cache of compiled kernels counts for itself: `situ cache`."),
    "targetdescr": _constant(None, "Kernels are compiled for the device of each call."),
}

# Memory

_USM_NUMBERS = {"device": 1, "shared": 2, "host": 3}


def _fill(memory: Allocation, val: int = 0) -> None:
    """Set every byte."""
    memory.fill(val)


def _copy_from_device(memory: Allocation, sycl_usm_ary: object) -> None:
    """Copy the bytes of other memory, from the beginning."""
    memory.copy_from(sycl_usm_ary)


def _usm_type(memory: Allocation, syclobj: object = None) -> str:
    """Return the kind of the memory."""
    del syclobj
    return memory.usm_type


_ALLOCATION: dict[str, object] = {
    "_context": _alias("context"),
    "_pointer": _alias("pointer"),
    "_queue": _alias("queue"),
    "copy_from_device": _copy_from_device,
    "get_usm_type": _usm_type,
    "get_usm_type_enum": lambda memory, syclobj=None: _USM_NUMBERS[_usm_type(memory, syclobj)],
    "memset": _fill,
    "ptr": _alias("pointer"),
    "reference_obj": _constant(None, "Nothing else holds the memory."),
    "size": _alias("size_bytes"),
    "sycl_context": _alias("context"),
    "sycl_device": _alias("device"),
    "sycl_queue": _alias("queue"),
    "tobytes": lambda memory: memory.to_bytes(),
}

# Arrays


def _partition(
    x: ndarray, kth: int, axis: int = -1, kind: str = "introselect", order: None = None
) -> None:
    """Put an element where it belongs in the sorted array, in place."""
    del kind, order
    x[...] = situ.partition(x, kth, axis)


def _sort(
    x: ndarray,
    axis: int = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: bool = False,
    stable: bool | None = None,
) -> None:
    """Put elements in order, in place."""
    del order, stable
    x[...] = adapted(situ.sort, "dpnp.ndarray.sort")(x, axis, kind=kind, descending=descending)


def _to_bytes(x: ndarray, order: str = "C") -> bytes:
    """Return the bytes of all elements."""
    return x.to_numpy().tobytes(cast("Any", order))


def _to_file(x: ndarray, fid: Any, sep: str = "", format: str = "") -> None:  # noqa: ANN401
    """Write the elements to a file, as bytes or as text."""
    x.to_numpy().tofile(fid, sep, format or "%s")


def _as_numpy(x: ndarray, order: str = "C") -> npt.NDArray[Any]:
    """Copy the array to the host."""
    return np.asarray(x.to_numpy(), order=cast("Any", order))


def _copy(
    x: ndarray,
    order: str = "C",
    *,
    device: Any = None,  # noqa: ANN401 - whatever names a place
    usm_type: str | None = None,
    sycl_queue: Queue | None = None,
) -> ndarray:
    """Copy the array, here or elsewhere."""
    del order
    return adapted(situ.array, "dpnp.ndarray.copy")(
        x, device=device, usm_type=usm_type, sycl_queue=sycl_queue
    )


def _view(x: ndarray, dtype: npt.DTypeLike | None = None, *, type: object = None) -> ndarray:
    """Return another view of the array, whose elements may be read as another dtype."""
    del type
    return x[...] if dtype is None or x.dtype == dtype else reinterpreted(x, dtype)


def _namespace(x: ndarray, /, *, api_version: str | None = None) -> ModuleType:
    """Return the namespace of the array's functions: ``dpnp``, unless it belongs to another."""
    found = _namespace_of(x, api_version=api_version)
    return sys.modules["dpnp"] if found is situ else found


_namespace_of = ndarray.__array_namespace__


def _bytes(x: ndarray) -> bytes:
    return x.to_numpy().tobytes()


_ARRAY: dict[str, object] = {
    "__array_namespace__": _namespace,
    "__bytes__": _bytes,
    "__usm_ndarray__": property(lambda x: x),
    "argsort": adapted(ndarray.argsort, "dpnp.ndarray.argsort"),
    "asnumpy": _as_numpy,
    "astype": adapted(ndarray.astype, "dpnp.ndarray.astype"),
    "choose": lambda x, choices, out=None, mode="wrap": adapted(situ.choose, "dpnp.ndarray.choose")(
        x, choices, out=out, mode=mode
    ),
    "compress": lambda x, condition, axis=None, *, out=None: adapted(
        situ.compress, "dpnp.ndarray.compress"
    )(condition, x, axis=axis, out=out),
    "copy": _copy,
    "data": property(lambda x: situ.memory.as_allocation(x)),
    "flags": property(LayoutFlags),
    "flat": property(flatiter),
    "flatten": adapted(ndarray.flatten, "dpnp.ndarray.flatten", "x order"),
    "get_array": lambda x: x,
    "partition": _partition,
    "ravel": adapted(ndarray.ravel, "dpnp.ndarray.ravel", "x order"),
    "reshape": adapted(ndarray.reshape, "dpnp.ndarray.reshape"),
    "sort": _sort,
    "take": adapted(ndarray.take, "dpnp.ndarray.take"),
    "tobytes": _to_bytes,
    "tofile": _to_file,
    "usm_data": property(lambda x: situ.memory.as_allocation(x)),
    "view": _view,
}

_TABLES: Mapping[type, dict[str, object]] = {
    Allocation: _ALLOCATION,
    Context: _CONTEXT,
    Device: _DEVICE,
    Event: _EVENT,
    Kernel: _KERNEL,
    Platform: _PLATFORM,
    Queue: _QUEUE,
    ndarray: _ARRAY,
}
