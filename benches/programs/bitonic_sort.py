"""Sorting by Batcher's bitonic network, for powers of two."""

import numpy as np

import situ
from situ import prange

KIND = "sorting"
SIZES = {"test": {"power": 4}, "bench": {"power": 14}}


def inputs(power):
    rng = np.random.default_rng(47)
    return (rng.random(2**power, np.float32),)


def reference(x):
    n = x.shape[0]
    positions = np.arange(n)
    block = 2
    while block <= n:
        distance = block // 2
        while distance > 0:
            partners = x[positions ^ distance]
            is_low = (positions & distance) == 0
            is_rising = (positions & block) == 0
            x = np.where(is_low == is_rising, np.minimum(x, partners), np.maximum(x, partners))
            distance //= 2
        block *= 2
    return x


njit = reference


def parallel(x):
    n = x.shape[0]
    x = x.copy()
    block = 2
    while block <= n:
        distance = block // 2
        while distance > 0:
            for i in prange(n // 2):
                low = 2 * distance * (i // distance) + i % distance
                high = low + distance
                if (x[low] > x[high]) == ((low & block) == 0):
                    kept = x[low]
                    x[low] = x[high]
                    x[high] = kept
            distance //= 2
        block *= 2
    return x


@situ.kernel
def exchange(x, block, distance):
    i = situ.get_global_id(0)
    low = 2 * distance * (i // distance) + i % distance
    high = low + distance
    if (x[low] > x[high]) == ((low & block) == 0):
        kept = x[low]
        x[low] = x[high]
        x[high] = kept


def kernel(x):
    n = x.shape[0]
    block = 2
    while block <= n:
        distance = block // 2
        while distance > 0:
            exchange[n // 2](x, block, distance)
            distance //= 2
        block *= 2
    return x
