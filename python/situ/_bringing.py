"""Bringing arguments of a call to a queue, for calls that run on a queue whatever they are given.

Memory that is accessible from the queue stays where it is. Everything else is copied there: arrays
of other devices and contexts, NumPy arrays, and whatever else describes itself as an array.
"""

from array import array
from collections.abc import Callable, Sequence
from typing import Any, TypeGuard, cast

import numpy as np
import numpy.typing as npt

from situ import _native
from situ._array_facts import may_share_memory
from situ._creation import asarray
from situ._host_data import host_guest
from situ._native import Queue, ndarray
from situ.exceptions import PlacementError

__all__ = ["Journey", "bring", "is_accessible", "run_over"]

# Protocols by which other libraries describe arrays.
_PROTOCOLS = ("__sycl_usm_array_interface__", "__array_interface__", "__dlpack__")

# Arrays are not nested deeper than this; lists that contain themselves are.
_DEEPEST = 64


def bring(argument: Any, queue: Queue, depth: int = 0) -> Any:  # noqa: ANN401 - any argument
    """Return an argument with every array in it on a queue; what is no array stays as it is.

    Lists, tuples and dicts are looked into.
    """
    if isinstance(argument, ndarray):
        return _native.bring(argument, device=queue)
    if _is_collection(argument) and depth <= _DEEPEST:
        items = list(argument.values() if isinstance(argument, dict) else argument)
        brought = [bring(item, queue, depth + 1) for item in items]
        is_same = all(new is old for new, old in zip(brought, items, strict=True))
        return argument if is_same else _collected(argument, brought)
    if _describes_array(argument):
        return asarray(argument, queue=queue)
    return argument


def is_accessible(x: ndarray, queue: Queue) -> bool:
    """Return whether a queue can use an array's memory as it is."""
    return x.context == queue.context


Collection = list[Any] | tuple[Any, ...] | dict[Any, Any]


def _is_collection(argument: object) -> TypeGuard[Collection]:
    return isinstance(argument, list | tuple | dict)


def _collected(like: Collection, items: list[Any]) -> object:
    """Return a collection like another one, with other items."""
    if isinstance(like, dict):
        return dict(zip(like, items, strict=True))
    if isinstance(like, list):
        return items
    make = getattr(like, "_make", tuple)  # that of named tuples
    return make(items)


def _describes_array(argument: object) -> bool:
    if isinstance(argument, np.generic | str | bytes | int | float | complex | type):
        return False
    if isinstance(argument, bytearray | memoryview | array):
        return True
    return any(hasattr(argument, protocol) for protocol in _PROTOCOLS)


class Journey:
    """The arguments of one call of a function that may write to them.

    What could not stay where it is travels as a copy, and comes home after the call.

    Parameters
    ----------
    function : str
        The function's name, for messages.
    arguments, keywords
        What it is called with.
    queue : Queue
        Where they go.
    """

    def __init__(
        self,
        function: str,
        arguments: Sequence[object],
        keywords: dict[str, object],
        queue: Queue,
    ) -> None:
        self._function = function
        self._queue = queue
        self._travellers: dict[int, _Traveller] = {}
        self.arguments = [self._admitted(item) for item in arguments]
        self.keywords = {name: self._admitted(item) for name, item in keywords.items()}
        self._refuse_overlaps()

    def _admitted(self, argument: object) -> object:
        # An array that is passed twice is one array.
        known = self._travellers.get(id(argument))
        if known is not None:
            return known.there
        traveller = _traveller(argument, self._queue)
        if traveller is None:
            return argument
        self._travellers[id(argument)] = traveller
        return traveller.there

    def _refuse_overlaps(self) -> None:
        travellers = list(self._travellers.values())
        for place, first in enumerate(travellers):
            for second in travellers[place + 1 :]:
                if (first.is_copy or second.is_copy) and first.overlaps(second):
                    msg = (
                        f"two arguments of `{self._function}` overlap in memory\n"
                        f"  why:  they are copied to {self._queue.device.filter_string} one by "
                        "one, so what is written to one would not be seen in the other\n"
                        "  help: bring the array over once, and pass views of that, e.g. "
                        "`x = lib.asarray(x)`"
                    )
                    raise PlacementError(msg)

    def end(self) -> None:
        """Bring home what travelled as a copy; memory of the host is up to date after this."""
        for traveller in self._travellers.values():
            if traveller.is_copy:
                traveller.come_home()
        if any(traveller.is_host for traveller in self._travellers.values()):
            self._queue.wait()


class _Traveller:
    """An argument, and the array on the queue that stands for it."""

    def __init__(self, home: ndarray | npt.NDArray[Any], there: ndarray, *, is_copy: bool) -> None:
        self.home = home
        self.there = there
        self.is_copy = is_copy

    @property
    def is_host(self) -> bool:
        return not isinstance(self.home, ndarray)

    def overlaps(self, other: "_Traveller") -> bool:
        if isinstance(self.home, ndarray) and isinstance(other.home, ndarray):
            return may_share_memory(self.home, other.home) and _spans_meet(self.home, other.home)
        if isinstance(self.home, ndarray) or isinstance(other.home, ndarray):
            return False
        return np.may_share_memory(self.home, other.home)

    def come_home(self) -> None:
        if isinstance(self.home, ndarray):
            self.home[...] = self.there.to_device(self.home.queue)
        elif self.home.flags.writeable:
            self.home[...] = self.there.to_numpy()
        elif not np.array_equal(self.home, self.there.to_numpy(), equal_nan=_has_nan(self.home)):
            msg = (
                "a NumPy array that is read-only was written\n"
                "  why:  the function changed the copy that stands for it on the device, and the "
                "change cannot be stored\n"
                "  help: pass a copy that can be written, e.g. `x.copy()`"
            )
            raise ValueError(msg)


def _spans_meet(first: ndarray, second: ndarray) -> bool:
    (start, end), (other_start, other_end) = _span(first), _span(second)
    return start < other_end and other_start < end


def _span(x: ndarray) -> tuple[int, int]:
    """Return the addresses between which an array's elements are."""
    if x.size == 0:
        return 0, 0
    interface = x.__sycl_usm_array_interface__
    start = interface["data"][0] + interface.get("offset", 0) * x.itemsize
    steps = [(size - 1) * stride for size, stride in zip(x.shape, x.strides, strict=True)]
    low, high = sum(s for s in steps if s < 0), sum(s for s in steps if s > 0)
    return start + low, start + high + x.itemsize


def _has_nan(host: npt.NDArray[Any]) -> bool:
    return host.dtype.kind in "fc"


def _traveller(argument: object, queue: Queue) -> _Traveller | None:
    if isinstance(argument, np.ndarray):
        host = cast("npt.NDArray[Any]", argument)
        if host.ndim == 0:  # a number
            return None
        there, is_copy = host_guest(host, queue)
        return _Traveller(host, there, is_copy=is_copy)
    if not isinstance(argument, ndarray):
        if not hasattr(argument, "__sycl_usm_array_interface__"):
            return None
        argument = asarray(argument)
    there = _native.bring(argument, device=queue)
    return _Traveller(argument, there, is_copy=not is_accessible(argument, queue))


def run_over(
    function: Callable[..., Any],
    name: str,
    arguments: Sequence[object],
    keywords: dict[str, object],
    queue: Queue,
) -> Any:  # noqa: ANN401 - what the function returns
    """Call a function that may write to its arguments, with all arrays on a queue."""
    journey = Journey(name, arguments, keywords, queue)
    result = function(*journey.arguments, **journey.keywords)
    journey.end()
    return result
