"""PageRank of a sparse graph, by edges."""

import numpy as np

from situ import prange

KIND = "graph"
SIZES = {
    "test": {"nodes": 12, "edges": 40, "steps": 4},
    "bench": {"nodes": 20_000, "edges": 200_000, "steps": 15},
}


def inputs(nodes, edges, steps):
    rng = np.random.default_rng(57)
    source = rng.integers(0, nodes, edges)
    target = np.sort(rng.integers(0, nodes, edges))
    start = np.searchsorted(target, np.arange(nodes + 1))
    degree = np.maximum(np.bincount(source, minlength=nodes), 1).astype(np.float64)
    return source, target, start, degree, steps


def reference(source, target, start, degree, steps):
    n = degree.shape[0]
    rank = np.full(n, 1.0 / n)
    for _ in range(steps):
        share = (rank / degree)[source]
        rank = 0.15 / n + 0.85 * np.bincount(target, weights=share, minlength=n)
    return rank


def njit(source, target, start, degree, steps):
    n = degree.shape[0]
    rank = np.full(n, 1.0 / n)
    for _ in range(steps):
        share = (rank / degree)[source]
        total = np.zeros(n)
        for i in range(n):
            total[i] = np.sum(share[start[i] : start[i + 1]])
        rank = 0.15 / n + 0.85 * total
    return rank


def parallel(source, target, start, degree, steps):
    n = degree.shape[0]
    rank = np.full(n, 1.0 / n)
    share = np.empty(n)
    for _ in range(steps):
        for i in prange(n):
            share[i] = rank[i] / degree[i]
        for i in prange(n):
            total = 0.0
            for e in range(start[i], start[i + 1]):
                total += share[source[e]]
            rank[i] = 0.15 / n + 0.85 * total
    return rank
