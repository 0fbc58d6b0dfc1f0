"""Diffusion by alternating directions: a tridiagonal solve along each axis in turn."""

import numpy as np

from situ import prange

KIND = "stencil"
SIZES = {"test": {"n": 9, "steps": 2}, "bench": {"n": 250, "steps": 8}}


def inputs(n, steps):
    rng = np.random.default_rng(35)
    return rng.random((n, n)), steps


def reference(u, steps):
    n = u.shape[0]
    r = 0.4
    v = np.zeros_like(u)
    p = np.zeros_like(u)
    q = np.zeros_like(u)
    for _ in range(steps):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            p[1:-1, j] = r / (1.0 + 2.0 * r - r * p[1:-1, j - 1])
            right = r * u[j, :-2] + (1.0 - 2.0 * r) * u[j, 1:-1] + r * u[j, 2:]
            q[1:-1, j] = (right + r * q[1:-1, j - 1]) / (1.0 + 2.0 * r - r * p[1:-1, j - 1])
        v[-1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        u[1:-1, 0] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = u[1:-1, 0]
        for j in range(1, n - 1):
            p[1:-1, j] = r / (1.0 + 2.0 * r - r * p[1:-1, j - 1])
            right = r * v[:-2, j] + (1.0 - 2.0 * r) * v[1:-1, j] + r * v[2:, j]
            q[1:-1, j] = (right + r * q[1:-1, j - 1]) / (1.0 + 2.0 * r - r * p[1:-1, j - 1])
        u[1:-1, -1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]
    return u


njit = reference


def parallel(u, steps):
    n = u.shape[0]
    r = 0.4
    v = np.zeros_like(u)
    p = np.zeros_like(u)
    q = np.zeros_like(u)
    for _ in range(steps):
        for i in prange(1, n - 1):
            v[0, i] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = 1.0
            for j in range(1, n - 1):
                below = 1.0 + 2.0 * r - r * p[i, j - 1]
                right = r * u[j, i - 1] + (1.0 - 2.0 * r) * u[j, i] + r * u[j, i + 1]
                p[i, j] = r / below
                q[i, j] = (right + r * q[i, j - 1]) / below
            v[n - 1, i] = 1.0
            for j in range(n - 2, 0, -1):
                v[j, i] = p[i, j] * v[j + 1, i] + q[i, j]
        for i in prange(1, n - 1):
            u[i, 0] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = 1.0
            for j in range(1, n - 1):
                below = 1.0 + 2.0 * r - r * p[i, j - 1]
                right = r * v[i - 1, j] + (1.0 - 2.0 * r) * v[i, j] + r * v[i + 1, j]
                p[i, j] = r / below
                q[i, j] = (right + r * q[i, j - 1]) / below
            u[i, n - 1] = 1.0
            for j in range(n - 2, 0, -1):
                u[i, j] = p[i, j] * u[i, j + 1] + q[i, j]
    return u
