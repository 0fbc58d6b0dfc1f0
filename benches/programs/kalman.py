"""Kalman filter of a moving point with noisy measurements of its place."""

import numpy as np

KIND = "signal"
SIZES = {"test": {"steps": 6}, "bench": {"steps": 1500}}


def inputs(steps):
    rng = np.random.default_rng(79)
    f = np.array([[1.0, 0.0, 0.1, 0.0], [0.0, 1.0, 0.0, 0.1], [0.0, 0.0, 1.0, 0.0], [0, 0, 0, 1.0]])
    h = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    return rng.random((steps, 2)), f, h, 0.01 * np.eye(4), 0.1 * np.eye(2)


def reference(measured, f, h, q, r):
    x = np.zeros(4)
    p = np.eye(4)
    out = np.empty((measured.shape[0], 4))
    for t in range(measured.shape[0]):
        x = f @ x
        p = f @ p @ f.T + q
        s = h @ p @ h.T + r
        gain = p @ h.T @ np.linalg.inv(s)
        x = x + gain @ (measured[t] - h @ x)
        p = p - gain @ h @ p
        out[t] = x
    return out


njit = reference
