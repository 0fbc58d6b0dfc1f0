"""Statistics as they are written for NumPy, by authors who have never heard of devices."""

import numpy as np


def compute(x, y):
    """Return how far the means of two arrays are apart."""
    return np.abs(np.mean(x) - np.mean(y))


def histogram_on_host(x):
    """Return how many numbers there are of each integer; works on memory of the host only."""
    return np.bincount(np.asarray(x).astype(int).ravel())
