"""Best value of a knapsack for every capacity, an item at a time."""

import numpy as np

from situ import prange

KIND = "dynamic programming"
SIZES = {"test": {"items": 6, "capacity": 25}, "bench": {"items": 300, "capacity": 30_000}}


def inputs(items, capacity):
    rng = np.random.default_rng(54)
    return rng.integers(1, 10, items), rng.integers(1, 100, items), capacity


def reference(weights, values, capacity):
    best = np.zeros(capacity + 1, dtype=np.int64)
    for k in range(weights.shape[0]):
        w = int(weights[k])
        best[w:] = np.maximum(best[w:], best[: capacity + 1 - w] + values[k])
    return best


njit = reference


def parallel(weights, values, capacity):
    best = np.zeros(capacity + 1, dtype=np.int64)
    old = np.zeros(capacity + 1, dtype=np.int64)
    for k in range(weights.shape[0]):
        w = weights[k]
        for c in prange(capacity + 1):
            old[c] = best[c]
        for c in prange(w, capacity + 1):
            best[c] = max(old[c], old[c - w] + values[k])
    return best
