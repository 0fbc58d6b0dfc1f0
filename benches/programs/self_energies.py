"""Scattering self-energies of a small device: products of small complex matrices, summed."""

import numpy as np

from situ import prange

KIND = "physics"
SIZES = {
    "test": {"energies": 3, "shifts": 2, "atoms": 3, "n": 2},
    "bench": {"energies": 12, "shifts": 4, "atoms": 20, "n": 4},
}


def inputs(energies, shifts, atoms, n):
    rng = np.random.default_rng(80)

    def matrices(*shape):
        return rng.random(shape) + 1j * rng.random(shape)

    near = rng.integers(0, atoms, (atoms, 3))
    return near, matrices(atoms, 3, n, n), matrices(energies, atoms, n, n), shifts


def reference(near, coupling, green, shifts):
    energies, atoms, n = green.shape[0], green.shape[1], green.shape[2]
    sigma = np.zeros((energies, atoms, n, n), dtype=np.complex128)
    for e in range(energies):
        for w in range(min(shifts, e + 1)):
            for a in range(atoms):
                for b in range(near.shape[1]):
                    d = coupling[a, b]
                    sigma[e, a] += d @ green[e - w, near[a, b]] @ d
    return sigma


njit = reference


def parallel(near, coupling, green, shifts):
    energies, atoms, n = green.shape[0], green.shape[1], green.shape[2]
    sigma = np.zeros((energies, atoms, n, n), dtype=np.complex128)
    for e in prange(energies):
        for a in range(atoms):
            for w in range(min(shifts, e + 1)):
                for b in range(near.shape[1]):
                    c = near[a, b]
                    for i in range(n):
                        for j in range(n):
                            for k in range(n):
                                left = 0j
                                for m in range(n):
                                    left += coupling[a, b, i, m] * green[e - w, c, m, k]
                                sigma[e, a, i, j] += left * coupling[a, b, k, j]
    return sigma
