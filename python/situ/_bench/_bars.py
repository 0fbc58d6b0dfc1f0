"""How fast each line should be: the one table of bars.

A bar is a promise that is reported on, not a test: a slow or busy machine is no bug.
"""

from dataclasses import dataclass

# Times that differ by less than this are the same time.
NOISE = 0.1


@dataclass(frozen=True)
class Bar:
    """What a number should be: at least this, or at most this."""

    limit: float
    is_at_least: bool = True

    def is_met_by(self, value: float) -> bool:
        """Return whether a measured value is good enough."""
        return value >= self.limit if self.is_at_least else value <= self.limit

    def __str__(self) -> str:
        """Write it as in the table."""
        sign = "≥" if self.is_at_least else "≤"
        return f"{sign} {self.limit:.3g}"


# NumPy's time over situ's, on the native device with two cores.
SPEED: dict[str, float] = {
    "add-f64": 1.5,
    "add-f32": 1.5,
    "chain-f64": 2.5,
    "sin-f64": 8.0,
    "log-f64": 8.0,
    "pow-f64": 8.0,
    "exp-f32": 2.5,
    "black-scholes": 8.0,
    "sum-f64": 1.5,
    "squared-distance": 3.0,
    "argmax-f64": 1.5,
    "sum-axis-0-f32": 1.5,
    "sum-axis-1-f32": 1.5,
    "std-axis-0": 3.0,
    "cumsum-f64": 2.0,
    "sort-f64": 1.3,
    "argsort-f32": 2.0,
    "unique-i64": 2.0,
    "where-f64": 2.0,
    "mask-f64": 2.0,
    "take-f64": 2.0,
    "strided-add": 1.5,
    "transposed-copy": 1.5,
    "outer-f64": 1.5,
    "stencil": 2.0,
    "host-to-device": 1.0,
    "matmul-f64": 0.95,
    "matmul-f32": 0.95,
    "solve": 1.0,
    "cholesky": 1.0,
    "svd": 1.0,
    "eigh": 1.0,
    "fft-c128": 1.2,
    # Where there is little to do, what counts is what a call costs: at most 4, 3 and 1.5 times
    # NumPy's.
    "add-10": 1 / 4,
    "slice": 1 / 3,
    "sum-1000": 1 / 1.5,
}

# Every line should be ahead of dpnp.
AGAINST_DPNP = Bar(1.0)

# The peak of `a + b` over the bytes of its inputs and its result.
PEAK_MEMORY = Bar(1.1, is_at_least=False)


# Lines whose cost of an element is measured at two sizes: the bytes that an element moves at least.
MOVED_BYTES: dict[str, int] = {"add-f64": 24, "sin-f64": 16, "sum-f64": 8}


def growth_bar(numpy_growth: float, memory_growth: float) -> Bar:
    """Return the bar for the time of an element among 100M over that of one among 1M.

    It must not grow. Where it does for NumPy too, memory is farther away and no library's doing.
    The same where elements come as fast as a plain copy on all threads moves bytes: the quicker
    the smaller size is in caches, the more that is.
    """
    limit = max(1.0, numpy_growth, memory_growth)
    return Bar((1.0 + NOISE) * limit, is_at_least=False)


def speed_bar(line: str) -> Bar:
    """Return the bar of a line against NumPy."""
    return Bar(SPEED[line])
