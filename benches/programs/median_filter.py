"""Median filter of an image, three by three pixels."""

import numpy as np

from situ import prange

KIND = "image"
SIZES = {"test": {"n": 10}, "bench": {"n": 400}}


def inputs(n):
    rng = np.random.default_rng(42)
    return (rng.random((n, n)),)


def reference(image):
    n, m = image.shape
    windows = np.stack([image[i : n - 2 + i, j : m - 2 + j] for i in range(3) for j in range(3)])
    return np.median(windows, axis=0)


def njit(image):
    n, m = image.shape
    out = np.empty((n - 2, m - 2))
    for i in range(n - 2):
        top, middle, bottom = image[i], image[i + 1], image[i + 2]
        low = np.minimum(np.minimum(top, middle), bottom)
        high = np.maximum(np.maximum(top, middle), bottom)
        between = top + middle + bottom - low - high
        lows = np.maximum(np.maximum(low[:-2], low[1:-1]), low[2:])
        highs = np.minimum(np.minimum(high[:-2], high[1:-1]), high[2:])
        a, b, c = between[:-2], between[1:-1], between[2:]
        mids = np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))
        out[i] = np.maximum(np.minimum(lows, mids), np.minimum(np.maximum(lows, mids), highs))
    return out


def parallel(image):
    n, m = image.shape
    out = np.empty((n - 2, m - 2))
    for i in prange(n - 2):
        for j in range(m - 2):
            for di in range(3):
                for dj in range(3):
                    value = image[i + di, j + dj]
                    less = 0
                    equal = 0
                    for ei in range(3):
                        for ej in range(3):
                            if image[i + ei, j + ej] < value:
                                less += 1
                            elif image[i + ei, j + ej] == value:
                                equal += 1
                    if less <= 4 < less + equal:
                        out[i, j] = value
    return out
