"""Conway's game of life on a torus, with cells of int32."""

import numpy as np

import situ
from situ import prange

KIND = "stencil"
SIZES = {"test": {"n": 10, "steps": 3}, "bench": {"n": 500, "steps": 10}}


def inputs(n, steps):
    rng = np.random.default_rng(39)
    return (rng.random((n, n)) < 0.4).astype(np.int32), steps


def reference(cells, steps):
    for _ in range(steps):
        rows = cells + np.roll(cells, 1, axis=0) + np.roll(cells, -1, axis=0)
        near = rows + np.roll(rows, 1, axis=1) + np.roll(rows, -1, axis=1) - cells
        cells = ((near == 3) | ((cells == 1) & (near == 2))).astype(np.int32)
    return cells


def njit(cells, steps):
    n, m = cells.shape
    padded = np.zeros((n + 2, m + 2), dtype=np.int32)
    for _ in range(steps):
        padded[1:-1, 1:-1] = cells
        padded[0, 1:-1] = cells[-1]
        padded[-1, 1:-1] = cells[0]
        padded[:, 0] = padded[:, -2]
        padded[:, -1] = padded[:, 1]
        rows = padded[:-2] + padded[1:-1] + padded[2:]
        near = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:] - cells
        cells = ((near == 3) | ((cells == 1) & (near == 2))).astype(np.int32)
    return cells


def parallel(cells, steps):
    n, m = cells.shape
    new = np.empty_like(cells)
    for _ in range(steps):
        for i in prange(n):
            for j in range(m):
                near = 0
                for di in range(-1, 2):
                    for dj in range(-1, 2):
                        near += cells[(i + di) % n, (j + dj) % m]
                near -= cells[i, j]
                if near == 3 or (near == 2 and cells[i, j] == 1):
                    new[i, j] = 1
                else:
                    new[i, j] = 0
        for i in prange(n):
            cells[i] = new[i]
    return cells


@situ.kernel
def generation(cells, new):
    i = situ.get_global_id(0)
    j = situ.get_global_id(1)
    n, m = cells.shape
    near = -cells[i, j]
    for di in range(-1, 2):
        for dj in range(-1, 2):
            near += cells[(i + di + n) % n, (j + dj + m) % m]
    new[i, j] = 1 if near == 3 or (near == 2 and cells[i, j] == 1) else 0


def kernel(cells, steps):
    new = situ.empty_like(cells)
    for _ in range(steps):
        generation[cells.shape](cells, new)
        cells, new = new, cells
    return cells
