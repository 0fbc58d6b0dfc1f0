"""Gauss-Seidel smoothing with nine points: a row at once, then along the row."""

import numpy as np

KIND = "stencil"
SIZES = {"test": {"n": 9, "steps": 2}, "bench": {"n": 120, "steps": 4}}
# Element by element: each point needs the one before it.
ARRAY = None


def inputs(n, steps):
    rng = np.random.default_rng(33)
    return rng.random((n, n)), steps


def reference(a, steps):
    n = a.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            a[i, 1:-1] += (
                a[i - 1, :-2]
                + a[i - 1, 1:-1]
                + a[i - 1, 2:]
                + a[i, 2:]
                + a[i + 1, :-2]
                + a[i + 1, 1:-1]
                + a[i + 1, 2:]
            )
            for j in range(1, n - 1):
                a[i, j] = (a[i, j] + a[i, j - 1]) / 9.0
    return a


njit = reference
