"""Fast Fourier transform by Stockham's algorithm, for powers of two."""

import numpy as np

import situ
from situ import prange

KIND = "signal"
SIZES = {"test": {"power": 4}, "bench": {"power": 16}}


def inputs(power):
    rng = np.random.default_rng(43)
    n = 2**power
    return rng.random(n) + 1j * rng.random(n), power


def reference(x, power):
    n = x.shape[0]
    x = x.copy()
    for k in range(power):
        half = 2**k
        twiddle = np.exp(-1j * np.pi * np.arange(half) / half)
        pairs = x.reshape(2, n // (2 * half), half)
        odd = pairs[1] * twiddle
        y = np.empty((n // (2 * half), 2, half), dtype=np.complex128)
        y[:, 0, :] = pairs[0] + odd
        y[:, 1, :] = pairs[0] - odd
        x = y.reshape(n)
    return x


njit = reference


def parallel(x, power):
    n = x.shape[0]
    x = x.copy()
    y = np.empty_like(x)
    for k in range(power):
        half = 2**k
        for i in prange(n // 2):
            block = i // half
            j = i % half
            angle = -np.pi * j / half
            odd = x[n // 2 + i] * complex(np.cos(angle), np.sin(angle))
            y[2 * block * half + j] = x[i] + odd
            y[(2 * block + 1) * half + j] = x[i] - odd
        for i in prange(n):
            x[i] = y[i]
    return x


@situ.kernel
def butterfly(x, y, half):
    i = situ.get_global_id(0)
    block = i // half
    j = i % half
    angle = -np.pi * j / half
    odd = x[x.shape[0] // 2 + i] * complex(np.cos(angle), np.sin(angle))
    y[2 * block * half + j] = x[i] + odd
    y[(2 * block + 1) * half + j] = x[i] - odd


def kernel(x, power):
    x = x.copy()
    y = situ.empty_like(x)
    for k in range(power):
        butterfly[x.shape[0] // 2](x, y, 2**k)
        x, y = y, x
    return x
