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
    scale = bins / (high - low)
    n = x.shape[0]
    chunks = 16
    partial = np.zeros((chunks, bins), dtype=np.int64)
    for chunk in prange(chunks):
        for i in range(chunk * n // chunks, (chunk + 1) * n // chunks):
            partial[chunk, min(int((x[i] - low) * scale), bins - 1)] += 1
    return np.sum(partial, axis=0)


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
