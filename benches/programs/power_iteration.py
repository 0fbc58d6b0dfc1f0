"""Largest eigenvalue of a symmetric matrix and its vector, by power iteration."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"n": 10, "steps": 5}, "bench": {"n": 800, "steps": 60}}


def inputs(n, steps):
    rng = np.random.default_rng(20)
    a = rng.random((n, n))
    return a + a.T, steps


def reference(a, steps):
    v = np.ones(a.shape[0])
    value = 0.0
    for _ in range(steps):
        w = a @ v
        value = np.sqrt(np.sum(w * w))
        v = w / value
    return value, v


njit = reference


def parallel(a, steps):
    n = a.shape[0]
    v = np.ones(n)
    w = np.zeros(n)
    value = 0.0
    for _ in range(steps):
        square = 0.0
        for i in prange(n):
            total = 0.0
            for j in range(n):
                total += a[i, j] * v[j]
            w[i] = total
            square += total * total
        value = np.sqrt(square)
        for i in prange(n):
            v[i] = w[i] / value
    return value, v
