"""Histogram of numbers in equal bins."""

import numpy as np

import situ
from situ import prange

KIND = "signal"
SIZES = {"test": {"n": 60, "bins": 5}, "bench": {"n": 2_000_000, "bins": 64}}


def inputs(n, bins):
    rng = np.random.default_rng(44)
    return rng.random(n), bins


def reference(x, bins):
    low, high = np.min(x), np.max(x)
    scaled = (x - low) * (bins / (high - low))
    return np.bincount(np.minimum(scaled.astype(np.int64), bins - 1), minlength=bins)


def njit(x, bins):
    low, high = np.min(x), np.max(x)
    positions = np.minimum(((x - low) * (bins / (high - low))).astype(np.int64), bins - 1)
    counts = np.zeros(bins, dtype=np.int64)
    for k in range(bins):
        counts[k] = np.sum(positions == k)
    return counts


def parallel(x, bins):
    low, high = np.min(x), np.max(x)
    counts = np.zeros(bins, dtype=np.int64)
    for k in prange(bins):
        total = 0
        for i in range(x.shape[0]):
            if min(int((x[i] - low) * (bins / (high - low))), bins - 1) == k:
                total += 1
        counts[k] = total
    return counts


@situ.kernel
def count(x, low, scale, counts):
    i = situ.get_global_id(0)
    k = min(int((x[i] - low) * scale), counts.shape[0] - 1)
    situ.atomic.add(counts, k, 1)


def kernel(x, bins):
    low, high = float(situ.min(x)), float(situ.max(x))
    counts = situ.zeros(bins, dtype=situ.int64, device=x.device)
    count[x.shape](x, low, bins / (high - low), counts)
    return counts
