"""Conjugate gradients for a dense symmetric positive definite system."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"n": 10, "steps": 25}, "bench": {"n": 800, "steps": 100}}


def inputs(n, steps):
    rng = np.random.default_rng(21)
    a = rng.random((n, n))
    return a @ a.T + 0.1 * n * np.eye(n), rng.random(n), steps


def reference(a, b, steps):
    x = np.zeros_like(b)
    r = b.copy()
    p = r.copy()
    square = r @ r
    for _ in range(steps):
        if square < 1e-24:
            break
        ap = a @ p
        alpha = square / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        p = r + (new / square) * p
        square = new
    return x


njit = reference


def parallel(a, b, steps):
    n = b.shape[0]
    x = np.zeros_like(b)
    r = b.copy()
    p = b.copy()
    ap = np.zeros_like(b)
    square = 0.0
    for i in prange(n):
        square += b[i] * b[i]
    for _ in range(steps):
        if square < 1e-24:
            break
        curve = 0.0
        for i in prange(n):
            total = 0.0
            for j in range(n):
                total += a[i, j] * p[j]
            ap[i] = total
            curve += total * p[i]
        alpha = square / curve
        new = 0.0
        for i in prange(n):
            x[i] += alpha * p[i]
            r[i] -= alpha * ap[i]
            new += r[i] * r[i]
        for i in prange(n):
            p[i] = r[i] + new / square * p[i]
        square = new
    return x
