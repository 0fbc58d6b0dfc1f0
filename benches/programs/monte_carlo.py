"""Price of an Asian option by Monte Carlo, with given random numbers."""

import numpy as np

import situ
from situ import prange

KIND = "finance"
SIZES = {"test": {"paths": 8, "steps": 5}, "bench": {"paths": 20_000, "steps": 50}}


def inputs(paths, steps):
    rng = np.random.default_rng(76)
    return (rng.standard_normal((steps, paths)),)


def reference(normals):
    steps, paths = normals.shape
    dt = 1.0 / steps
    price = np.full(paths, 100.0)
    total = np.zeros(paths)
    for t in range(steps):
        price = price * np.exp((0.05 - 0.02) * dt + 0.2 * np.sqrt(dt) * normals[t])
        total += price
    return np.exp(-0.05) * np.mean(np.maximum(total / steps - 100.0, 0.0))


njit = reference


def parallel(normals):
    steps, paths = normals.shape
    dt = 1.0 / steps
    payoff = 0.0
    for i in prange(paths):
        price = 100.0
        total = 0.0
        for t in range(steps):
            price *= np.exp((0.05 - 0.02) * dt + 0.2 * np.sqrt(dt) * normals[t, i])
            total += price
        payoff += max(total / steps - 100.0, 0.0)
    return np.exp(-0.05) * payoff / paths


@situ.kernel
def path(normals, payoff):
    i = situ.get_global_id(0)
    steps = normals.shape[0]
    dt = 1.0 / steps
    price = 100.0
    total = 0.0
    for t in range(steps):
        price *= np.exp((0.05 - 0.02) * dt + 0.2 * np.sqrt(dt) * normals[t, i])
        total += price
    payoff[i] = max(total / steps - 100.0, 0.0)


def kernel(normals):
    payoff = situ.empty(normals.shape[1], device=normals.device)
    path[payoff.shape](normals, payoff)
    return np.exp(-0.05) * situ.mean(payoff)
