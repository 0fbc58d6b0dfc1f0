"""Which queue new arrays belong to when nobody says: per package, and for the whole process.

A `QueueManager` holds the default queue of one package. Its state lives in a context variable, so a
default that one thread or one asyncio task sets is not seen by another. The global queue is one
for the process, and any package may ask for it. situ's own creation functions look here, in the
order: current default of situ, global queue, default device. Nothing that has an array to go by
looks here.

A package that wants no state at all offers bound modules instead; see `_offload.py`.
"""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, overload

from situ import _native
from situ._native import Context, Device, Queue, ndarray

if TYPE_CHECKING:
    from situ._offload import BoundModule

__all__ = [
    "QueueManager",
    "current",
    "global_queue",
    "offload_to",
    "reset_default_queue",
    "reset_global_queue",
    "set_default_queue",
    "set_global_queue",
]

# What `device=`, `queue=` and the functions below take.
Place = str | Device | Queue | ndarray | tuple[Context, Device]


def named_place(device: Place | None, queue: Place | None) -> Place | None:
    """Return the place that was named; None if none was."""
    if device is not None and queue is not None:
        msg = (
            "both `device` and `queue` were given\n"
            "  why:  they are two ways to say where\n"
            "  help: give one of them"
        )
        raise ValueError(msg)
    return device if queue is None else queue


_global_queue: Queue | None = None

# The queue of the innermost block `with ….current(…):`, of whichever package.
_block: ContextVar[Queue | None] = ContextVar("innermost block", default=None)


class QueueManager:
    """The default queue of a package.

    A package makes one and offers its methods to its users, under the package's own name.

    Parameters
    ----------
    name : str
        The package's name: ``__name__`` in its ``__init__.py``.

    Examples
    --------
    >>> import situ
    >>> manager = situ.QueueManager("mypackage")
    >>> current, set_default_queue = manager.current, manager.set_default_queue
    >>> with current("reference"):
    ...     current().device.filter_string
    'reference:cpu:0'
    >>> current().device.filter_string
    'native:cpu:0'
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._default: ContextVar[Queue | None] = ContextVar(f"{name} default queue", default=None)

    @overload
    def current(self, selector: None = None, /) -> Queue: ...
    @overload
    def current(self, selector: Place, /) -> AbstractContextManager[Queue]: ...
    def current(self, selector: Place | None = None, /) -> Queue | AbstractContextManager[Queue]:
        """Ask for the default queue, or set it for a ``with`` block.

        Parameters
        ----------
        selector
            A filter string, device, queue or array whose queue becomes the default inside of the
            block. Left out, the current default is returned.

        Returns
        -------
        Queue or context manager
            The queue that is the default now; or, with a selector, a context manager that gives the
            queue. Other threads and asyncio tasks are not disturbed by it.

        Examples
        --------
        >>> import situ
        >>> with situ.current("reference") as queue:
        ...     situ.zeros(3).queue == queue
        True
        """
        if selector is None:
            return self.default() or _native.find_queue()
        return self._during(_native.find_queue(selector))

    def default(self) -> Queue | None:
        """Return the queue that was set here or globally; None if neither was."""
        return self._default.get() or _global_queue

    def set_default_queue(self, selector: Place, /) -> None:
        """Set the default queue until it is set again, in this thread or asyncio task only.

        Parameters
        ----------
        selector
            A filter string, device, queue or array.

        Examples
        --------
        >>> import situ
        >>> manager = situ.QueueManager("mypackage")
        >>> manager.set_default_queue("reference")
        >>> manager.current().device.filter_string
        'reference:cpu:0'
        >>> manager.reset()
        """
        self._default.set(_native.find_queue(selector))
        if self is SITU:
            # Said later than the blocks around.
            _block.set(None)

    def reset(self) -> None:
        """Forget what was set, in this thread or asyncio task."""
        self._default.set(None)

    def offload_to(self, selector: Place | None = None, /) -> "BoundModule":
        """Return a module with the package's functions that run on one queue and nowhere else.

        The queue is made by this call, and cannot be changed. Nothing else changes: neither the
        package nor its default queue knows of the module.

        Parameters
        ----------
        selector
            A filter string, device, queue or array that says where: the new queue has its device,
            context and properties. Left out, those of the current default queue.

        Returns
        -------
        BoundModule
            Has the public names of the package. Its functions take any mix of arrays: what is
            accessible from the queue is used in place, and everything else (NumPy arrays, arrays of
            other devices) is copied there first. Its results belong to its queue, and
            ``result.__array_namespace__()`` and ``result.__array_module__`` lead back to it.

        Raises
        ------
        DeviceError
            If there is no such device; the message lists those that there are.

        Examples
        --------
        >>> import numpy as np
        >>> import situ
        >>> lib = situ.offload_to("reference")
        >>> total = lib.add(np.ones(3), situ.ones(3, device="native"))
        >>> total.device.filter_string
        'reference:cpu:0'
        >>> (total * 2).__array_namespace__() is lib
        True
        >>> lib.linalg.norm(np.array([3.0, 4.0])).queue == lib.queue
        True
        """
        from situ._offload import offload

        return offload(self, self._name, selector)

    @contextmanager
    def _during(self, queue: Queue) -> Generator[Queue]:
        token, block = self._default.set(queue), _block.set(queue)
        try:
            yield queue
        finally:
            _block.reset(block)
            self._default.reset(token)

    def __repr__(self) -> str:
        return f"<situ.QueueManager of {self._name!r}: {self.current()!r}>"


def set_global_queue(selector: Place, /) -> None:
    """Set the queue that creation functions of the whole process fall back to.

    Parameters
    ----------
    selector
        A filter string, device, queue or array.

    Examples
    --------
    >>> import situ
    >>> situ.set_global_queue("reference")
    >>> situ.zeros(3).device.filter_string
    'reference:cpu:0'
    >>> situ.reset_global_queue()
    """
    global _global_queue
    _global_queue = _native.find_queue(selector)


def reset_global_queue() -> None:
    """Forget the global queue."""
    global _global_queue
    _global_queue = None


def global_queue() -> Queue | None:
    """Return the global queue, or None if none was set.

    Examples
    --------
    >>> import situ
    >>> situ.global_queue() is None
    True
    """
    return _global_queue


def innermost() -> Queue:
    """Return the queue of the innermost block, of whichever package; else situ's default."""
    return _block.get() or SITU.current()


SITU = QueueManager("situ")
current = SITU.current
default = SITU.default
offload_to = SITU.offload_to
set_default_queue = SITU.set_default_queue
reset_default_queue = SITU.reset
