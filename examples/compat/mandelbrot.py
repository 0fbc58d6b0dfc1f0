"""The Mandelbrot set as text: an njit function with a parallel loop, and array expressions."""

import dpnp
import numpy as np
from numba_dpex import dpjit, prange

WIDTH, HEIGHT, ROUNDS = 72, 24, 60


@dpjit
def escape_counts(xs, ys, counts, rounds):
    """Count the rounds until a point leaves the circle."""
    for p in prange(counts.size):
        row = p // xs.size
        column = p % xs.size
        x0 = xs[column]
        y0 = ys[row]
        x = 0.0
        y = 0.0
        n = 0
        while x * x + y * y <= 4.0 and n < rounds:
            x, y = x * x - y * y + x0, 2.0 * x * y + y0
            n += 1
        counts[row, column] = n
    return counts


def expected_counts(xs, ys):
    """Return the same by NumPy."""
    x0, y0 = np.meshgrid(xs, ys)
    x, y = np.zeros_like(x0), np.zeros_like(y0)
    counts = np.zeros(x0.shape, dtype=np.int64)
    for _ in range(ROUNDS):
        inside = x * x + y * y <= 4.0
        counts[inside] += 1
        x, y = (
            np.where(inside, x * x - y * y + x0, x),
            np.where(inside, 2.0 * x * y + y0, y),
        )
    return counts


def main() -> None:
    """Draw the set, and compare with NumPy."""
    xs = dpnp.linspace(-2.2, 0.8, WIDTH)
    ys = dpnp.linspace(-1.2, 1.2, HEIGHT)
    counts = escape_counts(xs, ys, dpnp.zeros((HEIGHT, WIDTH), dtype=dpnp.int64), ROUNDS)

    host = counts.asnumpy()
    assert np.array_equal(host, expected_counts(xs.asnumpy(), ys.asnumpy()))
    for row in host:
        print("".join(" .:-=+*#%@"[min(9, n * 10 // ROUNDS)] for n in row))


if __name__ == "__main__":
    main()
