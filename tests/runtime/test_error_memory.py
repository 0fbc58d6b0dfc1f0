"""What fails leaves no memory behind."""

import asyncio
import gc
from collections.abc import Callable
from pathlib import Path

import pytest

import situ

ROUNDS = 20_000


def resident_bytes() -> int:
    """Return how much memory this process has."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096


def growth_per_round(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Return the bytes that each round leaves behind: the least of three measurements."""
    found: list[float] = []
    for _ in range(rounds // 10):
        work()
    for _ in range(3):
        gc.collect()
        before = resident_bytes()
        for _ in range(rounds):
            work()
        gc.collect()
        found.append((resident_bytes() - before) / rounds)
    return min(found)


def refuse() -> None:
    """Fail."""
    msg = "refused"
    raise ValueError(msg)


@situ.njit
def fails(x):
    """Raise an exception from compiled code."""
    if x > 0:
        raise ValueError("refused")  # noqa: EM101
    return x


def test_failed_host_tasks() -> None:
    queue = situ.Queue()

    def work() -> None:
        with pytest.raises(situ.SituError):
            queue.host_task(refuse).wait()

    assert growth_per_round(work) < 100
    queue.wait()


def test_failures_that_were_told_are_not_kept() -> None:
    """Frames of the exceptions hold the user's objects; a queue keeps its last command only."""

    class Marker:
        """Counts how many of its kind there are."""

    def count() -> int:
        gc.collect()
        # `type`, for `isinstance` asks weak references that live no longer for their class.
        return sum(type(each) is Marker for each in gc.get_objects())

    def hold() -> None:
        marker = Marker()
        raise ValueError(str(marker))

    queue = situ.Queue()
    for _ in range(5):
        with pytest.raises(situ.SituError):
            queue.host_task(hold).wait()
    assert count() <= 1
    queue.host_task(lambda: None).wait()
    assert count() == 0


def test_failures_that_nobody_was_told_of_are_still_told() -> None:
    queue = situ.Queue()
    events = [queue.host_task(refuse) for _ in range(3)]
    with pytest.raises(situ.SituError):
        events[1].wait()
    with pytest.raises(situ.SituError, match="refused"):
        queue.wait()
    queue.wait()


def test_host_tasks_that_succeed() -> None:
    queue = situ.Queue()
    assert growth_per_round(lambda: queue.host_task(lambda: None).wait()) < 100


def test_failed_allocations() -> None:
    def work() -> None:
        with pytest.raises(MemoryError):
            situ.memory.Allocation(1 << 60, "device")

    assert growth_per_round(work, 5000) < 200


def test_exceptions_of_njit_functions() -> None:
    def work() -> None:
        with pytest.raises(ValueError, match="refused"):
            fails(1.0)

    assert growth_per_round(work, 5000) < 100


def test_refused_calls() -> None:
    a, b = situ.ones(3), situ.ones(4)

    def work() -> None:
        with pytest.raises(ValueError, match="shape"):
            a + b

    assert growth_per_round(work) < 100


def test_awaited_failures() -> None:
    queue = situ.Queue()

    async def rounds() -> float:
        async def once() -> None:
            with pytest.raises(situ.SituError):
                await queue.host_task(refuse)

        found: list[float] = []
        for _ in range(3):
            gc.collect()
            before = resident_bytes()
            for _ in range(5000):
                await once()
            gc.collect()
            found.append((resident_bytes() - before) / 5000)
        return min(found)

    assert asyncio.run(rounds()) < 200
    queue.wait()
