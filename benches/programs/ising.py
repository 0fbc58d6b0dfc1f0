"""Ising model on a torus by checkerboard updates, with given random numbers."""

import numpy as np

from situ import prange

KIND = "physics"
SIZES = {"test": {"n": 8, "steps": 3}, "bench": {"n": 200, "steps": 15}}


def inputs(n, steps):
    rng = np.random.default_rng(77)
    spins = np.where(rng.random((n, n)) < 0.5, -1.0, 1.0)
    return spins, rng.random((steps, 2, n, n)), 0.44


def reference(spins, randoms, beta):
    n = spins.shape[0]
    place = np.arange(n)
    colour = (place[:, np.newaxis] + place[np.newaxis, :]) % 2
    for t in range(randoms.shape[0]):
        for half in range(2):
            near = (
                np.roll(spins, 1, axis=0)
                + np.roll(spins, -1, axis=0)
                + np.roll(spins, 1, axis=1)
                + np.roll(spins, -1, axis=1)
            )
            flips = (colour == half) & (randoms[t, half] < np.exp(-2.0 * beta * spins * near))
            spins = np.where(flips, -spins, spins)
    return spins


def njit(spins, randoms, beta):
    n = spins.shape[0]
    padded = np.empty((n + 2, n + 2))
    for t in range(randoms.shape[0]):
        for half in range(2):
            padded[1:-1, 1:-1] = spins
            padded[0, 1:-1] = spins[-1]
            padded[-1, 1:-1] = spins[0]
            padded[1:-1, 0] = spins[:, -1]
            padded[1:-1, -1] = spins[:, 0]
            near = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
            flips = randoms[t, half] < np.exp(-2.0 * beta * spins * near)
            for first in range(2):
                second = (half + first) % 2
                part = spins[first::2, second::2]
                spins[first::2, second::2] = np.where(flips[first::2, second::2], -part, part)
    return spins


def parallel(spins, randoms, beta):
    n = spins.shape[0]
    for t in range(randoms.shape[0]):
        for half in range(2):
            for i in prange(n):
                for j in range((i + half) % 2, n, 2):
                    near = (
                        spins[(i + 1) % n, j]
                        + spins[(i - 1) % n, j]
                        + spins[i, (j + 1) % n]
                        + spins[i, (j - 1) % n]
                    )
                    if randoms[t, half, i, j] < np.exp(-2.0 * beta * spins[i, j] * near):
                        spins[i, j] = -spins[i, j]
    return spins
