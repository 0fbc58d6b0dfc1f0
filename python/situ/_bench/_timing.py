"""Timing calls: the shortest of many, because whatever else a machine does only makes them longer.

What an operation costs is what it costs when nothing is in its way; a mean would also measure the
other programs.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

Call = Callable[[], object]

# Calls are timed together until they take this long, so that reading the clock does not count.
_SAMPLE_SECONDS = 100e-6
_MOST_CALLS = 10_000


def seconds(call: Call) -> float:
    """Time one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def best_seconds(*calls: Call, repeats: int = 15) -> list[float]:
    """Return each call's shortest of `repeats` runs, after one that warms up.

    They take turns, so that whatever else the machine does meanwhile falls on all of them.
    """
    rounds = [[seconds(call) for call in calls] for _ in range(repeats + 1)]
    return [min(times) for times in zip(*rounds[1:], strict=True)]


@dataclass
class Turn:
    """What one turn of a call found out."""

    best_s: float
    calls: int


class Timer:
    """A call that is timed in turns; it learns how many calls make a sample."""

    def __init__(self, call: Call) -> None:
        """Take a call that has been made before."""
        self._call = call
        self._calls_in_sample: int | None = None

    def turn(self, length_s: float) -> Turn:
        """Call for about `length_s` seconds, at least once after one that warms up."""
        calls_in_sample = self._warm_up()
        end = time.perf_counter() + length_s
        best, calls = math.inf, 0
        while True:
            best = min(best, self._sample(calls_in_sample))
            calls += calls_in_sample
            if time.perf_counter() >= end:
                return Turn(best, calls)

    def _warm_up(self) -> int:
        once = seconds(self._call)
        if self._calls_in_sample is None:
            # The second of two, for what a first call in a while pays is not what the others do.
            once = min(once, seconds(self._call))
            wanted = math.ceil(_SAMPLE_SECONDS / max(once, 1e-9))
            self._calls_in_sample = max(1, min(wanted, _MOST_CALLS))
        return self._calls_in_sample

    def _sample(self, calls: int) -> float:
        call = self._call
        start = time.perf_counter()
        for _ in range(calls):
            call()
        return (time.perf_counter() - start) / calls
