"""A residual block: two pointwise convolutions around a 3x3 one, normalised, in float32."""

import numpy as np

KIND = "neural network"
SIZES = {
    "test": {"batch": 2, "n": 5, "wide": 6, "narrow": 3},
    "bench": {"batch": 4, "n": 28, "wide": 64, "narrow": 16},
}


def inputs(batch, n, wide, narrow):
    rng = np.random.default_rng(64)
    return (
        rng.random((batch, n, n, wide), np.float32),
        rng.random((wide, narrow), np.float32),
        rng.random((3, 3, narrow, narrow), np.float32),
        rng.random((narrow, wide), np.float32),
    )


def reference(x, reduce, middle, expand):
    batch, h, w, wide = x.shape
    narrow = reduce.shape[1]
    y = _norm_relu(x.reshape(batch * h * w, wide) @ reduce)
    padded = np.zeros((batch, h + 2, w + 2, narrow), dtype=np.float32)
    padded[:, 1:-1, 1:-1] = y.reshape(batch, h, w, narrow)
    z = np.zeros((batch * h * w, narrow), dtype=np.float32)
    for i in range(3):
        for j in range(3):
            part = padded[:, i : i + h, j : j + w].copy().reshape(batch * h * w, narrow)
            z += part @ middle[i, j]
    z = _norm_relu(z) @ expand
    return np.maximum(_norm_relu(z).reshape(batch, h, w, wide) + x, np.float32(0.0))


def _norm_relu(x):
    n = np.float32(x.shape[0])
    mean = np.sum(x, axis=0) / n
    x = x - mean
    deviation = np.sqrt(np.sum(x * x, axis=0) / n + np.float32(1e-3))
    return np.maximum(x / deviation, np.float32(0.0))


njit = reference
