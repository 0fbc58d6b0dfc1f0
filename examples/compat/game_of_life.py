"""Conway's game of life with the older kernel functions, on a torus."""

import dpctl
import dpctl.tensor as dpt
import numba_dppy as dppy
import numpy as np


@dppy.func
def neighbours(cells, i, j):
    rows, columns = cells.shape
    alive = 0
    for di in range(3):
        for dj in range(3):
            if di != 1 or dj != 1:
                alive += cells[(i + di + rows - 1) % rows, (j + dj + columns - 1) % columns]
    return alive


@dppy.kernel
def step(before, after):
    i = dppy.get_global_id(0)
    j = dppy.get_global_id(1)
    alive = neighbours(before, i, j)
    after[i, j] = 1 if alive == 3 or (alive == 2 and before[i, j] == 1) else 0


def expected_step(cells):
    """Return the next generation by NumPy."""
    shifts = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]
    alive = sum(np.roll(cells, shift, (0, 1)) for shift in shifts)
    return ((alive == 3) | ((alive == 2) & (cells == 1))).astype(cells.dtype)


def main() -> None:
    """Let a glider go around, and compare with NumPy."""
    shape = (24, 40)
    host = np.zeros(shape, dtype=np.int32)
    host[1:4, 1:4] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
    host[10:13, 20] = 1

    device = dpctl.select_default_device()
    before = dpt.asarray(host, device=device)
    after = dpt.empty_like(before)
    for _ in range(30):
        step[shape, dppy.DEFAULT_LOCAL_SIZE](before, after)
        before, after = after, before
        host = expected_step(host)

    assert np.array_equal(dpt.asnumpy(before), host)
    for row in dpt.asnumpy(before)[::2]:
        print("".join(".#"[cell] for cell in row))


if __name__ == "__main__":
    main()
