"""Jacobi smoothing of a plane with five points."""

import numpy as np

import situ
from situ import prange

KIND = "stencil"
SIZES = {"test": {"n": 12, "steps": 3}, "bench": {"n": 500, "steps": 20}}


def inputs(n, steps):
    rng = np.random.default_rng(31)
    a = rng.random((n, n))
    return a, a.copy(), steps


def reference(a, b, steps):
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (
            a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
        )
        a[1:-1, 1:-1] = 0.2 * (
            b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1]
        )
    return a


njit = reference


def parallel(a, b, steps):
    n = a.shape[0]
    for _ in range(steps):
        for i in prange(1, n - 1):
            for j in range(1, n - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
        for i in prange(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = 0.2 * (b[i, j] + b[i, j - 1] + b[i, j + 1] + b[i + 1, j] + b[i - 1, j])
    return a


@situ.kernel
def smooth(a, b):
    i = situ.get_global_id(0) + 1
    j = situ.get_global_id(1) + 1
    b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])


def kernel(a, b, steps):
    n = a.shape[0]
    for _ in range(steps):
        smooth[n - 2, n - 2](a, b)
        smooth[n - 2, n - 2](b, a)
    return a
