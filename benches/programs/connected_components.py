"""Connected components by the smallest label of all neighbours, until nothing changes."""

import numpy as np

from situ import prange

KIND = "graph"
SIZES = {"test": {"nodes": 14, "edges": 12}, "bench": {"nodes": 30_000, "edges": 40_000}}


def inputs(nodes, edges):
    rng = np.random.default_rng(58)
    one, other = rng.integers(0, nodes, edges), rng.integers(0, nodes, edges)
    source, target = np.concatenate([one, other]), np.concatenate([other, one])
    order = np.argsort(source, kind="stable")
    start = np.searchsorted(source[order], np.arange(nodes + 1))
    return source[order], target[order], start


def reference(source, target, start):
    label = np.arange(start.shape[0] - 1)
    while True:
        new = label.copy()
        np.minimum.at(new, source, label[target])
        if np.array_equal(new, label):
            break
        label = new
    return label


def njit(source, target, start):
    n = start.shape[0] - 1
    label = np.arange(n)
    changed = True
    while changed:
        changed = False
        near = label[target]
        for i in range(n):
            if start[i] < start[i + 1]:
                least = np.min(near[start[i] : start[i + 1]])
                if least < label[i]:
                    label[i] = least
                    changed = True
    return label


def parallel(source, target, start):
    n = start.shape[0] - 1
    label = np.arange(n)
    new = np.arange(n)
    changed = 1
    while changed > 0:
        changed = 0
        for i in prange(n):
            least = label[i]
            for e in range(start[i], start[i + 1]):
                least = min(least, label[target[e]])
            new[i] = least
            if least < label[i]:
                changed += 1
        for i in prange(n):
            label[i] = new[i]
    return label
