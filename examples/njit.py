"""Functions of arrays, loops and numbers, compiled: heat spreads along a rod.

Run it with `python examples/njit.py`. The first function is written as for NumPy; situ makes one
kernel of its expression. The second one counts in parallel; the third asks both.
"""

import numpy as np

import situ
from situ import prange


@situ.njit
def spread(rod, rounds):
    """Let heat spread; the ends stay as they are."""
    for _ in range(rounds):
        rod[1:-1] = rod[1:-1] + 0.25 * (rod[:-2] - 2.0 * rod[1:-1] + rod[2:])
    return rod


@situ.njit
def count_warm(rod, limit):
    """Count the places that are warmer than a limit."""
    count = 0
    for i in prange(rod.shape[0]):
        if rod[i] > limit:
            count += 1
    return count


@situ.njit
def report(rod, limit):
    """Tell the mean, and how many places are warm."""
    return np.mean(rod), count_warm(rod, limit)


rod = situ.asarray(np.where(np.arange(1000) < 100, 100.0, 0.0))
for rounds in (0, 100, 1000):
    mean, warm = report(spread(rod, rounds), 10.0)
    print(f"after {rounds:4} more rounds: mean {mean:6.2f}, {warm} places above 10 degrees")

print(spread.inspect())
