"""Scaled product of two matrices, added to a scaled third one."""

import numpy as np

import situ
from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"m": 6, "k": 9, "n": 8}, "bench": {"m": 500, "k": 550, "n": 600}}


def inputs(m, k, n):
    rng = np.random.default_rng(7)
    return 1.5, 1.2, rng.random((m, k)), rng.random((k, n)), rng.random((m, n))


def reference(alpha, beta, a, b, c):
    return alpha * (a @ b) + beta * c


njit = reference


def parallel(alpha, beta, a, b, c):
    m, n = c.shape
    out = np.empty_like(c)
    for i in prange(m):
        for j in range(n):
            out[i, j] = beta * c[i, j]
        for k in range(a.shape[1]):
            factor = alpha * a[i, k]
            for j in range(n):
                out[i, j] += factor * b[k, j]
    return out


@situ.kernel
def element(alpha, beta, a, b, c, out):
    i = situ.get_global_id(0)
    j = situ.get_global_id(1)
    total = 0.0
    for k in range(a.shape[1]):
        total += a[i, k] * b[k, j]
    out[i, j] = alpha * total + beta * c[i, j]


def kernel(alpha, beta, a, b, c):
    out = situ.empty_like(c)
    element[c.shape](alpha, beta, a, b, c, out)
    return out
