"""Product with a symmetric matrix of which the lower triangle is given."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"m": 7, "n": 9}, "bench": {"m": 150, "n": 200}}


def inputs(m, n):
    rng = np.random.default_rng(13)
    return 1.5, 1.2, rng.random((m, n)), rng.random((m, m)), rng.random((m, n))


def reference(alpha, beta, c, a, b):
    m, n = c.shape
    above = np.empty(n)
    c *= beta
    for i in range(m):
        for j in range(n):
            c[:i, j] += alpha * b[i, j] * a[i, :i]
            above[j] = b[:i, j] @ a[i, :i]
        c[i, :] += alpha * b[i, :] * a[i, i] + alpha * above
    return c


njit = reference


def parallel(alpha, beta, c, a, b):
    m, n = c.shape
    for i in prange(m):
        for j in range(n):
            total = 0.0
            for k in range(i + 1):
                total += a[i, k] * b[k, j]
            for k in range(i + 1, m):
                total += a[k, i] * b[k, j]
            c[i, j] = beta * c[i, j] + alpha * total
    return c
