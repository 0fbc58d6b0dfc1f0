"""Mandelbrot set with whole arrays: every point goes on, and only counts while it is near."""

import numpy as np

KIND = "fractal"
SIZES = {"test": {"n": 8, "steps": 6}, "bench": {"n": 200, "steps": 50}}


def inputs(n, steps):
    return np.linspace(-2.0, 0.5, n), np.linspace(-1.2, 1.2, n), steps


def reference(x, y, steps):
    c = x[np.newaxis, :] + 1j * y[:, np.newaxis]
    z = np.zeros_like(c)
    counts = np.zeros(c.shape, dtype=np.int64)
    for _ in range(steps):
        near = z.real * z.real + z.imag * z.imag < 4.0
        z = np.where(near, z * z + c, z)
        counts += near
    return counts


def njit(x, y, steps):
    c = x.reshape(1, x.shape[0]) + 1j * y.reshape(y.shape[0], 1)
    z = np.zeros_like(c)
    counts = np.zeros(c.shape, dtype=np.int64)
    for _ in range(steps):
        near = z.real * z.real + z.imag * z.imag < 4.0
        z = np.where(near, z * z + c, z)
        counts += near
    return counts
