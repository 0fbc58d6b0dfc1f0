"""Cholesky decomposition, a column at a time."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"n": 12}, "bench": {"n": 500}}


def inputs(n):
    rng = np.random.default_rng(5)
    a = rng.random((n, n))
    return (a @ a.T + n * np.eye(n),)


def reference(a):
    n = a.shape[0]
    for j in range(n):
        a[j, j] = np.sqrt(a[j, j] - a[j, :j] @ a[j, :j])
        a[j + 1 :, j] = (a[j + 1 :, j] - a[j + 1 :, :j] @ a[j, :j]) / a[j, j]
        a[j, j + 1 :] = 0.0
    return a


njit = reference


def parallel(a):
    n = a.shape[0]
    for j in range(n):
        total = a[j, j]
        for k in range(j):
            total -= a[j, k] * a[j, k]
        pivot = np.sqrt(total)
        a[j, j] = pivot
        for i in prange(j + 1, n):
            rest = a[i, j]
            for k in range(j):
                rest -= a[i, k] * a[j, k]
            a[i, j] = rest / pivot
            a[j, i] = 0.0
    return a
