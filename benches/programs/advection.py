"""Upwind advection of a field by a swirling wind, periodic in both directions."""

import numpy as np

from situ import prange

KIND = "stencil"
SIZES = {"test": {"n": 10, "steps": 3}, "bench": {"n": 300, "steps": 15}}


def inputs(n, steps):
    rng = np.random.default_rng(36)
    y, x = np.mgrid[0:n, 0:n] / n
    return rng.random((n, n)), np.sin(6.0 * y), np.cos(6.0 * x), steps


def reference(c, u, v, steps):
    for _ in range(steps):
        west = c - np.roll(c, 1, axis=1)
        east = np.roll(c, -1, axis=1) - c
        south = c - np.roll(c, 1, axis=0)
        north = np.roll(c, -1, axis=0) - c
        across = np.where(u > 0.0, u * west, u * east)
        along = np.where(v > 0.0, v * south, v * north)
        c = c - 0.3 * (across + along)
    return c


def njit(c, u, v, steps):
    n = c.shape[0]
    around = np.zeros((n + 2, n + 2))
    for _ in range(steps):
        around[1:-1, 1:-1] = c
        around[0, 1:-1] = c[-1]
        around[-1, 1:-1] = c[0]
        around[1:-1, 0] = c[:, -1]
        around[1:-1, -1] = c[:, 0]
        west = c - around[1:-1, :-2]
        east = around[1:-1, 2:] - c
        south = c - around[:-2, 1:-1]
        north = around[2:, 1:-1] - c
        across = np.where(u > 0.0, u * west, u * east)
        along = np.where(v > 0.0, v * south, v * north)
        c = c - 0.3 * (across + along)
    return c


def parallel(c, u, v, steps):
    n = c.shape[0]
    new = np.empty_like(c)
    for _ in range(steps):
        for i in prange(n):
            for j in range(n):
                here = c[i, j]
                if u[i, j] > 0.0:
                    change = u[i, j] * (here - c[i, (j - 1) % n])
                else:
                    change = u[i, j] * (c[i, (j + 1) % n] - here)
                if v[i, j] > 0.0:
                    change += v[i, j] * (here - c[(i - 1) % n, j])
                else:
                    change += v[i, j] * (c[(i + 1) % n, j] - here)
                new[i, j] = here - 0.3 * change
        for i in prange(n):
            c[i] = new[i]
    return c
