"""Levinson-Durbin recursion for Toeplitz systems."""

import numpy as np

KIND = "linear algebra"
SIZES = {"test": {"n": 14}, "bench": {"n": 3000}}


def inputs(n):
    return (0.5 / np.arange(2.0, n + 2.0),)


def reference(r):
    n = r.shape[0]
    y = np.zeros(n)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.sum(r[:k][::-1] * y[:k])) / beta
        y[:k] += alpha * y[:k][::-1]
        y[k] = alpha
    return y


njit = reference
