"""Ctrl-C during a wait ends the wait and nothing else."""

import os
import signal
import threading
from collections.abc import Callable, Iterator

import pytest

import situ

DELAY_SECONDS = 0.2


@pytest.fixture
def interrupt() -> Iterator[Callable[[], None]]:
    """Return a function that has Ctrl-C pressed a moment later."""
    timers: list[threading.Timer] = []

    def press() -> None:
        timer = threading.Timer(DELAY_SECONDS, os.kill, (os.getpid(), signal.SIGINT))
        timers.append(timer)
        timer.start()

    # Shells start programs in the background so that they ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield press
    for timer in timers:
        timer.join()
    signal.signal(signal.SIGINT, before)


def waits(queue: situ.Queue, event: situ.Event, x: situ.ndarray) -> list[Callable[[], object]]:
    several = [event, queue.barrier(), queue.host_task(int)]
    return [queue.wait, event.wait, lambda: situ.Event.wait_for(several), x.to_numpy]


@pytest.mark.parametrize("which", range(4))
def test_a_wait_can_be_interrupted_and_the_work_goes_on(interrupt, which):
    queue = situ.Queue()
    gate = threading.Event()
    x = situ.ones(3, queue=queue)
    event = queue.host_task(gate.wait)
    x += 1.0
    interrupt()
    with pytest.raises(KeyboardInterrupt):
        waits(queue, event, x)[which]()
    assert not event.is_complete
    gate.set()
    queue.wait()
    assert x.to_numpy().tolist() == [2.0, 2.0, 2.0]


def test_what_a_signal_handler_raises_ends_the_wait(interrupt):
    def complain(number: int, frame: object) -> None:
        message = "enough"
        raise TimeoutError(message)

    queue = situ.Queue()
    gate = threading.Event()
    queue.host_task(gate.wait)
    previous = signal.signal(signal.SIGINT, complain)
    try:
        interrupt()
        with pytest.raises(TimeoutError, match="enough"):
            queue.wait()
    finally:
        signal.signal(signal.SIGINT, previous)
        gate.set()
    queue.wait()
