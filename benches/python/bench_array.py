"""Measures every array function against NumPy, at 1k, 100k and 10M elements.

Prints a Markdown table of ratios and of nanoseconds per element; `benches/README.md` says what they
answer. With arguments, only functions whose names contain one of them are measured. It asserts
nothing: a slow machine is not a bug.

The two sides take turns, and the quickest call of each counts. How fast memory is changes within
seconds on a shared machine, so a close race goes on for longer. Where NumPy calls OpenBLAS, whose
threads keep the cores busy for a while after each call, each side is measured by itself.
"""

import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from report import best_seconds, describe_run, race_apart, seconds

import situ

SIZES = (1_000, 100_000, 10_000_000)
# How often each size is timed, and how many calls are timed as one.
REPEATS = {1_000: (15, 50), 100_000: (15, 2), 10_000_000: (3, 1)}
# Below this ratio a race is close. It goes on until each side had so many more turns, or the time
# is up.
CLOSE = 1.3
MORE_REPEATS = 30
BUDGET_SECONDS = 20.0
# How often each side is timed in its turn, where they are measured apart: threads that have slept
# need a few calls to be quick again.
APART_REPEATS = 100

Call = Callable[[], object]


@dataclass
class Case:
    """A call to measure: makes it for a size, once for NumPy and once for situ."""

    name: str
    make: Callable[[int], tuple[Call, Call]]
    # Whether each side is measured by itself, and not in turns.
    is_apart: bool = False


def floats(*shape: int) -> np.ndarray:
    """Return numbers from one to two, which every function takes."""
    return np.random.default_rng(0).uniform(1.0, 2.0, shape)


def integers(*shape: int) -> np.ndarray:
    """Return small positive integers."""
    return np.random.default_rng(1).integers(1, 60, shape)


def bools(*shape: int) -> np.ndarray:
    """Return bools without a pattern, half of them true."""
    return np.random.default_rng(2).random(shape) < 0.5


def done(result: object) -> None:
    """Wait for a result, or for the last of several."""
    last = result[-1] if isinstance(result, list | tuple) else result
    last.queue.wait()


def pair(function: Callable[..., object], *host: np.ndarray) -> tuple[Call, Call]:
    """Return a call of a function of a namespace and arrays, for NumPy and for situ."""
    arrays = [situ.asarray(each) for each in host]
    return lambda: function(np, *host), lambda: done(function(situ, *arrays))


def side(size: int) -> int:
    """Return the side of a square of about this size."""
    return math.isqrt(size)


UNARY = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cbrt",
    "ceil",
    "conj",
    "cos",
    "cosh",
    "deg2rad",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "isfinite",
    "isinf",
    "isnan",
    "log",
    "log10",
    "log1p",
    "log2",
    "negative",
    "positive",
    "rad2deg",
    "reciprocal",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
    "logical_not",
]
BINARY = [
    "add",
    "atan2",
    "copysign",
    "divide",
    "equal",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "less",
    "less_equal",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "nextafter",
    "not_equal",
    "pow",
    "remainder",
    "subtract",
]
INTEGER_BINARY = [
    "add",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "floor_divide",
    "multiply",
    "remainder",
]
REDUCTIONS = [
    "all",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]
SHAPES = {"(n/10, 10)": lambda n: (n // 10, 10), "(√n, √n)": lambda n: (side(n), side(n))}
SHAPES["(10, n/10)"] = lambda n: (10, n // 10)
WIDTHS = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "float16",
    "float32",
    "complex64",
    "complex128",
]
TRANSFORMS = ["fft", "ifft", "rfft", "irfft"]


def elementwise_cases() -> Iterator[Case]:
    """Every elementwise function, for float64 and where it fits for int64 and bool."""
    for name in UNARY:
        shift = -1.0 if name in {"acos", "asin", "atanh"} else 0.0
        scale = 0.9 if shift else 1.0
        yield Case(
            f"`{name}`",
            lambda n, name=name, a=scale, b=shift: pair(
                lambda xp, x: getattr(xp, name)(x), floats(n) * a + b * a
            ),
        )
    for name in BINARY:
        yield Case(
            f"`{name}`",
            lambda n, name=name: pair(
                lambda xp, x, y: getattr(xp, name)(x, y), floats(n), floats(n)[::-1].copy()
            ),
        )
    for name in INTEGER_BINARY:
        yield Case(
            f"`{name}` int64",
            lambda n, name=name: pair(
                lambda xp, x, y: getattr(xp, name)(x, y), integers(n), integers(n)
            ),
        )
    yield Case("`abs` int64", lambda n: pair(lambda xp, x: xp.abs(x), integers(n)))
    yield Case(
        "`bitwise_invert` int64", lambda n: pair(lambda xp, x: xp.bitwise_invert(x), integers(n))
    )
    yield Case(
        "`logical_and` bool",
        lambda n: pair(lambda xp, x, y: xp.logical_and(x, y), bools(n), bools(n)),
    )
    yield Case("`clip`", lambda n: pair(lambda xp, x: xp.clip(x, 1.2, 1.8), floats(n)))
    yield Case(
        "`where`",
        lambda n: pair(lambda xp, c, x, y: xp.where(c, x, y), bools(n), floats(n), floats(n)),
    )
    yield Case("`add` transposed", lambda n: pair(lambda xp, x: x + x.T, floats(side(n), side(n))))
    yield Case(
        "`add` a row", lambda n: pair(lambda xp, x, y: x + y, floats(n // 10, 10), floats(10))
    )


def reduction_cases() -> Iterator[Case]:
    """Every reduction and scan, of all elements and along both axes of three shapes."""
    for name in REDUCTIONS:
        yield Case(
            f"`{name}`", lambda n, name=name: pair(lambda xp, x: getattr(xp, name)(x), floats(n))
        )
        for shape_name, shape in SHAPES.items():
            for axis in (0, 1):
                yield Case(
                    f"`{name}` {shape_name} axis {axis}",
                    lambda n, name=name, shape=shape, axis=axis: pair(
                        lambda xp, x: getattr(xp, name)(x, axis=axis), floats(*shape(n))
                    ),
                )
    for name in ("sum", "max", "argmax", "count_nonzero"):
        yield Case(
            f"`{name}` int32",
            lambda n, name=name: pair(
                lambda xp, x: getattr(xp, name)(x), integers(n).astype("int32")
            ),
        )
    for name in ("all", "any", "count_nonzero", "sum"):
        yield Case(
            f"`{name}` bool",
            lambda n, name=name: pair(
                lambda xp, x: getattr(xp, name)(x), np.full(n, name != "any")
            ),
        )
    for name in ("cumulative_sum", "cumulative_prod"):
        yield Case(
            f"`{name}`", lambda n, name=name: pair(lambda xp, x: getattr(xp, name)(x), floats(n))
        )
        for shape_name, shape in SHAPES.items():
            for axis in (0, 1):
                yield Case(
                    f"`{name}` {shape_name} axis {axis}",
                    lambda n, name=name, shape=shape, axis=axis: pair(
                        lambda xp, x: getattr(xp, name)(x, axis=axis), floats(*shape(n))
                    ),
                )


def indexing_cases() -> Iterator[Case]:
    """Read and write at positions."""

    def positions(n: int) -> np.ndarray:
        return np.random.default_rng(3).integers(0, n, n)

    def assign(xp: object, x: object, mask: object) -> object:
        x[mask] = 0.5
        return x

    yield Case("`take`", lambda n: pair(lambda xp, x, i: xp.take(x, i), floats(n), positions(n)))
    yield Case(
        "`take` of rows",
        lambda n: pair(
            lambda xp, x, i: xp.take(x, i, axis=0), floats(n // 10, 10), positions(n // 10)
        ),
    )
    yield Case("`x[i]`", lambda n: pair(lambda xp, x, i: x[i], floats(n), positions(n)))
    yield Case("`x[mask]`", lambda n: pair(lambda xp, x, m: x[m], floats(n), bools(n)))
    yield Case("`x[mask] = 0.5`", lambda n: pair(assign, floats(n), bools(n)))
    yield Case("`nonzero`", lambda n: pair(lambda xp, m: xp.nonzero(m), bools(n)))
    yield Case(
        "`take_along_axis`",
        lambda n: pair(
            lambda xp, x, i: xp.take_along_axis(x, i, axis=1),
            floats(n // 10, 10),
            positions(n).reshape(-1, 10) % 10,
        ),
    )


def manipulation_cases() -> Iterator[Case]:
    """Copy in other orders."""

    def square(n: int) -> np.ndarray:
        return floats(side(n), side(n))

    yield Case("`concat`", lambda n: pair(lambda xp, x: xp.concat([x, x]), floats(n // 2)))
    yield Case("`stack`", lambda n: pair(lambda xp, x: xp.stack([x, x]), floats(n // 2)))
    yield Case(
        "`stack` axis 1", lambda n: pair(lambda xp, x: xp.stack([x, x], axis=1), floats(n // 2))
    )
    yield Case("`roll`", lambda n: pair(lambda xp, x: xp.roll(x, 7), floats(n)))
    yield Case("`roll` axis 1", lambda n: pair(lambda xp, x: xp.roll(x, 7, axis=1), square(n)))
    yield Case("copy of `flip`", lambda n: pair(lambda xp, x: xp.flip(x).copy(), floats(n)))
    yield Case("copy of `x[::2]`", lambda n: pair(lambda xp, x: x[::2].copy(), floats(n)))
    yield Case("`tile`", lambda n: pair(lambda xp, x: xp.tile(x, (10,)), floats(n // 10)))
    yield Case("`tile` of few", lambda n: pair(lambda xp, x: xp.tile(x, (n // 10,)), floats(10)))
    yield Case("`repeat`", lambda n: pair(lambda xp, x: xp.repeat(x, 10), floats(n // 10)))
    yield Case("copy of `x.T`", lambda n: pair(lambda xp, x: x.T.copy(), square(n)))
    yield Case(
        "copy of `x.T`, (10, n/10)", lambda n: pair(lambda xp, x: x.T.copy(), floats(10, n // 10))
    )
    yield Case(
        "copy of `permute_dims`, 3 axes",
        lambda n: pair(
            lambda xp, x: xp.permute_dims(x, (2, 0, 1)).copy(), floats(10, 10, n // 100)
        ),
    )
    yield Case("`tril`", lambda n: pair(lambda xp, x: xp.tril(x), square(n)))
    yield Case("`triu`", lambda n: pair(lambda xp, x: xp.triu(x), square(n)))
    for dtype in WIDTHS:
        yield Case(
            f"`astype` {dtype}",
            lambda n, dtype=dtype: pair(lambda xp, x: x.astype(dtype), floats(n)),
        )
    yield Case(
        "`astype` int64 to float64",
        lambda n: pair(lambda xp, x: x.astype("float64"), integers(n)),
    )


def creation_cases() -> Iterator[Case]:
    """Make arrays."""
    yield Case("`arange`", lambda n: pair(lambda xp: xp.arange(n)))
    yield Case("`arange` of floats", lambda n: pair(lambda xp: xp.arange(0.0, n, 1.0)))
    yield Case("`linspace`", lambda n: pair(lambda xp: xp.linspace(0.0, 1.0, n)))
    yield Case("`ones`", lambda n: pair(lambda xp: xp.ones(n)))
    yield Case("`full`", lambda n: pair(lambda xp: xp.full(n, 3)))
    yield Case("`eye`", lambda n: pair(lambda xp: xp.eye(side(n))))


def library_cases() -> Iterator[Case]:
    """Sorting, searching, matrices, transforms: of fewer elements, since they cost more."""

    def sorted_floats(n: int) -> np.ndarray:
        return np.sort(floats(n))

    if hasattr(situ, "sort"):
        yield Case("`sort`", lambda n: pair(lambda xp, x: xp.sort(x), floats(n)))
        yield Case("`argsort`", lambda n: pair(lambda xp, x: xp.argsort(x), floats(n)))
        yield Case(
            "`sort` (n/10, 10) axis 0",
            lambda n: pair(lambda xp, x: xp.sort(x, axis=0), floats(n // 10, 10)),
        )
        yield Case(
            "`sort` (n/10, 10) axis 1",
            lambda n: pair(lambda xp, x: xp.sort(x, axis=1), floats(n // 10, 10)),
        )
        yield Case("`sort` int64", lambda n: pair(lambda xp, x: xp.sort(x), integers(n)))
    if hasattr(situ, "searchsorted"):
        yield Case(
            "`searchsorted`",
            lambda n: pair(lambda xp, x, y: xp.searchsorted(x, y), sorted_floats(n), floats(n)),
        )
    if hasattr(situ, "unique_values"):
        yield Case(
            "`unique_values` int64", lambda n: pair(lambda xp, x: xp.unique_values(x), integers(n))
        )
        yield Case("`unique_values`", lambda n: pair(lambda xp, x: xp.unique_values(x), floats(n)))
    if hasattr(situ, "matmul"):
        yield Case(
            "`matmul`, n multiply-adds",
            lambda n: pair(
                lambda xp, x: xp.matmul(x, x), floats(round(n ** (1 / 3)), round(n ** (1 / 3)))
            ),
            is_apart=True,
        )
        yield Case(
            "`matmul` of a vector with a matrix",
            lambda n: pair(
                lambda xp, x, y: xp.matmul(y, x), floats(side(n), side(n)), floats(side(n))
            ),
            is_apart=True,
        )
        yield Case(
            "`matmul` with a vector",
            lambda n: pair(
                lambda xp, x, y: xp.matmul(x, y), floats(side(n), side(n)), floats(side(n))
            ),
            is_apart=True,
        )
    for name in TRANSFORMS:
        yield Case(
            f"`fft.{name}`",
            lambda n, name=name: pair(
                lambda xp, x: getattr(xp.fft, name)(x),
                floats(n) if name == "rfft" else floats(n) + 0j,
            ),
        )
    yield Case("`fft.fft` of reals", lambda n: pair(lambda xp, x: xp.fft.fft(x), floats(n)))
    yield Case(
        "`fft.fft` of a power of two",
        lambda n: pair(lambda xp, x: xp.fft.fft(x), floats(1 << (n.bit_length() - 1)) + 0j),
    )
    yield Case(
        "`fft.fft` of a prime",
        lambda n: pair(lambda xp, x: xp.fft.fft(x), floats(PRIMES[n]) + 0j),
    )
    yield Case(
        "`fft.fft2`",
        lambda n: pair(lambda xp, x: xp.fft.fft2(x), floats(side(n), side(n)) + 0j),
    )
    yield Case(
        "`fft.fft` (n/10, 10) axis 0",
        lambda n: pair(lambda xp, x: xp.fft.fft(x, axis=0), floats(n // 10, 10) + 0j),
    )
    yield Case(
        "`fft.fft` (n/10, 10) axis 1",
        lambda n: pair(lambda xp, x: xp.fft.fft(x, axis=1), floats(n // 10, 10) + 0j),
    )


def decomposition_cases() -> Iterator[Case]:
    """Decompositions of one square matrix: of fewer elements, since they cost more, and of all."""
    yield from decompositions(
        "of 31², 316², 1000²", {**SIDES, 10_000_000: 1000}, SLOW_DECOMPOSITIONS
    )
    yield from decompositions("of 31², 316², 3162²", SIDES, [])


def decompositions(what: str, sides: dict[int, int], slow: list[str]) -> Iterator[Case]:
    """Decompositions of matrices with such sides, the slow ones only if they are named."""

    def square(n: int) -> np.ndarray:
        return np.random.default_rng(4).standard_normal((sides[n], sides[n]))

    def positive(n: int) -> np.ndarray:
        return square(n) @ square(n).T + sides[n] * np.eye(sides[n])

    for name in ("det", "slogdet", "inv", "qr", "cholesky", *slow):
        matrix = positive if name in OF_POSITIVE else square
        yield Case(
            f"`linalg.{name}` {what}",
            lambda n, name=name, matrix=matrix: pair(
                lambda xp, x: getattr(xp.linalg, name)(x), matrix(n)
            ),
            is_apart=True,
        )
    yield Case(
        f"`linalg.solve` {what}",
        lambda n: pair(lambda xp, x: xp.linalg.solve(x, x), square(n)),
        is_apart=True,
    )
    yield Case(
        f"`linalg.solve` {what}, one right side",
        lambda n: pair(lambda xp, x, y: xp.linalg.solve(x, y), square(n), floats(sides[n])),
        is_apart=True,
    )


# Those that take NumPy ten seconds for ten million elements.
SLOW_DECOMPOSITIONS = ["svd", "svdvals", "eigh", "eigvalsh"]
OF_POSITIVE = {"cholesky", "eigh", "eigvalsh"}
SIDES = {size: side(size) for size in SIZES}
PRIMES = {1_000: 997, 100_000: 99_991, 10_000_000: 9_999_991}

CHAPTERS = (
    elementwise_cases,
    reduction_cases,
    indexing_cases,
    manipulation_cases,
    creation_cases,
    library_cases,
    decomposition_cases,
)


def measured(case: Case) -> list[tuple[float, float]]:
    """Return the seconds of one call of NumPy and of situ, for each size."""
    times = []
    for size in SIZES:
        repeats, calls = REPEATS[size]

        def many(call: Call, calls: int = calls) -> Call:
            def run() -> None:
                for _ in range(calls):
                    call()

            return run

        host, own = (many(call) for call in case.make(size))
        if case.is_apart:
            host_seconds, own_seconds = race_apart(host, own, APART_REPEATS)
        else:
            host_seconds, own_seconds = race_in_turns(host, own, repeats)
        times.append((host_seconds / calls, own_seconds / calls))
    return times


def race_in_turns(host: Call, own: Call, repeats: int) -> tuple[float, float]:
    """Return the shortest times of two calls that take turns: more of them if the race is close."""
    host_best, own_best = best_seconds(host, own, repeats=repeats)
    end = time.perf_counter() + BUDGET_SECONDS
    for _ in range(MORE_REPEATS):
        if host_best > CLOSE * own_best or time.perf_counter() > end:
            break
        host_best = min(host_best, seconds(host))
        own_best = min(own_best, seconds(own))
    return host_best, own_best


def main() -> None:
    """Measure what was asked for and print the table."""
    wanted = sys.argv[1:]
    cases = [case for chapter in CHAPTERS for case in chapter()]
    if wanted:
        cases = [case for case in cases if any(word in case.name for word in wanted)]
    print(describe_run() + "\n")
    print("| what | 1k: x NumPy | 100k | 10M | 1k: ns per element | 100k | 10M | slower at 10M |")
    print("|---|---|---|---|---|---|---|---|")
    for case in cases:
        times = measured(case)
        ratios = " | ".join(f"{host / own:.2f}" for host, own in times)
        each = (1e9 * own / size for (_, own), size in zip(times, SIZES, strict=True))
        per_element = " | ".join(f"{ns:.2f}" for ns in each)
        mark = "yes" if times[-1][1] > times[-1][0] else ""
        name = case.name + " (apart)" * case.is_apart
        print(f"| {name} | {ratios} | {per_element} | {mark} |", flush=True)
    print()


if __name__ == "__main__":
    main()
