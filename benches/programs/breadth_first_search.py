"""Levels of a breadth-first search in a graph of sorted edges, level by level."""

import numpy as np

from situ import prange

KIND = "graph"
SIZES = {"test": {"nodes": 15, "edges": 40}, "bench": {"nodes": 20_000, "edges": 200_000}}


def inputs(nodes, edges):
    rng = np.random.default_rng(56)
    source = np.sort(rng.integers(0, nodes, edges))
    start = np.searchsorted(source, np.arange(nodes + 1))
    return source, rng.integers(0, nodes, edges), start


def reference(source, target, start):
    level = np.full(start.shape[0] - 1, -1, dtype=np.int64)
    level[0] = 0
    depth = 0
    while True:
        reached = target[level[source] == depth]
        fresh = reached[level[reached] < 0]
        if fresh.shape[0] == 0:
            break
        depth += 1
        level[fresh] = depth
    return level


njit = reference


def parallel(source, target, start):
    n = start.shape[0] - 1
    level = np.full(n, -1, dtype=np.int64)
    mark = np.zeros(n, dtype=np.int64)
    level[0] = 0
    depth = 0
    changed = 1
    while changed > 0:
        for i in prange(n):
            if level[i] == depth:
                for e in range(start[i], start[i + 1]):
                    mark[target[e]] = 1
        changed = 0
        for i in prange(n):
            if mark[i] == 1 and level[i] < 0:
                level[i] = depth + 1
                changed += 1
        depth += 1
    return level
