"""Contour integral of a resolvent: two moments of a polynomial of small matrices."""

import numpy as np

KIND = "physics"
SIZES = {"test": {"n": 4, "slabs": 2, "points": 4}, "bench": {"n": 60, "slabs": 3, "points": 24}}


def inputs(n, slabs, points):
    rng = np.random.default_rng(81)
    h = rng.random((slabs, n, n)) + 1j * rng.random((slabs, n, n))
    z = np.exp(2j * np.pi * (np.arange(points) + 0.5) / points)
    return h, z, rng.random((n, n)) + 0j


def reference(h, z, y):
    p0 = np.zeros_like(y)
    p1 = np.zeros_like(y)
    for k in range(z.shape[0]):
        t = np.zeros_like(y)
        factor = z[k]
        for s in range(h.shape[0]):
            t += factor * h[s]
            factor = factor * z[k]
        x = np.linalg.solve(t, y)
        p0 += x
        p1 += z[k] * x
    return p0, p1


njit = reference
