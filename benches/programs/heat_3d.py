"""Heat equation in three dimensions, explicit steps."""

import numpy as np

import situ
from situ import prange

KIND = "stencil"
SIZES = {"test": {"n": 7, "steps": 2}, "bench": {"n": 64, "steps": 10}}


def inputs(n, steps):
    rng = np.random.default_rng(32)
    a = rng.random((n, n, n))
    return a, a.copy(), steps


def reference(a, b, steps):
    for _ in range(steps):
        b[1:-1, 1:-1, 1:-1] = (
            0.125 * (a[2:, 1:-1, 1:-1] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[:-2, 1:-1, 1:-1])
            + 0.125 * (a[1:-1, 2:, 1:-1] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[1:-1, :-2, 1:-1])
            + 0.125 * (a[1:-1, 1:-1, 2:] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[1:-1, 1:-1, :-2])
            + a[1:-1, 1:-1, 1:-1]
        )
        a, b = b, a
    return a


njit = reference


def parallel(a, b, steps):
    n = a.shape[0]
    for _ in range(steps):
        for i in prange(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    middle = a[i, j, k]
                    b[i, j, k] = (
                        0.125 * (a[i + 1, j, k] - 2.0 * middle + a[i - 1, j, k])
                        + 0.125 * (a[i, j + 1, k] - 2.0 * middle + a[i, j - 1, k])
                        + 0.125 * (a[i, j, k + 1] - 2.0 * middle + a[i, j, k - 1])
                        + middle
                    )
        for i in prange(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    a[i, j, k] = b[i, j, k]
    return a


@situ.kernel
def step(a, b):
    i = situ.get_global_id(0) + 1
    j = situ.get_global_id(1) + 1
    k = situ.get_global_id(2) + 1
    middle = a[i, j, k]
    b[i, j, k] = (
        0.125 * (a[i + 1, j, k] - 2.0 * middle + a[i - 1, j, k])
        + 0.125 * (a[i, j + 1, k] - 2.0 * middle + a[i, j - 1, k])
        + 0.125 * (a[i, j, k + 1] - 2.0 * middle + a[i, j, k - 1])
        + middle
    )


def kernel(a, b, steps):
    n = a.shape[0] - 2
    for _ in range(steps):
        step[n, n, n](a, b)
        a, b = b, a
    return a
