"""Symmetric update of rank k of the lower triangle."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"n": 9, "k": 5}, "bench": {"n": 180, "k": 120}}


def inputs(n, k):
    rng = np.random.default_rng(12)
    return 1.5, 1.2, rng.random((n, n)), rng.random((n, k))


def reference(alpha, beta, c, a):
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]
    return c


njit = reference


def parallel(alpha, beta, c, a):
    for i in prange(a.shape[0]):
        for j in range(i + 1):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * a[j, k]
            c[i, j] = beta * c[i, j] + alpha * total
    return c
