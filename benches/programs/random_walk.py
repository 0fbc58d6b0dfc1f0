"""Random walks on a circle of places, with given steps: how often each place is visited."""

import numpy as np

from situ import prange

KIND = "physics"
SIZES = {
    "test": {"walkers": 6, "steps": 5, "places": 7},
    "bench": {"walkers": 20_000, "steps": 100, "places": 512},
}


def inputs(walkers, steps, places):
    rng = np.random.default_rng(78)
    return rng.integers(0, places, walkers), rng.integers(-2, 3, (steps, walkers)), places


def reference(position, moves, places):
    visits = np.zeros(places, dtype=np.int64)
    for t in range(moves.shape[0]):
        position = (position + moves[t]) % places
        visits += np.bincount(position, minlength=places)
    return visits


njit = reference


def parallel(position, moves, places):
    visits = np.zeros(places, dtype=np.int64)
    for t in range(moves.shape[0]):
        for i in prange(position.shape[0]):
            position[i] = (position[i] + moves[t, i]) % places
        for i in range(position.shape[0]):
            visits[position[i]] += 1
    return visits
