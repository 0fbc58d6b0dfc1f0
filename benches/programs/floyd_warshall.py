"""Shortest paths between all pairs of nodes, by rows, in int32."""

import numpy as np

import situ
from situ import prange

KIND = "dynamic programming"
SIZES = {"test": {"n": 9}, "bench": {"n": 250}}


def inputs(n):
    rng = np.random.default_rng(50)
    return (rng.integers(1, 1000, (n, n)).astype(np.int32),)


def reference(path):
    n = path.shape[0]
    for k in range(n):
        for i in range(n):
            path[i] = np.minimum(path[i], path[i, k] + path[k])
    return path


njit = reference


def parallel(path):
    n = path.shape[0]
    for k in range(n):
        for i in prange(n):
            first = path[i, k]
            for j in range(n):
                way = first + path[k, j]
                if way < path[i, j]:
                    path[i, j] = way
    return path


@situ.kernel
def relax(path, k):
    i = situ.get_global_id(0)
    j = situ.get_global_id(1)
    way = path[i, k] + path[k, j]
    if way < path[i, j]:
        path[i, j] = way


def kernel(path):
    for k in range(path.shape[0]):
        relax[path.shape](path, k)
    return path
