"""Jacobi smoothing of a line, back and forth between two arrays."""

import numpy as np

from situ import prange

KIND = "stencil"
SIZES = {"test": {"n": 30, "steps": 3}, "bench": {"n": 200_000, "steps": 40}}


def inputs(n, steps):
    rng = np.random.default_rng(30)
    return rng.random(n), rng.random(n), steps


def reference(a, b, steps):
    for _ in range(steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    return a


njit = reference


def parallel(a, b, steps):
    n = a.shape[0]
    for _ in range(steps):
        for i in prange(1, n - 1):
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1])
        for i in prange(1, n - 1):
            a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1])
    return a
