"""Three dense layers with softmax at the end, in float32."""

from itertools import pairwise

import numpy as np

from situ import prange

KIND = "neural network"
SIZES = {
    "test": {"batch": 4, "sizes": (6, 8, 7, 3)},
    "bench": {"batch": 256, "sizes": (784, 1000, 500, 10)},
}


def inputs(batch, sizes):
    rng = np.random.default_rng(60)
    weights = []
    for before, after in pairwise(sizes):
        weights += [
            (rng.random((before, after), np.float32) - np.float32(0.5)) / np.float32(before),
            rng.random(after, np.float32),
        ]
    return rng.random((batch, sizes[0]), np.float32), *weights


def reference(x, w1, b1, w2, b2, w3, b3):
    x = np.maximum(x @ w1 + b1, 0)
    x = np.maximum(x @ w2 + b2, 0)
    x = x @ w3 + b3
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def njit(x, w1, b1, w2, b2, w3, b3):
    zero = np.float32(0.0)
    x = np.maximum(x @ w1 + b1, zero)
    x = np.maximum(x @ w2 + b2, zero)
    x = x @ w3 + b3
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        e = np.exp(x[i] - np.max(x[i]))
        out[i] = e / np.sum(e)
    return out


def parallel(x, w1, b1, w2, b2, w3, b3):
    zero = np.float32(0.0)
    x = np.maximum(x @ w1 + b1, zero)
    x = np.maximum(x @ w2 + b2, zero)
    x = x @ w3 + b3
    out = np.empty_like(x)
    for i in prange(x.shape[0]):
        e = np.exp(x[i] - np.max(x[i]))
        out[i] = e / np.sum(e)
    return out
