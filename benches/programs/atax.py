"""Product of a matrix's transpose, the matrix and a vector."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"m": 9, "n": 11}, "bench": {"m": 3000, "n": 3500}}


def inputs(m, n):
    rng = np.random.default_rng(9)
    return rng.random((m, n)), rng.random(n)


def reference(a, x):
    return (a @ x) @ a


njit = reference


def parallel(a, x):
    m, n = a.shape
    y = np.zeros(n)
    for i in prange(m):
        y += a[i] * np.sum(a[i] * x)
    return y
