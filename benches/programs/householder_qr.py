"""Upper triangular factor of a QR decomposition, by Householder reflections."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"m": 10, "n": 7}, "bench": {"m": 300, "n": 200}}


def inputs(m, n):
    rng = np.random.default_rng(6)
    return (rng.random((m, n)) + 0.1,)


def reference(a):
    n = a.shape[1]
    for k in range(n):
        v = a[k:, k].copy()
        norm = np.sqrt(np.sum(v * v))
        if v[0] < 0.0:
            norm = -norm
        v[0] += norm
        v /= np.sqrt(np.sum(v * v))
        a[k:, k:] -= 2.0 * np.outer(v, v @ a[k:, k:])
        a[k + 1 :, k] = 0.0
    return a


njit = reference


def parallel(a):
    m, n = a.shape
    v = np.empty(m)
    for k in range(n):
        norm = 0.0
        for i in range(k, m):
            v[i] = a[i, k]
            norm += v[i] * v[i]
        norm = np.sqrt(norm)
        if v[k] < 0.0:
            norm = -norm
        square = norm * norm + 2.0 * norm * v[k] + norm * norm
        v[k] += norm
        for j in prange(k, n):
            dot = 0.0
            for i in range(k, m):
                dot += v[i] * a[i, j]
            dot *= 2.0 / square
            for i in range(k, m):
                a[i, j] -= dot * v[i]
        for i in range(k + 1, m):
            a[i, k] = 0.0
    return a
