"""Forward substitution with a lower triangular matrix."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"n": 15}, "bench": {"n": 2500}}


def inputs(n):
    rng = np.random.default_rng(3)
    return np.tril(rng.random((n, n))) + n * np.eye(n), rng.random(n)


def reference(lower, b):
    n = lower.shape[0]
    x = np.zeros(n)
    for i in range(n):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return x


njit = reference


def parallel(lower, b):
    n = lower.shape[0]
    x = np.zeros(n)
    for i in range(n):
        total = 0.0
        for j in prange(i):
            total += lower[i, j] * x[j]
        x[i] = (b[i] - total) / lower[i, i]
    return x
