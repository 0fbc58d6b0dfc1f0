"""Product with a unit lower triangular matrix, in place."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"m": 8, "n": 6}, "bench": {"m": 200, "n": 150}}


def inputs(m, n):
    rng = np.random.default_rng(14)
    return 1.5, rng.random((m, m)), rng.random((m, n))


def reference(alpha, a, b):
    m, n = b.shape
    for i in range(m):
        for j in range(n):
            b[i, j] += a[i + 1 :, i] @ b[i + 1 :, j]
    b *= alpha
    return b


njit = reference


def parallel(alpha, a, b):
    m, n = b.shape
    for j in prange(n):
        for i in range(m):
            total = b[i, j]
            for k in range(i + 1, m):
                total += a[k, i] * b[k, j]
            b[i, j] = alpha * total
    return b
