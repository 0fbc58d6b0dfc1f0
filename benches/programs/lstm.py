"""A long short-term memory cell over a sequence, in float32."""

import numpy as np

KIND = "neural network"
SIZES = {
    "test": {"steps": 4, "batch": 3, "n": 5},
    "bench": {"steps": 50, "batch": 32, "n": 128},
}


def inputs(steps, batch, n):
    rng = np.random.default_rng(65)

    def weights(*shape):
        return (rng.random(shape, np.float32) - np.float32(0.5)) / np.float32(np.sqrt(n))

    return weights(steps, batch, n), weights(n, 4 * n), weights(n, 4 * n), weights(4 * n)


def _sigmoid(x):
    one = np.float32(1.0)
    return one / (one + np.exp(-x))


def reference(x, w, u, bias):
    steps, batch, n = x.shape
    h = np.zeros((batch, n), dtype=np.float32)
    c = np.zeros((batch, n), dtype=np.float32)
    for t in range(steps):
        gates = x[t] @ w + h @ u + bias
        forget = _sigmoid(gates[:, :n])
        update = _sigmoid(gates[:, n : 2 * n])
        output = _sigmoid(gates[:, 2 * n : 3 * n])
        c = forget * c + update * np.tanh(gates[:, 3 * n :])
        h = output * np.tanh(c)
    return h


njit = reference
