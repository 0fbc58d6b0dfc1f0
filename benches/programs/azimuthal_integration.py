"""Mean intensity by distance from the centre of a detector, weighted by bins."""

import numpy as np

from situ import prange

KIND = "signal"
SIZES = {"test": {"n": 80, "bins": 5}, "bench": {"n": 400_000, "bins": 100}}


def inputs(n, bins):
    rng = np.random.default_rng(45)
    return rng.random(n), rng.random(n), bins


def reference(data, radius, bins):
    positions = np.minimum((radius / np.max(radius) * bins).astype(np.int64), bins - 1)
    counts = np.bincount(positions, minlength=bins)
    sums = np.bincount(positions, weights=data, minlength=bins)
    return sums / np.maximum(counts, 1)


def njit(data, radius, bins):
    most = np.max(radius)
    out = np.zeros(bins)
    for k in range(bins):
        low = most * k / bins
        high = most * (k + 1) / bins
        if k == bins - 1:
            high = np.inf
        inside = (radius >= low) & (radius < high)
        count = np.sum(inside)
        out[k] = np.sum(np.where(inside, data, 0.0)) / max(count, 1)
    return out


def parallel(data, radius, bins):
    most = np.max(radius)
    n = data.shape[0]
    chunks = 16
    sums = np.zeros((chunks, bins))
    counts = np.zeros((chunks, bins))
    for chunk in prange(chunks):
        for i in range(chunk * n // chunks, (chunk + 1) * n // chunks):
            k = min(int(radius[i] / most * bins), bins - 1)
            sums[chunk, k] += data[i]
            counts[chunk, k] += 1.0
    return np.sum(sums, axis=0) / np.maximum(np.sum(counts, axis=0), 1.0)
