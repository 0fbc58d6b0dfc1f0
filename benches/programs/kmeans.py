"""k-means clustering of points."""

import numpy as np

from situ import prange

KIND = "data analysis"
SIZES = {
    "test": {"n": 20, "k": 3, "dims": 2, "steps": 3},
    "bench": {"n": 10_000, "k": 8, "dims": 4, "steps": 8},
}


def inputs(n, k, dims, steps):
    rng = np.random.default_rng(71)
    points = rng.random((n, dims))
    return points, points[:k].copy(), steps


def reference(points, centres, steps):
    k = centres.shape[0]
    for _ in range(steps):
        between = points[:, np.newaxis, :] - centres[np.newaxis, :, :]
        nearest = np.argmin(np.sum(between * between, axis=2), axis=1)
        for c in range(k):
            members = points[nearest == c]
            if members.shape[0] > 0:
                centres[c] = np.sum(members, axis=0) / members.shape[0]
    return centres


def njit(points, centres, steps):
    n, k = points.shape[0], centres.shape[0]
    for _ in range(steps):
        nearest = np.zeros(n, dtype=np.int64)
        least = np.full(n, np.inf)
        for c in range(k):
            between = points - centres[c]
            square = np.sum(between * between, axis=1)
            nearest = np.where(square < least, c, nearest)
            least = np.minimum(least, square)
        for c in range(k):
            members = points[nearest == c]
            if members.shape[0] > 0:
                centres[c] = np.sum(members, axis=0) / members.shape[0]
    return centres


def parallel(points, centres, steps):
    n, dims = points.shape
    k = centres.shape[0]
    nearest = np.zeros(n, dtype=np.int64)
    for _ in range(steps):
        for i in prange(n):
            least = np.inf
            for c in range(k):
                square = 0.0
                for d in range(dims):
                    square += (points[i, d] - centres[c, d]) ** 2
                if square < least:
                    least = square
                    nearest[i] = c
        for c in prange(k):
            count = 0
            total = np.zeros(dims)
            for i in range(n):
                if nearest[i] == c:
                    count += 1
                    for d in range(dims):
                        total[d] += points[i, d]
            if count > 0:
                for d in range(dims):
                    centres[c, d] = total[d] / count
    return centres
