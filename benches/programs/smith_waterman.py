"""Best local alignment of two sequences, along antidiagonals of the table, in int32."""

import numpy as np

from situ import prange

KIND = "dynamic programming"
SIZES = {"test": {"n": 9, "m": 12}, "bench": {"n": 1200, "m": 1500}}


def inputs(n, m):
    rng = np.random.default_rng(55)
    return rng.integers(0, 4, n).astype(np.int32), rng.integers(0, 4, m).astype(np.int32)


def reference(a, b):
    n, m = a.shape[0], b.shape[0]
    table = np.zeros((n + m + 1, n + 1), dtype=np.int32)
    for d in range(2, n + m + 1):
        low, high = max(1, d - m), min(n, d - 1)
        match = np.where(a[low - 1 : high] == b[d - high - 1 : d - low][::-1], 3, -2)
        diagonal = table[d - 2, low - 1 : high] + match
        gap = np.maximum(table[d - 1, low - 1 : high], table[d - 1, low : high + 1]) - 2
        table[d, low : high + 1] = np.maximum(np.maximum(diagonal, gap), 0)
    return np.max(table)


njit = reference


def parallel(a, b):
    n, m = a.shape[0], b.shape[0]
    table = np.zeros((n + m + 1, n + 1), dtype=np.int32)
    best = 0
    for d in range(2, n + m + 1):
        for i in prange(max(1, d - m), min(n, d - 1) + 1):
            match = 3 if a[i - 1] == b[d - i - 1] else -2
            score = max(table[d - 2, i - 1] + match, 0)
            score = max(score, max(table[d - 1, i - 1], table[d - 1, i]) - 2)
            table[d, i] = score
            best = max(best, score)
    return best
