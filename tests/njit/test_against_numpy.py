"""The same functions through `situ.njit`, through Numba's `njit` and as plain Python.

Each function runs on situ arrays of every device, and on NumPy arrays; the plain function on NumPy
arrays tells what is right.
"""

import importlib.util
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import situ
from situ import prange

Case = tuple[Callable[..., Any], tuple[Any, ...]]

GENERATOR = np.random.default_rng(7)
A = GENERATOR.uniform(0.5, 2.0, 1000)
B = GENERATOR.uniform(0.5, 2.0, 1000)
C = GENERATOR.uniform(0.5, 2.0, 1000)
D = GENERATOR.uniform(0.5, 2.0, 1000)
M = GENERATOR.uniform(0.5, 2.0, (20, 30))
INTS = GENERATOR.integers(-50, 50, 1000)
SCALE = 2.5


def chain(a, b, c, d):
    return a * b + c - d


def black_scholes(price, strike, years, rate, volatility):
    root = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / root
    d2 = d1 - root
    n1 = 1.0 / (1.0 + np.exp(-1.702 * d1))
    n2 = 1.0 / (1.0 + np.exp(-1.702 * d2))
    call = price * n1 - strike * np.exp(-rate * years) * n2
    return call, call - price + strike * np.exp(-rate * years)


def softmax(x):
    e = np.exp(x - np.max(x, axis=1)[:, None])
    return e / np.sum(e, axis=1)[:, None]


def distance(x, y):
    return np.sqrt(np.sum((x - y) ** 2))


def standardise(x):
    mean = np.mean(x)
    return (x - mean) / np.sqrt(np.mean((x - mean) ** 2))


def in_place(a, b):
    out = a + 0.0
    before = out * 2.0
    out += b
    out[10:20] = b[10:20] * before[10:20]
    return out, before


def branches(a, b, n):
    if n > 3:
        result = a + b
    elif n == 3:
        result = a - b
    else:
        result = a * b
    return result


def iterate(x, n):
    for _ in range(n):
        x = 0.5 * (x + 2.0 / x)
    return x


def until(x, tolerance):
    rounds = 0
    change = 1.0
    while change > tolerance:
        new = 0.5 * (x + 2.0 / x)
        change = np.max(np.abs(new - x))
        x = new
        rounds += 1
    return x, rounds


def sum_in_parallel(a, b):
    total = 0.0
    for i in prange(a.shape[0]):
        total += a[i] * b[i]
    return total


def several_reductions(a):
    total = 0.0
    product = 1.0
    low = a[0]
    high = a[0]
    count = 0
    for i in prange(len(a)):
        total += a[i]
        if i < 20:
            product *= a[i]
        low = min(low, a[i])
        high = max(high, a[i])
        if a[i] > 1.0:
            count += 1
    return total, product, low, high, count


def parallel_rows(m):
    out = np.zeros(m.shape[0])
    for i in prange(m.shape[0]):
        total = 0.0
        for j in range(m.shape[1]):
            if m[i, j] > 1.5:
                continue
            total += m[i, j]
        out[i] = total
    return out


def sequential(a):
    out = np.zeros(a.shape[0])
    total = 0.0
    for i in range(a.shape[0]):
        total = 0.9 * total + a[i]
        out[i] = total
    return out


def helper(x, y):
    return math.sqrt(x * x + y * y)


def calls(a, b):
    out = np.empty(a.shape[0])
    for i in range(a.shape[0]):
        out[i] = helper(a[i], b[i])
    return out


def scalars(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total


def mixed_scalars(a, n):
    half = n // 2
    return np.sum(a[:half]) * 2.0 + half, a.shape[0] - half


def comparison(a, b):
    return np.where((a > b) & (a < 2 * b), a, -b)


def integers(i):
    return (i // 3) * 2 + i % 5, np.sum(i), np.max(np.abs(i))


def library(m):
    gram = m.T @ m
    return np.linalg.solve(gram + np.eye(gram.shape[0]), np.ones(gram.shape[0])), np.sort(m, axis=1)


def closure_constant(a):
    return a * SCALE


def methods(m):
    return m.sum(), m.mean(axis=0), m.astype(np.float32).max(), m.reshape(-1)[:5]


def shapes(m):
    rows, columns = m.shape
    return rows * columns, m.ndim, m.size, len(m)


def scaled(x, factor=3.0, shift=1.0):
    return x * factor + shift


def by_name(a):
    return scaled(a, shift=2.0)


CASES: list[Case] = [
    (chain, (A, B, C, D)),
    (black_scholes, (A, B, C, 0.05, 0.2)),
    (softmax, (M,)),
    (distance, (A, B)),
    (standardise, (A,)),
    (in_place, (A, B)),
    (branches, (A, B, 4)),
    (branches, (A, B, 3)),
    (branches, (A, B, 1)),
    (iterate, (A, 5)),
    (until, (A, 1e-9)),
    (sum_in_parallel, (A, B)),
    (several_reductions, (A,)),
    (parallel_rows, (M,)),
    (sequential, (A,)),
    (calls, (A, B)),
    (scalars, (1000,)),
    (mixed_scalars, (A, 77)),
    (comparison, (A, B)),
    (integers, (INTS,)),
    (library, (M,)),
    (closure_constant, (A,)),
    (methods, (M,)),
    (shapes, (M,)),
    (by_name, (A,)),
]
NAMES = [f"{case.__name__}-{position}" for position, (case, _) in enumerate(CASES)]
HOST_LOOPS = {sequential, calls}


def _compiled(function: Callable[..., Any], njit: Callable[..., Any] = situ.njit) -> Any:
    if function in (calls, by_name):
        namespace = {**globals(), "helper": njit(helper), "scaled": njit(scaled)}
        copied = type(function)(function.__code__, namespace, function.__name__)
        return njit(copied)
    return njit(function)


def _check(found: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        assert isinstance(found, tuple)
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            _check(one, other)
    elif isinstance(expected, np.ndarray):
        host = found.to_numpy() if isinstance(found, situ.ndarray) else found
        assert host.dtype == expected.dtype
        np.testing.assert_allclose(host, expected, rtol=1e-9, atol=1e-12)
    else:
        assert not isinstance(found, situ.ndarray)
        assert found == pytest.approx(expected, rel=1e-9)


def _njits() -> dict[str, Callable[..., Any]]:
    """Return situ's decorator, and Numba's if it is there."""
    found: dict[str, Callable[..., Any]] = {"situ": situ.njit}
    if importlib.util.find_spec("numba") is not None:
        import numba

        found["numba"] = numba.njit
        found["numba-parallel"] = numba.njit(parallel=True)
    return found


NJITS = _njits()


@pytest.mark.parametrize("njit", NJITS.values(), ids=NJITS)
@pytest.mark.parametrize(("function", "arguments"), CASES, ids=NAMES)
def test_on_situ_arrays(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    njit: Callable[..., Any],
    device: situ.Device,
) -> None:
    """What a function gives for situ arrays is what NumPy gives, on the arrays' device."""
    if not any(isinstance(each, np.ndarray) for each in arguments) and njit is not situ.njit:
        return  # Without an array, the call is Numba's own.
    expected = function(*arguments)
    compiled = _compiled(function, njit)
    # Loops of the host need memory that the host can reach.
    usm_type = "shared" if function in HOST_LOOPS else None
    situ_arguments = [
        situ.asarray(each, device=device, usm_type=usm_type)
        if isinstance(each, np.ndarray)
        else each
        for each in arguments
    ]
    for _ in range(2):
        found = compiled(*situ_arguments)
        _check(found, expected)
    for each in found if isinstance(found, tuple) else (found,):
        if isinstance(each, situ.ndarray):
            assert each.device == device


@pytest.mark.parametrize(("function", "arguments"), CASES, ids=NAMES)
def test_on_numpy_arrays(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Called with NumPy arrays only, a function runs on the host and gives NumPy arrays."""
    expected = function(*arguments)
    found = _compiled(function)(*arguments)
    _check(found, expected)
    for each in found if isinstance(found, tuple) else (found,):
        assert not isinstance(each, situ.ndarray)


def summed(a):
    total = a[0]
    for i in range(1, a.shape[0]):
        total += a[i]
    return total


def test_fastmath_lets_sums_be_computed_in_another_order() -> None:
    """A sum that is computed in order loses every one of small terms; in parts, it keeps most."""
    a = np.ones(100_000)
    a[0] = 1e16
    assert situ.njit(summed)(a) == 1e16
    fast = situ.njit(fastmath=True)(summed)(a)
    assert 1e16 < fast <= 1e16 + 100_000
    a[5] = np.nan
    assert math.isnan(situ.njit(fastmath=True)(summed)(a))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32", "complex64"])
def test_truth_of_nothing(dtype: str) -> None:
    @situ.njit
    def ask(x):
        return np.any(x + x), np.all(x + x)

    any_of, all_of = ask(situ.zeros((0, 3), dtype=dtype))
    assert (bool(any_of), bool(all_of)) == (False, True)
