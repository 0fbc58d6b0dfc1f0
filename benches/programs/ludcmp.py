"""Solution of a linear system by LU decomposition and two substitutions."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"n": 10}, "bench": {"n": 200}}


def inputs(n):
    rng = np.random.default_rng(2)
    return rng.random((n, n)) + n * np.eye(n), rng.random(n)


def reference(a, b):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    y = np.zeros(n)
    for i in range(n):
        y[i] = b[i] - a[i, :i] @ y[:i]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


njit = reference


def parallel(a, b):
    n = a.shape[0]
    for k in range(n):
        for i in prange(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
            b[i] -= a[i, k] * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, n):
            total -= a[i, j] * x[j]
        x[i] = total / a[i, i]
    return x
