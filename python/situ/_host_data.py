"""Arrays of the host as arguments of kernels: the block that says where they go.

A kernel follows its arrays, and arrays of NumPy are nowhere that a kernel could follow. Inside of
`host_data_on`, they are brought to a queue for the time of a call. Devices that reach memory of the
host use it in place; for the others, the arrays are copied, and those that the kernel writes are
copied back.
"""

from collections.abc import Sequence
from contextvars import ContextVar
from types import TracebackType
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from situ import _native
from situ._native import Queue, ndarray
from situ._queue_manager import Place
from situ.exceptions import PlacementError

__all__ = ["host_data_on"]

_target: ContextVar[Queue | None] = ContextVar(
    "where kernels take arrays of the host", default=None
)


class host_data_on:
    """Let kernels called in a ``with`` block take NumPy arrays, and run on the queue named here.

    The arrays are brought to the queue for the time of each call; when the call returns, what the
    kernel wrote is in them. Calls with situ arrays are not affected: they follow their arrays, and
    a `PlacementWarning` says so. Other threads and asyncio tasks are not affected either.

    Parameters
    ----------
    selector
        A filter string, device, queue or array whose queue runs the kernels.

    Examples
    --------
    >>> import numpy as np
    >>> import situ
    >>> @situ.kernel
    ... def double(x):
    ...     i = situ.get_global_id(0)
    ...     x[i] = 2 * x[i]
    >>> host = np.arange(4.0)
    >>> with situ.host_data_on("cpu"):
    ...     double(host)
    >>> host
    array([0., 2., 4., 6.])
    """

    def __init__(self, selector: Place, /) -> None:
        self._queue = _native.find_queue(selector)
        self._before: list[Queue | None] = []

    def __enter__(self) -> Queue:
        """Begin the block; gives the queue."""
        self._before.append(_target.get())
        _target.set(self._queue)
        _native.count_host_data_blocks(1)
        return self._queue

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the block."""
        _native.count_host_data_blocks(-1)
        _target.set(self._before.pop())

    def __repr__(self) -> str:
        return f"<situ.host_data_on {self._queue!r}>"


def target() -> Queue | None:
    """Return the queue of the innermost block around the caller."""
    return _target.get()


class Visit:
    """The arrays of one call on their visit to a queue.

    Parameters
    ----------
    kernel : str
        The kernel's name.
    arguments : list of (str, object)
        What it is called with, and the names of its parameters.
    queue : Queue
        Where they go.
    """

    def __init__(self, kernel: str, arguments: Sequence[tuple[str, object]], queue: Queue) -> None:
        self._kernel = kernel
        self._queue = queue
        self._guests: dict[int, _Guest] = {}
        self.arguments = [self._admitted(name, argument) for name, argument in arguments]

    def _admitted(self, name: str, argument: object) -> object:
        if not isinstance(argument, np.ndarray):
            return argument
        host = cast("npt.NDArray[Any]", argument)
        # An array that is passed twice is one array.
        guest = self._guests.get(id(host))
        if guest is None:
            guest = _Guest(name, host, self._queue)
            self._guests[id(host)] = guest
        guest.names.add(name)
        return guest.visiting

    def check(self, written: Sequence[str]) -> None:
        """Refuse a call that could not give back what it writes.

        Parameters
        ----------
        written : list of str
            The parameters that the kernel writes.
        """
        for guest in self._written(written):
            if not guest.host.flags.writeable:
                msg = (
                    f"kernel `{self._kernel}` writes its argument `{guest.name}`, which is "
                    f"read-only\n"
                    f"  why:  the NumPy array does not allow assignment\n"
                    f"  help: pass a copy, e.g. `{guest.name} = {guest.name}.copy()`"
                )
                raise ValueError(msg)
            for other in self._guests.values():
                if guest is other or not (guest.is_copy or other.is_copy):
                    continue
                if np.may_share_memory(guest.host, other.host):
                    self._refuse_overlap(guest.name, other.name)

    def _refuse_overlap(self, name: str, other: str) -> None:
        msg = (
            f"arguments `{name}` and `{other}` of kernel `{self._kernel}` overlap in memory\n"
            f"  why:  they are copied to {self._queue.device.filter_string} one by one, so what "
            f"the kernel writes to `{name}` would not be seen in `{other}`\n"
            f"  help: pass a copy of one of them"
        )
        raise PlacementError(msg)

    def _written(self, written: Sequence[str]) -> list["_Guest"]:
        return [guest for guest in self._guests.values() if guest.names & set(written)]

    def copies(self) -> list["_Guest"]:
        """Return the arrays that visit as copies."""
        return [guest for guest in self._guests.values() if guest.is_copy]

    def give_back(self, written: Sequence[str]) -> None:
        """Copy what was written to where it came from."""
        for guest in self._written(written):
            if guest.is_copy:
                guest.host[...] = guest.visiting.to_numpy()


class _Guest:
    """An array of the host, and what stands for it on the queue."""

    def __init__(self, name: str, host: npt.NDArray[Any], queue: Queue) -> None:
        self.name = name
        self.names = {name}
        self.host = host
        self.visiting, self.is_copy = host_guest(host, queue)


def host_guest(host: npt.NDArray[Any], queue: Queue) -> tuple[ndarray, bool]:
    """Return an array that stands for one of the host on a queue, and whether it is a copy."""
    shared = _native.share_dlpack(host, device=queue) if _is_plain(host) else None
    if isinstance(shared, ndarray):
        return shared, False
    plain = np.asarray(host, dtype=host.dtype.newbyteorder("="), order="C")
    return _native.from_numpy(plain, device=queue), True


def _is_plain(host: npt.NDArray[Any]) -> bool:
    """Whether other libraries can describe the memory."""
    return host.flags.writeable and host.dtype.isnative and host.dtype.kind in "biufc"
