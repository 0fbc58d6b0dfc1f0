"""Timing a piece of a program: on the host and on the device."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import NamedTuple, Self

from situ._native import Event, Queue, find_queue

__all__ = ["Timer", "TimerResult"]


class TimerResult(NamedTuple):
    """What a timer measured so far, in seconds."""

    host: float
    device: float


class Timer:
    """Measure how long a block takes on the host, and how long its work takes on a queue.

    The two differ because submitting does not wait: the host may be done long before the device.
    A timer can be used again and adds up.

    Parameters
    ----------
    host_timer
        The clock for the host, in seconds.

    Examples
    --------
    >>> import situ
    >>> x = situ.ones(1000)
    >>> timer = situ.Timer()
    >>> with timer(x.queue):
    ...     y = situ.sin(x)
    >>> timer.dt.host > 0 and timer.dt.device > 0
    True
    """

    def __init__(self, host_timer: Callable[[], float] = time.perf_counter) -> None:
        self._clock = host_timer
        self._queue: Queue | None = None
        self._begin: Event | None = None
        self._host_begin = 0.0
        self._host = 0.0
        self._laps: list[tuple[Event, Event]] = []

    def __call__(self, queue: Queue | None = None) -> Self:
        """Choose the queue to watch; the default device's if there is none."""
        self._queue = find_queue(queue)
        return self

    def __enter__(self) -> Self:
        """Begin a lap."""
        queue = find_queue(self._queue)
        self._queue = queue
        self._begin = queue.marker()
        self._host_begin = self._clock()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End a lap."""
        self._host += self._clock() - self._host_begin
        if self._queue is not None and self._begin is not None:
            self._laps.append((self._begin, self._queue.marker()))

    @property
    def dt(self) -> TimerResult:
        """Seconds on the host and on the device, over all laps. Waits for the work to end."""
        Event.wait_for([end for _, end in self._laps])
        device_ns = sum(end.start_ns - begin.end_ns for begin, end in self._laps)
        return TimerResult(self._host, device_ns * 1e-9)
