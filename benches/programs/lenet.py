"""A small network like LeNet: convolution, pooling, convolution, pooling, three dense layers."""

import numpy as np

from situ import prange

KIND = "neural network"
SIZES = {
    "test": {"batch": 2, "n": 16, "dense": 10},
    "bench": {"batch": 8, "n": 28, "dense": 84},
}


def inputs(batch, n, dense):
    rng = np.random.default_rng(63)
    side = ((n - 4) // 2 - 4) // 2

    def weights(*shape):
        return (rng.random(shape, np.float32) - np.float32(0.5)) / np.float32(shape[0])

    return (
        rng.random((batch, n, n, 1), np.float32),
        weights(5, 5, 1, 6),
        weights(5, 5, 6, 16),
        weights(side * side * 16, dense),
        weights(dense, 10),
    )


def _conv_relu(x, weights):
    batch, h, w, c_in = x.shape
    k, c_out = weights.shape[0], weights.shape[3]
    out = np.zeros((batch, h - k + 1, w - k + 1, c_out), dtype=np.float32)
    for i in range(k):
        for j in range(k):
            for c in range(c_in):
                part = x[:, i : i + h - k + 1, j : j + w - k + 1, c : c + 1]
                out += part * weights[i, j, c]
    return np.maximum(out, np.float32(0.0))


def _pool(x):
    pairs = np.maximum(x[:, ::2], x[:, 1::2])
    return np.maximum(pairs[:, :, ::2], pairs[:, :, 1::2])


def _dense(x, weights):
    return x @ weights


def reference(x, conv1, conv2, dense1, dense2):
    x = _pool(_conv_relu(x, conv1))
    x = _pool(_conv_relu(x, conv2))
    x = np.maximum(_dense(x.reshape(x.shape[0], -1), dense1), np.float32(0.0))
    return _dense(x, dense2)


njit = reference


def _conv_relu_loops(x, weights):
    batch, h, w, c_in = x.shape
    k, c_out = weights.shape[0], weights.shape[3]
    out = np.zeros((batch, h - k + 1, w - k + 1, c_out), dtype=np.float32)
    for b in prange(batch):
        for i in range(h - k + 1):
            for j in range(w - k + 1):
                for di in range(k):
                    for dj in range(k):
                        for c in range(c_in):
                            value = x[b, i + di, j + dj, c]
                            for o in range(c_out):
                                out[b, i, j, o] += value * weights[di, dj, c, o]
                for o in range(c_out):
                    out[b, i, j, o] = max(out[b, i, j, o], np.float32(0.0))
    return out


def parallel(x, conv1, conv2, dense1, dense2):
    x = _pool(_conv_relu_loops(x, conv1))
    x = _pool(_conv_relu_loops(x, conv2))
    x = np.maximum(_dense(x.reshape(x.shape[0], -1), dense1), np.float32(0.0))
    return _dense(x, dense2)
