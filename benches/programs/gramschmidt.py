"""QR decomposition by the modified Gram-Schmidt process."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"m": 10, "n": 7}, "bench": {"m": 240, "n": 160}}


def inputs(m, n):
    rng = np.random.default_rng(4)
    return (rng.random((m, n)),)


def reference(a):
    n = a.shape[1]
    q = np.zeros_like(a)
    r = np.zeros((n, n))
    for k in range(n):
        r[k, k] = np.sqrt(np.sum(a[:, k] * a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, n):
            r[k, j] = np.sum(q[:, k] * a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return q, r


njit = reference


def parallel(a):
    m, n = a.shape
    q = np.zeros_like(a)
    r = np.zeros((n, n))
    for k in range(n):
        norm = 0.0
        for i in range(m):
            norm += a[i, k] * a[i, k]
        norm = np.sqrt(norm)
        r[k, k] = norm
        for i in range(m):
            q[i, k] = a[i, k] / norm
        for j in prange(k + 1, n):
            dot = 0.0
            for i in range(m):
                dot += q[i, k] * a[i, j]
            r[k, j] = dot
            for i in range(m):
                a[i, j] -= q[i, k] * dot
    return q, r
