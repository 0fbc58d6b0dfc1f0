"""Most base pairs of a folded sequence, over intervals of growing length."""

import numpy as np

from situ import prange

KIND = "dynamic programming"
SIZES = {"test": {"n": 10}, "bench": {"n": 150}}


def inputs(n):
    rng = np.random.default_rng(53)
    return (rng.integers(0, 4, n),)


def reference(bases):
    n = bases.shape[0]
    table = np.zeros((n, n), dtype=np.int64)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            best = max(table[i, j - 1], table[i + 1, j])
            pair = 1 if bases[i] + bases[j] == 3 and i < j - 1 else 0
            best = max(best, table[i + 1, j - 1] + pair)
            if j > i + 1:
                best = max(best, np.max(table[i, i + 1 : j] + table[i + 2 : j + 1, j]))
            table[i, j] = best
    return table


njit = reference


def parallel(bases):
    n = bases.shape[0]
    table = np.zeros((n, n), dtype=np.int64)
    for length in range(1, n):
        for i in prange(n - length):
            j = i + length
            best = max(table[i, j - 1], table[i + 1, j])
            pair = 0
            if bases[i] + bases[j] == 3 and i < j - 1:
                pair = 1
            best = max(best, table[i + 1, j - 1] + pair)
            for k in range(i + 1, j):
                best = max(best, table[i, k] + table[k + 1, j])
            table[i, j] = best
    return table
