"""Prefix sums in a logarithmic number of steps of doubled distance."""

import numpy as np

from situ import prange

KIND = "signal"
SIZES = {"test": {"n": 20}, "bench": {"n": 1_000_000}}


def inputs(n):
    rng = np.random.default_rng(46)
    return (rng.integers(0, 100, n),)


def reference(x):
    x = x.copy()
    distance = 1
    while distance < x.shape[0]:
        x[distance:] = x[distance:] + x[:-distance]
        distance *= 2
    return x


njit = reference


def parallel(x):
    n = x.shape[0]
    x = x.copy()
    y = np.empty_like(x)
    distance = 1
    while distance < n:
        for i in prange(n):
            if i >= distance:
                y[i] = x[i] + x[i - distance]
            else:
                y[i] = x[i]
        for i in prange(n):
            x[i] = y[i]
        distance *= 2
    return x
