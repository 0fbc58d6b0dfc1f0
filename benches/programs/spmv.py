"""Product of a sparse matrix (CSR) and a vector, by slices of rows."""

import numpy as np

import situ
from situ import prange

KIND = "linear algebra"
SIZES = {"test": {"n": 10, "per_row": 4}, "bench": {"n": 10_000, "per_row": 16}}


def inputs(n, per_row):
    rng = np.random.default_rng(73)
    lengths = rng.integers(1, 2 * per_row, n)
    start = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    count = int(start[-1])
    return rng.random(count), rng.integers(0, n, count), start, rng.random(n)


def reference(values, columns, start, x):
    n = start.shape[0] - 1
    y = np.empty(n)
    for i in range(n):
        row = slice(start[i], start[i + 1])
        y[i] = values[row] @ x[columns[row]]
    return y


def njit(values, columns, start, x):
    n = start.shape[0] - 1
    y = np.empty(n)
    for i in range(n):
        first, last = start[i], start[i + 1]
        y[i] = values[first:last] @ x[columns[first:last]]
    return y


def parallel(values, columns, start, x):
    n = start.shape[0] - 1
    y = np.empty(n)
    for i in prange(n):
        total = 0.0
        for e in range(start[i], start[i + 1]):
            total += values[e] * x[columns[e]]
        y[i] = total
    return y


@situ.kernel
def row_product(values, columns, start, x, y):
    i = situ.get_global_id(0)
    total = 0.0
    for e in range(start[i], start[i + 1]):
        total += values[e] * x[columns[e]]
    y[i] = total


def kernel(values, columns, start, x):
    y = situ.empty(start.shape[0] - 1, device=x.device)
    row_product[y.shape](values, columns, start, x, y)
    return y
