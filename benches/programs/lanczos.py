"""Lanczos tridiagonalisation of a symmetric matrix, with full reorthogonalisation."""

import numpy as np

KIND = "linear algebra"
SIZES = {"test": {"n": 12, "steps": 5}, "bench": {"n": 700, "steps": 60}}


def inputs(n, steps):
    rng = np.random.default_rng(22)
    a = rng.random((n, n))
    return a + a.T, rng.random(n), steps


def reference(a, start, steps):
    n = a.shape[0]
    basis = np.zeros((steps, n))
    alpha = np.zeros(steps)
    beta = np.zeros(steps)
    v = start / np.sqrt(start @ start)
    for k in range(steps):
        basis[k] = v
        w = a @ v
        alpha[k] = w @ v
        w -= (basis[: k + 1] @ w) @ basis[: k + 1]
        w -= (basis[: k + 1] @ w) @ basis[: k + 1]
        beta[k] = np.sqrt(w @ w)
        v = w / beta[k]
    return alpha, beta


njit = reference
