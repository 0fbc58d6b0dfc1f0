"""Filter strings of the peers: which device each of them means here.

The words are SYCL's: a backend, a type and a number, joined by colons in any order, any of them
left out; alternatives are separated by commas. Case and spaces matter. Situ's own backends are
words, too, so that the filter string of any device leads back to it.

SYCL drives graphics processors through backends that situ has not. Their words mean the devices
of the vendor whose driver they are, by whichever backend situ reaches them.
"""

from collections.abc import Sequence

from situ import _native
from situ._native import Context, Device, Queue, ndarray
from situ._queue_manager import Place
from situ.exceptions import DeviceError

__all__ = ["device_of", "place", "select"]

_TYPES = ("accelerator", "cpu", "gpu")
_SITU_BACKENDS = ("native", "opencl", "reference", "sycl", "virtual")
# Backends of SYCL that situ has not, and whose devices they drive.
_VENDORS = {"cuda": "nvidia", "hip": "amd", "level_zero": "intel"}


def select(text: str, devices: Sequence[Device] | None = None) -> Device:
    """Return the device that a filter string means.

    Parameters
    ----------
    text : str
        The filter string.
    devices : list of Device, optional
        Among which; by default all of the machine.

    Raises
    ------
    DeviceError
        No device fits, or the text is no filter string.
    """
    among = _native.devices() if devices is None else devices
    reasons: list[str] = []
    for alternative in text.split(","):
        words = _words(alternative)
        if isinstance(words, str):
            reasons.append(words)
            continue
        backend, kind, number = words
        fitting = [device for device in among if _fits(device, backend, kind)]
        if number < len(fitting):
            return fitting[number]
        reasons.append(_nothing(alternative, backend, len(fitting)))
    names = ", ".join(f"`{device.filter_string}`" for device in among)
    why = "; ".join(reasons)
    msg = f"there is no device `{text}`\n  why:  {why}\n  help: the devices are {names}"
    raise DeviceError(msg)


def place(value: Place) -> Place:
    """Return what `device=` and `queue=` of situ's functions take, from what the peers' take."""
    return select(value) if isinstance(value, str) else value


def device_of(value: object) -> Device:
    """Return the device that a peer's function takes: by filter string, or as an object."""
    if isinstance(value, str):
        return select(value)
    if isinstance(value, Device):
        return value
    if isinstance(value, Queue | ndarray):
        return value.device
    if isinstance(value, Context):
        return value.devices[0]
    kind = type(value).__name__
    msg = (
        f"a `{kind}` is no device\n"
        "  why:  devices are named by filter strings, and given as objects\n"
        "  help: pass a text such as 'cpu', a device, or a queue"
    )
    raise TypeError(msg)


def _words(alternative: str) -> tuple[str | None, str | None, int] | str:
    """Return backend, type and number; or what is wrong."""
    found: dict[str, str] = {}
    for word in alternative.split(":"):
        if word in _TYPES:
            role = "type"
        elif word in _SITU_BACKENDS or word in _VENDORS:
            role = "backend"
        elif word.isdecimal() and word.isascii():
            role = "number"
        else:
            return f"`{word}` is no backend, device type or number"
        if role in found:
            return f"`{alternative}` has two words for the {role}"
        found[role] = word
    return found.get("backend"), found.get("type"), int(found.get("number", "0"))


def _fits(device: Device, backend: str | None, kind: str | None) -> bool:
    if kind is not None and device.device_type != kind:
        return False
    own = device.backend
    if backend is None:
        # It is for checking programs, so only those get it that name it.
        return own != "reference"
    if backend in _VENDORS:
        vendor = (device.vendor or "").lower()
        return device.device_type == "gpu" and _VENDORS[backend] in vendor
    return own == backend


def _nothing(alternative: str, backend: str | None, count: int) -> str:
    if count:
        return f"only {count} fit `{alternative}` without its number"
    if backend in _VENDORS:
        return (
            f"no device fits `{alternative}`, that is, no graphics processor of "
            f"{_VENDORS[backend].upper() if backend != 'level_zero' else 'Intel'}"
        )
    return f"no device fits `{alternative}`"
