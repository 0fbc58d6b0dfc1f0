"""Flow in a cavity with a moving lid: Navier-Stokes with a Poisson equation for pressure."""

import numpy as np

KIND = "flow"
SIZES = {
    "test": {"n": 9, "steps": 3, "inner": 4},
    "bench": {"n": 61, "steps": 20, "inner": 40},
}


def inputs(n, steps, inner):
    dx = 2.0 / (n - 1)
    return np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n)), dx, 0.0005, steps, inner


def reference(u, v, p, dx, dt, steps, inner):
    rho = 1.0
    nu = 0.1
    b = np.zeros_like(u)
    for _ in range(steps):
        ux = (u[1:-1, 2:] - u[1:-1, :-2]) / (2.0 * dx)
        uy = (u[2:, 1:-1] - u[:-2, 1:-1]) / (2.0 * dx)
        vx = (v[1:-1, 2:] - v[1:-1, :-2]) / (2.0 * dx)
        vy = (v[2:, 1:-1] - v[:-2, 1:-1]) / (2.0 * dx)
        b[1:-1, 1:-1] = rho * ((ux + vy) / dt - ux * ux - 2.0 * uy * vx - vy * vy)
        for _ in range(inner):
            old = p.copy()
            p[1:-1, 1:-1] = (
                0.25 * (old[1:-1, 2:] + old[1:-1, :-2] + old[2:, 1:-1] + old[:-2, 1:-1])
                - 0.25 * dx * dx * b[1:-1, 1:-1]
            )
            p[:, -1] = p[:, -2]
            p[0, :] = p[1, :]
            p[:, 0] = p[:, 1]
            p[-1, :] = 0.0
        un = u.copy()
        vn = v.copy()
        c = un[1:-1, 1:-1]
        u[1:-1, 1:-1] = (
            c
            - c * dt / dx * (c - un[1:-1, :-2])
            - vn[1:-1, 1:-1] * dt / dx * (c - un[:-2, 1:-1])
            - dt / (2.0 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2])
            + nu * dt / (dx * dx) * (un[1:-1, 2:] - 2.0 * c + un[1:-1, :-2])
            + nu * dt / (dx * dx) * (un[2:, 1:-1] - 2.0 * c + un[:-2, 1:-1])
        )
        d = vn[1:-1, 1:-1]
        v[1:-1, 1:-1] = (
            d
            - c * dt / dx * (d - vn[1:-1, :-2])
            - d * dt / dx * (d - vn[:-2, 1:-1])
            - dt / (2.0 * rho * dx) * (p[2:, 1:-1] - p[:-2, 1:-1])
            + nu * dt / (dx * dx) * (vn[1:-1, 2:] - 2.0 * d + vn[1:-1, :-2])
            + nu * dt / (dx * dx) * (vn[2:, 1:-1] - 2.0 * d + vn[:-2, 1:-1])
        )
        u[0, :] = 0.0
        u[:, 0] = 0.0
        u[:, -1] = 0.0
        u[-1, :] = 1.0
        v[0, :] = 0.0
        v[-1, :] = 0.0
        v[:, 0] = 0.0
        v[:, -1] = 0.0
    return u, v, p


njit = reference
