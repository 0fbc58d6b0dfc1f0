"""Convolution of an image with a small filter, as a sum over shifted windows."""

import numpy as np

import situ
from situ import prange

KIND = "image"
SIZES = {"test": {"n": 12, "k": 3}, "bench": {"n": 700, "k": 5}}


def inputs(n, k):
    rng = np.random.default_rng(40)
    return rng.random((n, n)), rng.random((k, k))


def reference(image, weights):
    k = weights.shape[0]
    n = image.shape[0] - k + 1
    out = np.zeros((n, n))
    for i in range(k):
        for j in range(k):
            out += weights[i, j] * image[i : i + n, j : j + n]
    return out


njit = reference


def parallel(image, weights):
    k = weights.shape[0]
    n = image.shape[0] - k + 1
    out = np.zeros((n, n))
    for i in prange(n):
        for j in range(n):
            out[i, j] = np.sum(image[i : i + k, j : j + k] * weights)
    return out


@situ.kernel
def window(image, weights, out):
    i = situ.get_global_id(0)
    j = situ.get_global_id(1)
    total = 0.0
    for di in range(weights.shape[0]):
        for dj in range(weights.shape[1]):
            total += weights[di, dj] * image[i + di, j + dj]
    out[i, j] = total


def kernel(image, weights):
    n = image.shape[0] - weights.shape[0] + 1
    out = situ.zeros((n, n), device=image.device)
    window[n, n](image, weights, out)
    return out
