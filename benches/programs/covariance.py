"""Covariance matrix of columns of data, a row of the result at a time."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"n": 12, "m": 7}, "bench": {"n": 500, "m": 300}}


def inputs(n, m):
    rng = np.random.default_rng(17)
    return (rng.random((n, m)),)


def reference(data):
    n, m = data.shape
    data = data - np.sum(data, axis=0) / n
    cov = np.zeros((m, m))
    for i in range(m):
        cov[i, i:] = data[:, i] @ data[:, i:] / (n - 1.0)
        cov[i:, i] = cov[i, i:]
    return cov


njit = reference


def parallel(data):
    n, m = data.shape
    mean = np.zeros(m)
    for i in prange(n):
        mean += data[i] / n
    cov = np.zeros((m, m))
    for i in prange(m):
        for j in range(i, m):
            total = 0.0
            for k in range(n):
                total += (data[k, i] - mean[i]) * (data[k, j] - mean[j])
            cov[i, j] = total / (n - 1.0)
            cov[j, i] = cov[i, j]
    return cov
