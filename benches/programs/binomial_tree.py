"""Prices of American put options by a binomial tree."""

import numpy as np

from situ import prange

KIND = "finance"
SIZES = {"test": {"options": 4, "steps": 6}, "bench": {"options": 40, "steps": 300}}


def inputs(options, steps):
    rng = np.random.default_rng(75)
    return rng.uniform(20, 60, options), rng.uniform(20, 60, options), steps


def reference(price, strike, steps):
    up = np.exp(0.3 * np.sqrt(1.0 / steps))
    rate = np.exp(0.05 / steps)
    chance = (rate - 1.0 / up) / (up - 1.0 / up)
    out = np.empty(price.shape[0])
    for k in range(price.shape[0]):
        leaves = price[k] * up ** (2.0 * np.arange(steps + 1) - steps)
        value = np.maximum(strike[k] - leaves, 0.0)
        for _ in range(steps):
            leaves = leaves[:-1] * up
            kept = (chance * value[1:] + (1.0 - chance) * value[:-1]) / rate
            value = np.maximum(kept, strike[k] - leaves)
        out[k] = value[0]
    return out


njit = reference


def parallel(price, strike, steps):
    up = np.exp(0.3 * np.sqrt(1.0 / steps))
    rate = np.exp(0.05 / steps)
    chance = (rate - 1.0 / up) / (up - 1.0 / up)
    n = price.shape[0]
    out = np.empty(n)
    value = np.empty((n, steps + 1))
    powers = up ** np.arange(-steps, steps + 1)
    for k in prange(n):
        for i in range(steps + 1):
            value[k, i] = max(strike[k] - price[k] * powers[2 * i], 0.0)
        for step in range(steps, 0, -1):
            for i in range(step):
                kept = (chance * value[k, i + 1] + (1.0 - chance) * value[k, i]) / rate
                leaf = price[k] * powers[2 * i - step + 1 + steps]
                value[k, i] = max(kept, strike[k] - leaf)
        out[k] = value[k, 0]
    return out
