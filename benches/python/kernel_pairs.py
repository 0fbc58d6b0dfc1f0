"""The kernels of `bench_kernels.py`: each as a situ kernel and as the same function for Numba.

A pair computes the same numbers from the same arrays. Numba runs work-items in a parallel loop over
the slowest dimension, or over work-groups where the kernel has groups; what a group shares is an
array that each round of that loop makes.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numba
import numpy as np

import situ

GROUP = 256
TILE = 16
BINS = 256
ITEMS_PER_GROUP = 131072

parallel = numba.njit(parallel=True, fastmath=False)


@dataclass
class Pair:
    """One function in two libraries, with the arrays both work on."""

    name: str
    situ_run: Callable[..., None]
    numba_run: Callable[..., None]
    inputs: list[np.ndarray]
    output: np.ndarray
    tolerance: float = 1e-12


@situ.device_func
def normal_distribution(x):  # noqa: ANN001, ANN201 (kernels are untyped Python)
    """Give the probability of less than `x`."""
    return 0.5 * (1.0 + math.erf(x * 0.7071067811865476))


@situ.kernel
def black_scholes(price, strike, years, call, put):  # noqa: ANN001, ANN201
    """Price options."""
    i = situ.get_global_id(0)
    rate = 0.02
    volatility = 0.3
    s = price[i]
    k = strike[i]
    t = years[i]
    spread = volatility * math.sqrt(t)
    d1 = (math.log(s / k) + (rate + 0.5 * volatility * volatility) * t) / spread
    d2 = d1 - spread
    discounted = k * math.exp(-rate * t)
    value = s * normal_distribution(d1) - discounted * normal_distribution(d2)
    call[i] = value
    put[i] = value + discounted - s


@numba.njit(fastmath=False)
def normal_distribution_numba(x: float) -> float:
    """Give the probability of less than `x`."""
    return 0.5 * (1.0 + math.erf(x * 0.7071067811865476))


@parallel
def black_scholes_numba(
    price: np.ndarray, strike: np.ndarray, years: np.ndarray, call: np.ndarray, put: np.ndarray
) -> None:
    """Price options."""
    for i in numba.prange(price.size):
        rate = 0.02
        volatility = 0.3
        s = price[i]
        k = strike[i]
        t = years[i]
        spread = volatility * math.sqrt(t)
        d1 = (math.log(s / k) + (rate + 0.5 * volatility * volatility) * t) / spread
        d2 = d1 - spread
        discounted = k * math.exp(-rate * t)
        value = s * normal_distribution_numba(d1) - discounted * normal_distribution_numba(d2)
        call[i] = value
        put[i] = value + discounted - s


@situ.kernel
def pairwise_distance(x, out):  # noqa: ANN001, ANN201
    """Give the distance of each point to each."""
    i = situ.get_global_id(0)
    j = situ.get_global_id(1)
    total = 0.0
    for k in range(x.shape[1]):
        d = x[i, k] - x[j, k]
        total += d * d
    out[i, j] = math.sqrt(total)


@parallel
def pairwise_distance_numba(x: np.ndarray, out: np.ndarray) -> None:
    """Give the distance of each point to each."""
    for i in numba.prange(x.shape[0]):
        for j in range(x.shape[0]):
            total = 0.0
            for k in range(x.shape[1]):
                d = x[i, k] - x[j, k]
                total += d * d
            out[i, j] = math.sqrt(total)


@situ.kernel
def n_body(x, y, z, mass, out):  # noqa: ANN001, ANN201
    """Give the acceleration of each body."""
    i = situ.get_global_id(0)
    ax = 0.0
    ay = 0.0
    az = 0.0
    for j in range(x.shape[0]):
        dx = x[j] - x[i]
        dy = y[j] - y[i]
        dz = z[j] - z[i]
        square = dx * dx + dy * dy + dz * dz + 1e-6
        force = mass[j] / (square * math.sqrt(square))
        ax += dx * force
        ay += dy * force
        az += dz * force
    out[0, i] = ax
    out[1, i] = ay
    out[2, i] = az


@parallel
def n_body_numba(
    x: np.ndarray, y: np.ndarray, z: np.ndarray, mass: np.ndarray, out: np.ndarray
) -> None:
    """Give the acceleration of each body."""
    for i in numba.prange(x.shape[0]):
        ax = 0.0
        ay = 0.0
        az = 0.0
        for j in range(x.shape[0]):
            dx = x[j] - x[i]
            dy = y[j] - y[i]
            dz = z[j] - z[i]
            square = dx * dx + dy * dy + dz * dz + 1e-6
            force = mass[j] / (square * math.sqrt(square))
            ax += dx * force
            ay += dy * force
            az += dz * force
        out[0, i] = ax
        out[1, i] = ay
        out[2, i] = az


@situ.kernel
def mandelbrot(reals, imaginaries, out):  # noqa: ANN001, ANN201
    """Count the rounds until a number of the plane escapes."""
    row = situ.get_global_id(0)
    column = situ.get_global_id(1)
    c_re = reals[column]
    c_im = imaginaries[row]
    re = 0.0
    im = 0.0
    rounds = 0
    while rounds < 200 and re * re + im * im <= 4.0:
        next_re = re * re - im * im + c_re
        im = 2.0 * re * im + c_im
        re = next_re
        rounds += 1
    out[row, column] = rounds


@parallel
def mandelbrot_numba(reals: np.ndarray, imaginaries: np.ndarray, out: np.ndarray) -> None:
    """Count the rounds until a number of the plane escapes."""
    for row in numba.prange(out.shape[0]):
        for column in range(out.shape[1]):
            c_re = reals[column]
            c_im = imaginaries[row]
            re = 0.0
            im = 0.0
            rounds = 0
            while rounds < 200 and re * re + im * im <= 4.0:
                next_re = re * re - im * im + c_re
                im = 2.0 * re * im + c_im
                re = next_re
                rounds += 1
            out[row, column] = rounds


@situ.kernel
def k_means_step(points, centres, labels):  # noqa: ANN001, ANN201
    """Find the nearest centre of each point; a column of `points` is a point."""
    i = situ.get_global_id(0)
    best = 1e300
    label = 0
    for c in range(centres.shape[0]):
        distance = 0.0
        for k in range(centres.shape[1]):
            d = points[k, i] - centres[c, k]
            distance += d * d
        if distance < best:
            best = distance
            label = c
    labels[i] = label


@parallel
def k_means_step_numba(points: np.ndarray, centres: np.ndarray, labels: np.ndarray) -> None:
    """Find the nearest centre of each point; a column of `points` is a point."""
    for i in numba.prange(points.shape[1]):
        best = 1e300
        label = 0
        for c in range(centres.shape[0]):
            distance = 0.0
            for k in range(centres.shape[1]):
                d = points[k, i] - centres[c, k]
                distance += d * d
            if distance < best:
                best = distance
                label = c
        labels[i] = label


@situ.kernel
def histogram(x, out):  # noqa: ANN001, ANN201
    """Count bytes; each group counts its own part first, each work-item a run of it."""
    counts = situ.local.array(256, situ.int32)
    item = situ.get_local_id(0)
    counts[item] = 0
    situ.barrier()
    first = situ.get_global_id(0) * 512
    for i in range(first, min(first + 512, x.shape[0])):
        situ.atomic.add(counts, x[i], 1)
    situ.barrier()
    situ.atomic.add(out, item, counts[item])


@parallel
def histogram_numba(x: np.ndarray, out: np.ndarray) -> None:
    """Count bytes; each group counts its own part first."""
    total = np.zeros(256, np.int32)
    for group in numba.prange((x.size + 131071) // 131072):
        counts = np.zeros(256, np.int32)
        for i in range(group * 131072, min(group * 131072 + 131072, x.size)):
            counts[x[i]] += 1
        total += counts
    out += total


@situ.kernel
def tiled_matmul(a, b, out):  # noqa: ANN001, ANN201
    """Multiply matrices whose sizes are multiples of 16, in tiles."""
    tile_a = situ.local.array((16, 16), situ.float64)
    tile_b = situ.local.array((16, 16), situ.float64)
    row = situ.get_global_id(0)
    column = situ.get_global_id(1)
    y = situ.get_local_id(0)
    x = situ.get_local_id(1)
    total = 0.0
    for t in range(a.shape[1] // 16):
        tile_a[y, x] = a[row, t * 16 + x]
        tile_b[y, x] = b[t * 16 + y, column]
        situ.barrier()
        for k in range(16):
            total += tile_a[y, k] * tile_b[k, x]
        situ.barrier()
    out[row, column] = total


@parallel
def tiled_matmul_numba(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """Multiply matrices whose sizes are multiples of 16, in tiles."""
    columns = out.shape[1] // 16
    for group in numba.prange((out.shape[0] // 16) * columns):
        first_row = group // columns * 16
        first_column = group % columns * 16
        tile_a = np.empty((16, 16))
        tile_b = np.empty((16, 16))
        total = np.zeros((16, 16))
        for t in range(a.shape[1] // 16):
            for y in range(16):
                for x in range(16):
                    tile_a[y, x] = a[first_row + y, t * 16 + x]
                    tile_b[y, x] = b[t * 16 + y, first_column + x]
            for y in range(16):
                for x in range(16):
                    for k in range(16):
                        total[y, x] += tile_a[y, k] * tile_b[k, x]
        for y in range(16):
            for x in range(16):
                out[first_row + y, first_column + x] = total[y, x]


@situ.kernel
def stencil(a, out):  # noqa: ANN001, ANN201
    """Replace each inner point by the mean of itself and its neighbours."""
    i = situ.get_global_id(0) + 1
    j = situ.get_global_id(1) + 1
    out[i, j] = 0.2 * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


@parallel
def stencil_numba(a: np.ndarray, out: np.ndarray) -> None:
    """Replace each inner point by the mean of itself and its neighbours."""
    for i in numba.prange(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            out[i, j] = 0.2 * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


@situ.kernel
def prefix_scan(x, out):  # noqa: ANN001, ANN201
    """Sum up to each element, within each group of 256."""
    sums = situ.local.array(256, situ.float64)
    i = situ.get_global_id(0)
    item = situ.get_local_id(0)
    sums[item] = x[i]
    situ.barrier()
    distance = 1
    while distance < 256:
        before = 0.0
        if item >= distance:
            before = sums[item - distance]
        situ.barrier()
        sums[item] += before
        situ.barrier()
        distance *= 2
    out[i] = sums[item]


@parallel
def prefix_scan_numba(x: np.ndarray, out: np.ndarray) -> None:
    """Sum up to each element, within each group of 256."""
    for group in numba.prange(x.size // 256):
        sums = np.empty(256)
        before = np.empty(256)
        for item in range(256):
            sums[item] = x[group * 256 + item]
        distance = 1
        while distance < 256:
            for item in range(256):
                before[item] = 0.0
                if item >= distance:
                    before[item] = sums[item - distance]
            for item in range(256):
                sums[item] += before[item]
            distance *= 2
        for item in range(256):
            out[group * 256 + item] = sums[item]


def pairs() -> list[Pair]:
    """Make the arrays of every pair."""
    rng = np.random.default_rng(6)
    options = 1_000_000
    bodies = 4096
    side = 1024
    matrix = 512
    length = 2048 * GROUP
    return [
        Pair(
            "Black-Scholes, 1M options",
            black_scholes[options],
            black_scholes_numba,
            [
                rng.uniform(10, 50, options),
                rng.uniform(10, 50, options),
                rng.uniform(0.2, 2, options),
                np.zeros(options),
            ],
            np.zeros(options),
        ),
        Pair(
            "pairwise distance, 2000 points in space",
            pairwise_distance[2000, 2000],
            pairwise_distance_numba,
            [rng.random((2000, 3))],
            np.zeros((2000, 2000)),
        ),
        Pair(
            "n-body, 4096 bodies",
            n_body[bodies],
            n_body_numba,
            [rng.random(bodies) for _ in range(4)],
            np.zeros((3, bodies)),
        ),
        Pair(
            "Mandelbrot, 1024 x 1024",
            mandelbrot[side, side],
            mandelbrot_numba,
            [np.linspace(-2.0, 0.5, side), np.linspace(-1.25, 1.25, side)],
            np.zeros((side, side), np.int32),
        ),
        Pair(
            "k-means step, 500k points, 16 centres",
            k_means_step[500_000],
            k_means_step_numba,
            [rng.random((4, 500_000)), rng.random((16, 4))],
            np.zeros(500_000, np.int32),
        ),
        Pair(
            "histogram with atomics, 8M bytes",
            histogram[(64 * GROUP,), (GROUP,)],
            histogram_numba,
            [rng.integers(0, BINS, 64 * ITEMS_PER_GROUP, np.uint8)],
            np.zeros(BINS, np.int32),
        ),
        Pair(
            "tiled matmul, 512 x 512",
            tiled_matmul[(matrix, matrix), (TILE, TILE)],
            tiled_matmul_numba,
            [rng.random((matrix, matrix)), rng.random((matrix, matrix))],
            np.zeros((matrix, matrix)),
        ),
        Pair(
            "2-D stencil, 2048 x 2048",
            stencil[2046, 2046],
            stencil_numba,
            [rng.random((2048, 2048))],
            np.zeros((2048, 2048)),
        ),
        Pair(
            "prefix scan with barriers, 512k",
            prefix_scan[(length,), (GROUP,)],
            prefix_scan_numba,
            [rng.random(length)],
            np.zeros(length),
        ),
    ]
