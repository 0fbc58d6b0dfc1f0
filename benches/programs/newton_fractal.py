"""Which cube root of one Newton's method finds from each point of the plane."""

import numpy as np

from situ import prange

KIND = "fractal"
SIZES = {"test": {"n": 7, "steps": 5}, "bench": {"n": 200, "steps": 25}}


def inputs(n, steps):
    return np.linspace(-1.5, 1.51, n), np.linspace(-1.5, 1.52, n), steps


def reference(x, y, steps):
    z = x[np.newaxis, :] + 1j * y[:, np.newaxis]
    for _ in range(steps):
        square = z * z
        z = z - (square * z - 1.0) / (3.0 * square)
    return np.where(z.real > 0.0, 0, np.where(z.imag > 0.0, 1, 2))


def njit(x, y, steps):
    z = x.reshape(1, x.shape[0]) + 1j * y.reshape(y.shape[0], 1)
    for _ in range(steps):
        square = z * z
        z = z - (square * z - 1.0) / (3.0 * square)
    return np.where(z.real > 0.0, 0, np.where(z.imag > 0.0, 1, 2))


def parallel(x, y, steps):
    out = np.empty((y.shape[0], x.shape[0]), dtype=np.int64)
    for i in prange(y.shape[0]):
        for j in range(x.shape[0]):
            z = complex(x[j], y[i])
            for _ in range(steps):
                square = z * z
                z = z - (square * z - 1.0) / (3.0 * square)
            if z.real > 0.0:
                out[i, j] = 0
            elif z.imag > 0.0:
                out[i, j] = 1
            else:
                out[i, j] = 2
    return out
