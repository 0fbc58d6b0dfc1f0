"""Enumerations of dpctl, whose members are the texts that situ uses for the same."""

from enum import Enum, IntEnum, StrEnum, auto

__all__ = [
    "DLDeviceType",
    "backend_type",
    "device_type",
    "event_status_type",
    "global_mem_cache_type",
]


class backend_type(StrEnum):
    """Who drives a device: the peer's backends, and situ's own."""

    all = auto()
    cuda = auto()
    hip = auto()
    level_zero = auto()
    opencl = auto()
    native = auto()
    reference = auto()
    sycl = auto()
    virtual = auto()


class device_type(StrEnum):
    """What a device is."""

    all = auto()
    accelerator = auto()
    automatic = auto()
    cpu = auto()
    custom = auto()
    gpu = auto()


class event_status_type(Enum):
    """How far the work of an event is."""

    unknown_status = auto()
    submitted = auto()
    running = auto()
    complete = auto()


class global_mem_cache_type(Enum):
    """What a device's cache of global memory does."""

    indeterminate = auto()
    none = auto()
    read_only = auto()
    read_write = auto()


class DLDeviceType(IntEnum):
    """Types of devices of the DLPack standard."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17
    kDLTrn = 18
