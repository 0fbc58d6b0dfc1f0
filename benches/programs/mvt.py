"""Two vectors updated by a matrix and by its transpose."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"n": 11}, "bench": {"n": 3000}}


def inputs(n):
    rng = np.random.default_rng(11)
    return rng.random(n), rng.random(n), rng.random(n), rng.random(n), rng.random((n, n))


def reference(x1, x2, y1, y2, a):
    x1 += a @ y1
    x2 += y2 @ a
    return x1, x2


njit = reference


def parallel(x1, x2, y1, y2, a):
    n = a.shape[0]
    for i in prange(n):
        for j in range(n):
            x1[i] += a[i, j] * y1[j]
    for i in prange(n):
        for j in range(n):
            x2[i] += a[j, i] * y2[j]
    return x1, x2
