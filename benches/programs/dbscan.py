"""Clusters of points that are dense, by spreading labels between near points."""

import numpy as np

from situ import prange

KIND = "data analysis"
SIZES = {"test": {"n": 20, "radius": 0.25}, "bench": {"n": 500, "radius": 0.05}}


def inputs(n, radius):
    rng = np.random.default_rng(72)
    return rng.random((n, 2)), radius, 4


def reference(points, radius, least):
    n = points.shape[0]
    between = points[:, np.newaxis, :] - points[np.newaxis, :, :]
    near = np.sum(between * between, axis=2) <= radius * radius
    is_core = np.sum(near, axis=1) >= least
    links = near & is_core[np.newaxis, :]
    label = np.arange(n)
    while True:
        new = np.min(np.where(links, label[np.newaxis, :], n), axis=1)
        new = np.where(is_core, np.minimum(new, label), label)
        if np.all(new == label):
            break
        label = new
    border = np.min(np.where(links, label[np.newaxis, :], n), axis=1)
    return np.where(is_core, label, np.where(border < n, border, -1))


def njit(points, radius, least):
    n = points.shape[0]
    near = np.zeros((n, n), dtype=np.bool_)
    for i in range(n):
        between = points - points[i]
        near[i] = np.sum(between * between, axis=1) <= radius * radius
    is_core = np.sum(near, axis=1) >= least
    label = np.arange(n)
    changed = True
    while changed:
        changed = False
        new = label.copy()
        for i in range(n):
            if is_core[i]:
                new[i] = np.min(np.where(near[i] & is_core, label, n))
                if new[i] != label[i]:
                    changed = True
        label = new
    out = label.copy()
    for i in range(n):
        if not is_core[i]:
            border = np.min(np.where(near[i] & is_core, label, n))
            out[i] = border if border < n else -1
    return out


def parallel(points, radius, least):
    n = points.shape[0]
    is_core = np.zeros(n, dtype=np.bool_)
    for i in prange(n):
        count = 0
        for j in range(n):
            dx = points[i, 0] - points[j, 0]
            dy = points[i, 1] - points[j, 1]
            if dx * dx + dy * dy <= radius * radius:
                count += 1
        is_core[i] = count >= least
    label = np.arange(n)
    new = np.arange(n)
    changed = 1
    while changed > 0:
        changed = 0
        for i in prange(n):
            lowest = label[i]
            if is_core[i]:
                for j in range(n):
                    dx = points[i, 0] - points[j, 0]
                    dy = points[i, 1] - points[j, 1]
                    if is_core[j] and dx * dx + dy * dy <= radius * radius:
                        lowest = min(lowest, label[j])
            new[i] = lowest
            if lowest != label[i]:
                changed += 1
        for i in prange(n):
            label[i] = new[i]
    for i in prange(n):
        if not is_core[i]:
            lowest = n
            for j in range(n):
                dx = points[i, 0] - points[j, 0]
                dy = points[i, 1] - points[j, 1]
                if is_core[j] and dx * dx + dy * dy <= radius * radius:
                    lowest = min(lowest, label[j])
            new[i] = lowest if lowest < n else -1
    return new
