"""The names of ``dpctl.utils``: what packages of the peer use to agree on order and placement."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

import situ
from situ._native import Device, Event, Queue

__all__ = ["NAMES", "PLACEMENT_NAMES"]

_USM_TYPES = ("device", "shared", "host")


class _OrderManager:
    """The events of a queue that others should wait for.

    Situ orders work by the arrays it uses; events that a program adds by hand are kept for it.
    """

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._submitted: list[Event] = []
        self._host_tasks: list[Event] = []

    def add_event_pair(
        self, host_task: Event | Sequence[Event], submitted: Event | Sequence[Event]
    ) -> None:
        """Keep events of host tasks and of work."""
        self.add_vector_to_both_events(_listed(host_task), _listed(submitted))

    @property
    def host_task_events(self) -> list[Event]:
        """The events of host tasks that have not ended."""
        return self.get_host_task_events()

    @property
    def submitted_events(self) -> list[Event]:
        """The events of work that has not ended."""
        return self.get_submitted_events()

    @property
    def num_host_task_events(self) -> int:
        """How many host tasks have not ended."""
        return len(self.get_host_task_events())

    @property
    def num_submitted_events(self) -> int:
        """How much work has not ended."""
        return len(self.get_submitted_events())

    def add_to_both_events(self, host_task: Event, submitted: Event) -> None:
        """Keep a host task's event and that of work."""
        self.add_to_host_task_events(host_task)
        self.add_to_submitted_events(submitted)

    def add_to_host_task_events(self, event: Event) -> None:
        """Keep the event of a host task."""
        self._host_tasks.append(event)

    def add_to_submitted_events(self, event: Event) -> None:
        """Keep the event of work."""
        self._submitted.append(event)

    def add_vector_to_both_events(
        self, host_tasks: Sequence[Event], submitted: Sequence[Event]
    ) -> None:
        """Keep events of host tasks and of work."""
        self._host_tasks += host_tasks
        self._submitted += submitted

    def get_host_task_events(self) -> list[Event]:
        """Return the events of host tasks that have not ended."""
        self._host_tasks = [event for event in self._host_tasks if not event.is_complete]
        return list(self._host_tasks)

    def get_submitted_events(self) -> list[Event]:
        """Return the events of work that has not ended."""
        self._submitted = [event for event in self._submitted if not event.is_complete]
        return list(self._submitted)

    def get_num_host_task_events(self) -> int:
        """Count the events of host tasks that have not ended."""
        return len(self.get_host_task_events())

    def get_num_submitted_events(self) -> int:
        """Count the events of work that has not ended."""
        return len(self.get_submitted_events())

    def wait(self) -> None:
        """Wait for everything that was added, and for the queue."""
        Event.wait_for([*self._submitted, *self._host_tasks])
        self._queue.wait()


def _listed(events: Event | Sequence[Event]) -> Sequence[Event]:
    return [events] if isinstance(events, Event) else events


class _OrderManagers:
    """The order manager of each queue."""

    def __init__(self) -> None:
        self._managers: dict[Queue, _OrderManager] = {}

    def __getitem__(self, queue: Queue) -> _OrderManager:
        return self._managers.setdefault(queue, _OrderManager(queue))

    def clear(self) -> None:
        """Forget all events."""
        self._managers.clear()


@contextmanager
def onetrace_enabled() -> Generator[None]:
    """Run a block; there is no tracer to turn on."""
    yield


def intel_device_info(dev: Device, /) -> dict[str, int]:
    """Return what only Intel's drivers tell of a device: nothing here."""
    del dev
    return {}


def get_execution_queue(qs: Sequence[Queue], /) -> Queue | None:
    """Return the first of equivalent queues; None if they are not."""
    if not qs or not situ.queues_equivalent(*qs):
        return None
    return qs[0]


def get_coerced_usm_type(usm_types: Sequence[str], /) -> str | None:
    """Return the kind of memory that a result of arrays with these kinds has."""
    known = [kind for kind in usm_types if kind in _USM_TYPES]
    return min(known, key=_USM_TYPES.index) if known else None


def validate_usm_type(usm_type: str | None, /, *, allow_none: bool = True) -> None:
    """Raise an error unless a text is a kind of memory."""
    if usm_type in _USM_TYPES or (usm_type is None and allow_none):
        return
    if not isinstance(usm_type, str):
        msg = f"a kind of memory is a text, not {usm_type!r}"
        raise TypeError(msg)
    msg = f"{usm_type!r} is no kind of memory\n  help: there are 'device', 'shared' and 'host'"
    raise ValueError(msg)


PLACEMENT_NAMES: dict[str, object] = {
    "ExecutionPlacementError": situ.PlacementError,
    "get_coerced_usm_type": get_coerced_usm_type,
    "get_execution_queue": get_execution_queue,
    "validate_usm_type": validate_usm_type,
}

NAMES: dict[str, object] = {
    **PLACEMENT_NAMES,
    "SequentialOrderManager": _OrderManagers(),
    "intel_device_info": intel_device_info,
    "onetrace_enabled": onetrace_enabled,
}
