"""Mandelbrot set point by point: a point stops when it is far; arrays drop such points."""

import numpy as np

import situ
from situ import prange

KIND = "fractal"
SIZES = {"test": {"n": 8, "steps": 6}, "bench": {"n": 250, "steps": 60}}


def inputs(n, steps):
    return np.linspace(-2.0, 0.5, n), np.linspace(-1.2, 1.2, n), steps


def reference(x, y, steps):
    n, m = y.shape[0], x.shape[0]
    counts = np.zeros(n * m, dtype=np.int64)
    c = (x[np.newaxis, :] + 1j * y[:, np.newaxis]).reshape(n * m)
    z = c.copy()
    positions = np.arange(n * m)
    for _ in range(steps):
        near = z.real * z.real + z.imag * z.imag < 4.0
        positions, z, c = positions[near], z[near], c[near]
        if positions.shape[0] == 0:
            break
        counts[positions] += 1
        z = z * z + c
    return counts.reshape(n, m)


def njit(x, y, steps):
    n, m = y.shape[0], x.shape[0]
    counts = np.zeros((n, m), dtype=np.int64)
    for i in range(n):
        for j in range(m):
            c = complex(x[j], y[i])
            z = c
            for _ in range(steps):
                if z.real * z.real + z.imag * z.imag >= 4.0:
                    break
                counts[i, j] += 1
                z = z * z + c
    return counts


def parallel(x, y, steps):
    n, m = y.shape[0], x.shape[0]
    counts = np.zeros((n, m), dtype=np.int64)
    for i in prange(n):
        for j in range(m):
            c = complex(x[j], y[i])
            z = c
            for _ in range(steps):
                if z.real * z.real + z.imag * z.imag >= 4.0:
                    break
                counts[i, j] += 1
                z = z * z + c
    return counts


@situ.kernel
def point(x, y, steps, counts):
    i = situ.get_global_id(0)
    j = situ.get_global_id(1)
    c = complex(x[j], y[i])
    z = c
    count = 0
    while count < steps and z.real * z.real + z.imag * z.imag < 4.0:
        z = z * z + c
        count += 1
    counts[i, j] = count


def kernel(x, y, steps):
    counts = situ.zeros((y.shape[0], x.shape[0]), dtype=situ.int64, device=x.device)
    point[counts.shape](x, y, steps, counts)
    return counts
