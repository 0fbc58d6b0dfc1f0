"""Flow through a channel that is periodic along its length: Navier-Stokes again."""

import numpy as np

from situ import prange

KIND = "flow"
SIZES = {
    "test": {"nx": 9, "ny": 8, "steps": 3, "inner": 4},
    "bench": {"nx": 81, "ny": 61, "steps": 15, "inner": 30},
}


def inputs(nx, ny, steps, inner):
    shape = (ny, nx)
    return np.zeros(shape), np.zeros(shape), np.zeros(shape), 2.0 / (ny - 1), steps, inner


def reference(u, v, p, dx, steps, inner):
    dt = 0.001
    for _ in range(steps):
        ux = (np.roll(u, -1, axis=1) - np.roll(u, 1, axis=1))[1:-1] / (2.0 * dx)
        vx = (np.roll(v, -1, axis=1) - np.roll(v, 1, axis=1))[1:-1] / (2.0 * dx)
        uy = (u[2:] - u[:-2]) / (2.0 * dx)
        vy = (v[2:] - v[:-2]) / (2.0 * dx)
        b = (ux + vy) / dt - ux * ux - 2.0 * uy * vx - vy * vy
        for _ in range(inner):
            sides = (np.roll(p, -1, axis=1) + np.roll(p, 1, axis=1))[1:-1]
            inside = 0.25 * (sides + p[2:] + p[:-2]) - 0.25 * dx * dx * b
            p[1:-1] = inside
            p[0] = p[1]
            p[-1] = p[-2]
        left = np.roll(u, 1, axis=1)[1:-1]
        right = np.roll(u, -1, axis=1)[1:-1]
        c = u[1:-1]
        px = (np.roll(p, -1, axis=1) - np.roll(p, 1, axis=1))[1:-1] / (2.0 * dx)
        py = (p[2:] - p[:-2]) / (2.0 * dx)
        laplace = left + right + u[2:] + u[:-2] - 4.0 * c
        u_new = c - dt * (c * ux + v[1:-1] * uy + px) + 0.1 * dt / (dx * dx) * laplace + dt
        d = v[1:-1]
        sides = np.roll(v, 1, axis=1)[1:-1] + np.roll(v, -1, axis=1)[1:-1]
        laplace = sides + v[2:] + v[:-2] - 4.0 * d
        v_new = d - dt * (c * vx + d * vy + py) + 0.1 * dt / (dx * dx) * laplace
        u[1:-1] = u_new
        v[1:-1] = v_new
    return u, v, p


def parallel(u, v, p, dx, steps, inner):
    dt = 0.001
    ny, nx = u.shape
    b = np.zeros_like(u)
    old = np.zeros_like(u)
    un = np.zeros_like(u)
    vn = np.zeros_like(v)
    for _ in range(steps):
        for i in prange(1, ny - 1):
            for j in range(nx):
                east, west = (j + 1) % nx, (j - 1) % nx
                ux = (u[i, east] - u[i, west]) / (2.0 * dx)
                vx = (v[i, east] - v[i, west]) / (2.0 * dx)
                uy = (u[i + 1, j] - u[i - 1, j]) / (2.0 * dx)
                vy = (v[i + 1, j] - v[i - 1, j]) / (2.0 * dx)
                b[i, j] = (ux + vy) / dt - ux * ux - 2.0 * uy * vx - vy * vy
        for _ in range(inner):
            for i in prange(ny):
                old[i] = p[i]
            for i in prange(1, ny - 1):
                for j in range(nx):
                    sides = old[i, (j + 1) % nx] + old[i, (j - 1) % nx]
                    near = sides + old[i + 1, j] + old[i - 1, j]
                    p[i, j] = 0.25 * near - 0.25 * dx * dx * b[i, j]
            for j in prange(nx):
                p[0, j] = p[1, j]
                p[ny - 1, j] = p[ny - 2, j]
        for i in prange(ny):
            un[i] = u[i]
            vn[i] = v[i]
        for i in prange(1, ny - 1):
            for j in range(nx):
                east, west = (j + 1) % nx, (j - 1) % nx
                c = un[i, j]
                d = vn[i, j]
                ux = (un[i, east] - un[i, west]) / (2.0 * dx)
                vx = (vn[i, east] - vn[i, west]) / (2.0 * dx)
                uy = (un[i + 1, j] - un[i - 1, j]) / (2.0 * dx)
                vy = (vn[i + 1, j] - vn[i - 1, j]) / (2.0 * dx)
                px = (p[i, east] - p[i, west]) / (2.0 * dx)
                py = (p[i + 1, j] - p[i - 1, j]) / (2.0 * dx)
                lap = un[i, east] + un[i, west] + un[i + 1, j] + un[i - 1, j] - 4.0 * c
                u[i, j] = c - dt * (c * ux + d * uy + px) + 0.1 * dt / (dx * dx) * lap + dt
                lap = vn[i, east] + vn[i, west] + vn[i + 1, j] + vn[i - 1, j] - 4.0 * d
                v[i, j] = d - dt * (c * vx + d * vy + py) + 0.1 * dt / (dx * dx) * lap
    return u, v, p
