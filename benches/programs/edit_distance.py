"""Edit distance of two sequences, along antidiagonals of the table."""

import numpy as np

from situ import prange

KIND = "dynamic programming"
SIZES = {"test": {"n": 9, "m": 12}, "bench": {"n": 1500, "m": 1800}}


def inputs(n, m):
    rng = np.random.default_rng(51)
    return rng.integers(0, 4, n), rng.integers(0, 4, m)


def reference(a, b):
    n, m = a.shape[0], b.shape[0]
    before = np.zeros(n + 1, dtype=np.int64)
    last = np.zeros(n + 1, dtype=np.int64)
    for d in range(1, n + m + 1):
        new = np.full(n + 1, d, dtype=np.int64)
        low, high = max(1, d - m), min(n, d - 1)
        if low <= high:
            differ = a[low - 1 : high] != b[d - high - 1 : d - low][::-1]
            replaced = before[low - 1 : high] + differ
            inserted = np.minimum(last[low - 1 : high], last[low : high + 1]) + 1
            new[low : high + 1] = np.minimum(replaced, inserted)
        before = last
        last = new
    return last[n]


njit = reference


def parallel(a, b):
    n, m = a.shape[0], b.shape[0]
    before = np.zeros(n + 1, dtype=np.int64)
    last = np.zeros(n + 1, dtype=np.int64)
    new = np.zeros(n + 1, dtype=np.int64)
    for d in range(1, n + m + 1):
        for i in prange(max(0, d - m), min(n, d) + 1):
            if i == 0 or i == d:
                new[i] = d
            else:
                best = min(last[i - 1], last[i]) + 1
                if a[i - 1] == b[d - i - 1]:
                    best = min(best, before[i - 1])
                else:
                    best = min(best, before[i - 1] + 1)
                new[i] = best
        before, last, new = last, new, before
    return last[n]
