"""The two products of a matrix with vectors of the biconjugate gradient method."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"m": 9, "n": 11}, "bench": {"m": 3000, "n": 3500}}


def inputs(m, n):
    rng = np.random.default_rng(10)
    return rng.random((m, n)), rng.random(n), rng.random(m)


def reference(a, p, r):
    return r @ a, a @ p


njit = reference


def parallel(a, p, r):
    m, n = a.shape
    s = np.zeros(n)
    q = np.zeros(m)
    for i in prange(m):
        total = 0.0
        for j in range(n):
            total += a[i, j] * p[j]
        q[i] = total
    for j in prange(n):
        total = 0.0
        for i in range(m):
            total += r[i] * a[i, j]
        s[j] = total
    return s, q
