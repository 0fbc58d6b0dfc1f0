"""Matrix product by square blocks, in float32."""

import numpy as np

from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"n": 12, "block": 4}, "bench": {"n": 768, "block": 64}}


def inputs(n, block):
    rng = np.random.default_rng(8)
    return rng.random((n, n), np.float32), rng.random((n, n), np.float32), block


def reference(a, b, block):
    n = a.shape[0]
    c = np.zeros((n, n), dtype=np.float32)
    for i in range(0, n, block):
        for j in range(0, n, block):
            for k in range(0, n, block):
                left = a[i : i + block, k : k + block]
                right = b[k : k + block, j : j + block]
                c[i : i + block, j : j + block] += left @ right
    return c


njit = reference


def parallel(a, b, block):
    n = a.shape[0]
    c = np.zeros((n, n), dtype=np.float32)
    for number in prange(n // block):
        first = number * block
        for k in range(n):
            for i in range(first, first + block):
                factor = a[i, k]
                for j in range(n):
                    c[i, j] += factor * b[k, j]
    return c
