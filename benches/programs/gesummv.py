"""Sum of two scaled products of matrices with a vector."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"n": 11}, "bench": {"n": 2500}}


def inputs(n):
    rng = np.random.default_rng(15)
    return 1.5, 1.2, rng.random((n, n)), rng.random((n, n)), rng.random(n)


def reference(alpha, beta, a, b, x):
    return alpha * (a @ x) + beta * (b @ x)


njit = reference


def parallel(alpha, beta, a, b, x):
    n = a.shape[0]
    y = np.empty(n)
    for i in prange(n):
        y[i] = alpha * np.dot(a[i], x) + beta * np.dot(b[i], x)
    return y
