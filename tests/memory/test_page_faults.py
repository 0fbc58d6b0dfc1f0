"""Temporaries of large arrays cost page faults once, although kernels run asynchronously."""

import resource
from collections.abc import Callable

import situ
from situ.testing import deferral

ROUNDS = 50
SIZE = 10_000_000


def page_faults(work: Callable[[], object]) -> int:
    """Count the page faults of this process that needed no disk."""
    start = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    work()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - start


@deferral(None)
def test_results_dropped_while_they_are_computed_are_used_again() -> None:
    situ.memory.trim()
    a, b = situ.ones(SIZE), situ.ones(SIZE)
    a.queue.wait()

    def once() -> None:
        (a + b).queue.wait()

    def often() -> None:
        for _ in range(ROUNDS):
            c = a + b
        assert float(c[SIZE - 1]) == 2

    fresh = page_faults(once)
    assert fresh >= SIZE * 8 >> 21, "at least one for each huge page"
    # Every sum in fresh memory would be `fresh` in each round. A device that is slower than page
    # faults, as on a busy machine, has a few more blocks before the program waits for it.
    assert page_faults(often) < fresh * ROUNDS / 5
