"""LU decomposition by dot products of rows, without pivoting."""

import numpy as np

import situ
from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"n": 12}, "bench": {"n": 250}}


def inputs(n):
    rng = np.random.default_rng(1)
    return (rng.random((n, n)) + n * np.eye(n),)


def reference(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


njit = reference


def parallel(a):
    n = a.shape[0]
    for k in range(n):
        for i in prange(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a


@situ.kernel
def scale_column(a, k):
    i = k + 1 + situ.get_global_id(0)
    a[i, k] /= a[k, k]


@situ.kernel
def eliminate(a, k):
    i = k + 1 + situ.get_global_id(0)
    j = k + 1 + situ.get_global_id(1)
    a[i, j] -= a[i, k] * a[k, j]


def kernel(a):
    n = a.shape[0]
    for k in range(n - 1):
        scale_column[n - k - 1](a, k)
        eliminate[n - k - 1, n - k - 1](a, k)
    return a
