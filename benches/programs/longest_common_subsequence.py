"""Length of the longest common subsequence, a row of the table at a time."""

import numpy as np

KIND = "dynamic programming"
SIZES = {"test": {"n": 9, "m": 12}, "bench": {"n": 1500, "m": 2000}}


def inputs(n, m):
    rng = np.random.default_rng(52)
    return rng.integers(0, 4, n), rng.integers(0, 4, m)


def reference(a, b):
    row = np.zeros(b.shape[0] + 1, dtype=np.int64)
    for i in range(a.shape[0]):
        taken = np.where(b == a[i], row[:-1] + 1, row[1:])
        row[1:] = np.maximum.accumulate(taken)
    return row[-1]


def njit(a, b):
    row = np.zeros(b.shape[0] + 1, dtype=np.int64)
    for i in range(a.shape[0]):
        taken = np.where(b == a[i], row[:-1] + 1, row[1:])
        most = 0
        for j in range(taken.shape[0]):
            most = max(most, taken[j])
            row[j + 1] = most
    return row[-1]
