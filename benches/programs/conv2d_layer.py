"""A convolutional layer with bias, images last in channels, in float32."""

import numpy as np

from situ import prange

KIND = "neural network"
SIZES = {
    "test": {"batch": 2, "n": 6, "k": 3, "c_in": 2, "c_out": 4},
    "bench": {"batch": 4, "n": 40, "k": 5, "c_in": 3, "c_out": 16},
}


def inputs(batch, n, k, c_in, c_out):
    rng = np.random.default_rng(62)
    return (
        rng.random((batch, n, n, c_in), np.float32),
        rng.random((k, k, c_in, c_out), np.float32),
        rng.random(c_out, np.float32),
    )


def reference(x, weights, bias):
    batch, h, w, _ = x.shape
    k, c_out = weights.shape[0], weights.shape[3]
    out = np.empty((batch, h - k + 1, w - k + 1, c_out), dtype=np.float32)
    for i in range(h - k + 1):
        for j in range(w - k + 1):
            window = x[:, i : i + k, j : j + k, :, np.newaxis]
            out[:, i, j, :] = np.sum(window * weights, axis=(1, 2, 3))
    return out + bias


def njit(x, weights, bias):
    batch, h, w, c_in = x.shape
    k, c_out = weights.shape[0], weights.shape[3]
    flat = weights.copy().reshape(k * k * c_in, c_out)
    out = np.empty((batch, h - k + 1, w - k + 1, c_out), dtype=np.float32)
    for b in range(batch):
        for i in range(h - k + 1):
            for j in range(w - k + 1):
                window = x[b, i : i + k, j : j + k, :].copy().reshape(k * k * c_in)
                out[b, i, j] = window @ flat + bias
    return out


def parallel(x, weights, bias):
    batch, h, w, c_in = x.shape
    k, c_out = weights.shape[0], weights.shape[3]
    out = np.empty((batch, h - k + 1, w - k + 1, c_out), dtype=np.float32)
    for b in prange(batch):
        for i in range(h - k + 1):
            for j in range(w - k + 1):
                out[b, i, j] = bias
                for di in range(k):
                    for dj in range(k):
                        for c in range(c_in):
                            value = x[b, i + di, j + dj, c]
                            for o in range(c_out):
                                out[b, i, j, o] += value * weights[di, dj, c, o]
    return out
