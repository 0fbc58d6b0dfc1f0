"""Horizontal diffusion of a weather model, with limited fluxes."""

import numpy as np

from situ import prange

KIND = "stencil"
SIZES = {"test": {"ni": 7, "nj": 8, "nk": 3}, "bench": {"ni": 128, "nj": 128, "nk": 40}}


def inputs(ni, nj, nk):
    rng = np.random.default_rng(37)
    return rng.random((ni + 4, nj + 4, nk)), rng.random((ni, nj, nk))


def reference(field, coeff):
    lap = 4.0 * field[1:-1, 1:-1] - (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2]
    )
    across = lap[1:, 1:-1] - lap[:-1, 1:-1]
    across = np.where(across * (field[2:-1, 2:-2] - field[1:-2, 2:-2]) > 0.0, 0.0, across)
    along = lap[1:-1, 1:] - lap[1:-1, :-1]
    along = np.where(along * (field[2:-2, 2:-1] - field[2:-2, 1:-2]) > 0.0, 0.0, along)
    return field[2:-2, 2:-2] - coeff * (
        across[1:, :] - across[:-1, :] + along[:, 1:] - along[:, :-1]
    )


njit = reference


def parallel(field, coeff):
    ni, nj, nk = coeff.shape
    lap = np.empty((ni + 2, nj + 2, nk))
    out = np.empty_like(coeff)
    for i in prange(ni + 2):
        for j in range(nj + 2):
            for k in range(nk):
                lap[i, j, k] = 4.0 * field[i + 1, j + 1, k] - (
                    field[i + 2, j + 1, k]
                    + field[i, j + 1, k]
                    + field[i + 1, j + 2, k]
                    + field[i + 1, j, k]
                )
    for i in prange(ni):
        for j in range(nj):
            for k in range(nk):
                here = field[i + 2, j + 2, k]
                east = lap[i + 2, j + 1, k] - lap[i + 1, j + 1, k]
                if east * (field[i + 3, j + 2, k] - here) > 0.0:
                    east = 0.0
                west = lap[i + 1, j + 1, k] - lap[i, j + 1, k]
                if west * (here - field[i + 1, j + 2, k]) > 0.0:
                    west = 0.0
                north = lap[i + 1, j + 2, k] - lap[i + 1, j + 1, k]
                if north * (field[i + 2, j + 3, k] - here) > 0.0:
                    north = 0.0
                south = lap[i + 1, j + 1, k] - lap[i + 1, j, k]
                if south * (here - field[i + 2, j + 1, k]) > 0.0:
                    south = 0.0
                out[i, j, k] = here - coeff[i, j, k] * (east - west + north - south)
    return out
