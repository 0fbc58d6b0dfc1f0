"""Gravity between all pairs of bodies, leapfrog steps."""

import numpy as np

import situ
from situ import prange

KIND = "physics"
SIZES = {"test": {"n": 7, "steps": 2}, "bench": {"n": 300, "steps": 5}}


def inputs(n, steps):
    rng = np.random.default_rng(70)
    return rng.random((n, 3)), rng.random((n, 3)), rng.random(n), steps


def reference(position, velocity, mass, steps):
    for _ in range(steps):
        position += 0.005 * velocity
        between = position[np.newaxis, :, :] - position[:, np.newaxis, :]
        cubed = (np.sum(between * between, axis=2) + 0.01) ** -1.5
        velocity += 0.01 * np.sum(between * (mass * cubed)[:, :, np.newaxis], axis=1)
        position += 0.005 * velocity
    return position, velocity


def njit(position, velocity, mass, steps):
    for _ in range(steps):
        position += 0.005 * velocity
        for i in range(mass.shape[0]):
            between = position - position[i]
            cubed = (np.sum(between * between, axis=1) + 0.01) ** -1.5
            velocity[i] += 0.01 * ((mass * cubed) @ between)
        position += 0.005 * velocity
    return position, velocity


def parallel(position, velocity, mass, steps):
    n = mass.shape[0]
    for _ in range(steps):
        for i in prange(n):
            for d in range(3):
                position[i, d] += 0.005 * velocity[i, d]
        for i in prange(n):
            fx, fy, fz = 0.0, 0.0, 0.0
            for j in range(n):
                dx = position[j, 0] - position[i, 0]
                dy = position[j, 1] - position[i, 1]
                dz = position[j, 2] - position[i, 2]
                square = dx * dx + dy * dy + dz * dz + 0.01
                pull = mass[j] / (square * np.sqrt(square))
                fx += dx * pull
                fy += dy * pull
                fz += dz * pull
            velocity[i, 0] += 0.01 * fx
            velocity[i, 1] += 0.01 * fy
            velocity[i, 2] += 0.01 * fz
        for i in prange(n):
            for d in range(3):
                position[i, d] += 0.005 * velocity[i, d]
    return position, velocity


@situ.kernel
def drift(position, velocity):
    i = situ.get_global_id(0)
    d = situ.get_global_id(1)
    position[i, d] += 0.005 * velocity[i, d]


@situ.kernel
def kick(position, velocity, mass):
    i = situ.get_global_id(0)
    fx = 0.0
    fy = 0.0
    fz = 0.0
    for j in range(mass.shape[0]):
        dx = position[j, 0] - position[i, 0]
        dy = position[j, 1] - position[i, 1]
        dz = position[j, 2] - position[i, 2]
        square = dx * dx + dy * dy + dz * dz + 0.01
        pull = mass[j] / (square * np.sqrt(square))
        fx += dx * pull
        fy += dy * pull
        fz += dz * pull
    velocity[i, 0] += 0.01 * fx
    velocity[i, 1] += 0.01 * fy
    velocity[i, 2] += 0.01 * fz


def kernel(position, velocity, mass, steps):
    for _ in range(steps):
        drift(position, velocity)
        kick[mass.shape[0]](position, velocity, mass)
        drift(position, velocity)
    return position, velocity
