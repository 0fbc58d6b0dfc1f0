"""Vertical advection of a weather model: a tridiagonal solve in every column."""

import numpy as np

from situ import prange

KIND = "stencil"
SIZES = {"test": {"ni": 5, "nj": 4, "nk": 6}, "bench": {"ni": 100, "nj": 100, "nk": 60}}


def inputs(ni, nj, nk):
    rng = np.random.default_rng(38)
    return rng.random((nk, ni, nj)), 0.5 * rng.random((nk + 1, ni, nj))


def reference(field, wind):
    nk = field.shape[0]
    upper = np.zeros_like(field)
    right = np.zeros_like(field)
    upper[0] = 0.25 * wind[1]
    right[0] = field[0] - 0.25 * wind[1] * (field[1] - field[0])
    for k in range(1, nk - 1):
        below = -0.25 * wind[k]
        above = 0.25 * wind[k + 1]
        explicit = field[k] - below * (field[k - 1] - field[k]) - above * (field[k + 1] - field[k])
        divisor = 1.0 / (1.0 - below - above - upper[k - 1] * below)
        upper[k] = above * divisor
        right[k] = (explicit - right[k - 1] * below) * divisor
    below = -0.25 * wind[nk - 1]
    explicit = field[nk - 1] - below * (field[nk - 2] - field[nk - 1])
    out = np.zeros_like(field)
    out[nk - 1] = (explicit - right[nk - 2] * below) / (1.0 - below - upper[nk - 2] * below)
    for k in range(nk - 2, -1, -1):
        out[k] = right[k] - upper[k] * out[k + 1]
    return out


njit = reference


def parallel(field, wind):
    nk, ni, nj = field.shape
    upper = np.zeros_like(field)
    right = np.zeros_like(field)
    out = np.zeros_like(field)
    for i in prange(ni):
        for j in range(nj):
            upper[0, i, j] = 0.25 * wind[1, i, j]
            right[0, i, j] = field[0, i, j] - 0.25 * wind[1, i, j] * (
                field[1, i, j] - field[0, i, j]
            )
        for k in range(1, nk - 1):
            for j in range(nj):
                below = -0.25 * wind[k, i, j]
                above = 0.25 * wind[k + 1, i, j]
                here = field[k, i, j]
                explicit = (
                    here - below * (field[k - 1, i, j] - here) - above * (field[k + 1, i, j] - here)
                )
                divisor = 1.0 / (1.0 - below - above - upper[k - 1, i, j] * below)
                upper[k, i, j] = above * divisor
                right[k, i, j] = (explicit - right[k - 1, i, j] * below) * divisor
        for j in range(nj):
            below = -0.25 * wind[nk - 1, i, j]
            here = field[nk - 1, i, j]
            explicit = here - below * (field[nk - 2, i, j] - here)
            divisor = 1.0 - below - upper[nk - 2, i, j] * below
            out[nk - 1, i, j] = (explicit - right[nk - 2, i, j] * below) / divisor
        for k in range(nk - 2, -1, -1):
            for j in range(nj):
                out[k, i, j] = right[k, i, j] - upper[k, i, j] * out[k + 1, i, j]
    return out
