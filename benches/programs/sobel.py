"""Edges of an image by the Sobel filter, in float32."""

import numpy as np

from situ import prange

KIND = "image"
SIZES = {"test": {"n": 12}, "bench": {"n": 1200}}


def inputs(n):
    rng = np.random.default_rng(41)
    return (rng.random((n, n), np.float32),)


def reference(image):
    rows = image[:-2] + np.float32(2.0) * image[1:-1] + image[2:]
    columns = image[:, :-2] + np.float32(2.0) * image[:, 1:-1] + image[:, 2:]
    across = rows[:, 2:] - rows[:, :-2]
    along = columns[2:] - columns[:-2]
    return np.sqrt(across * across + along * along)


njit = reference


def parallel(image):
    n, m = image.shape
    two = np.float32(2.0)
    out = np.empty((n - 2, m - 2), dtype=np.float32)
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            east = image[i - 1, j + 1] + two * image[i, j + 1] + image[i + 1, j + 1]
            west = image[i - 1, j - 1] + two * image[i, j - 1] + image[i + 1, j - 1]
            south = image[i + 1, j - 1] + two * image[i + 1, j] + image[i + 1, j + 1]
            north = image[i - 1, j - 1] + two * image[i - 1, j] + image[i - 1, j + 1]
            across = east - west
            along = south - north
            out[i - 1, j - 1] = np.sqrt(across * across + along * along)
    return out
