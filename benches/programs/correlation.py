"""Correlation matrix of columns of data, in float32."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"n": 14, "m": 6}, "bench": {"n": 600, "m": 300}}


def inputs(n, m):
    rng = np.random.default_rng(18)
    return (rng.random((n, m), np.float32),)


def reference(data):
    n, m = data.shape
    mean = np.sum(data, axis=0) / np.float32(n)
    data = data - mean
    deviation = np.sqrt(np.sum(data * data, axis=0))
    data = data / np.where(deviation <= 0.1, np.float32(1.0), deviation)
    corr = np.zeros((m, m), dtype=np.float32)
    for i in range(m):
        corr[i, i:] = data[:, i] @ data[:, i:]
        corr[i:, i] = corr[i, i:]
    return corr


njit = reference


def parallel(data):
    n, m = data.shape
    scaled = np.empty_like(data)
    for j in prange(m):
        mean = np.float32(0.0)
        for i in range(n):
            mean += data[i, j]
        mean /= np.float32(n)
        square = np.float32(0.0)
        for i in range(n):
            square += (data[i, j] - mean) * (data[i, j] - mean)
        deviation = np.sqrt(square)
        if deviation <= 0.1:
            deviation = np.float32(1.0)
        for i in range(n):
            scaled[i, j] = (data[i, j] - mean) / deviation
    corr = np.empty((m, m), dtype=np.float32)
    for i in prange(m):
        for j in range(m):
            total = np.float32(0.0)
            for k in range(n):
                total += scaled[k, i] * scaled[k, j]
            corr[i, j] = total
    return corr
