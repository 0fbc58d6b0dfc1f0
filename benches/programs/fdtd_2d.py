"""Electromagnetic waves in a plane by finite differences in time."""

import numpy as np

import situ
from situ import prange

KIND = "stencil"
SIZES = {"test": {"nx": 9, "ny": 11, "steps": 3}, "bench": {"nx": 300, "ny": 400, "steps": 30}}


def inputs(nx, ny, steps):
    rng = np.random.default_rng(34)
    return rng.random((nx, ny)), rng.random((nx, ny)), rng.random((nx, ny)), rng.random(steps)


def reference(ex, ey, hz, source):
    for t in range(source.shape[0]):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, hz


njit = reference


def parallel(ex, ey, hz, source):
    nx, ny = ex.shape
    for t in range(source.shape[0]):
        for j in range(ny):
            ey[0, j] = source[t]
        for i in prange(1, nx):
            for j in range(ny):
                ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
        for i in prange(nx):
            for j in range(1, ny):
                ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in prange(nx - 1):
            for j in range(ny - 1):
                hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
    return ex, ey, hz


@situ.kernel
def electric(ex, ey, hz, source, t):
    i = situ.get_global_id(0)
    j = situ.get_global_id(1)
    if i == 0:
        ey[i, j] = source[t]
    else:
        ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
    if j > 0:
        ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])


@situ.kernel
def magnetic(ex, ey, hz):
    i = situ.get_global_id(0)
    j = situ.get_global_id(1)
    hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])


def kernel(ex, ey, hz, source):
    nx, ny = ex.shape
    for t in range(source.shape[0]):
        electric[nx, ny](ex, ey, hz, source, t)
        magnetic[nx - 1, ny - 1](ex, ey, hz)
    return ex, ey, hz
