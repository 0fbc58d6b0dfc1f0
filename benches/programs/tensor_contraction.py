"""Contraction of the last axis of a tensor with a matrix, slice by slice."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"r": 4, "q": 5, "p": 6}, "bench": {"r": 100, "q": 60, "p": 90}}


def inputs(r, q, p):
    rng = np.random.default_rng(16)
    return rng.random((r, q, p)), rng.random((p, p))


def reference(a, c4):
    for r in range(a.shape[0]):
        a[r, :, :] = a[r, :, :] @ c4
    return a


njit = reference


def parallel(a, c4):
    n = a.shape[2]
    out = np.zeros_like(a)
    for r in prange(a.shape[0]):
        for q in range(a.shape[1]):
            for s in range(n):
                factor = a[r, q, s]
                for p in range(n):
                    out[r, q, p] += factor * c4[s, p]
    return out
