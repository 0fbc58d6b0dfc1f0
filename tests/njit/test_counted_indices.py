"""Indices that count from the end, beside counters that never do.

Compiled code has no test for a negative index where it knows that there is none. Each function
reads or writes elements by indices of both kinds and is compared with the same function as plain
Python.
"""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import situ
from situ import prange

SIZES = (1, 2, 3, 8, 17)


def before_first(x):
    out = np.zeros_like(x)
    for i in range(x.shape[0]):
        out[i] = x[i - 1] + 2.0 * x[i - x.shape[0]]
    return out


def after_the_loop(x):
    out = np.zeros_like(x)
    i = 0
    for i in range(1, x.shape[0]):
        out[i] = x[i - 1]
    out[i - 1] += x[-1]
    return out


def the_same_name_twice(x):
    out = np.zeros_like(x)
    for i in range(1, x.shape[0]):
        out[i] += x[i - 1]
    for i in range(x.shape[0] - 1, -1, -1):
        out[i] += 3.0 * x[i - 1]
    for i in range(-x.shape[0], 0):
        out[i] += 5.0 * x[i]
    return out


def down_to_a_negative_number(x):
    out = np.zeros_like(x)
    for i in range(x.shape[0] - 1, -x.shape[0] - 1, -1):
        out[i] += x[i]
    return out


def changed_in_the_round(x):
    out = np.zeros_like(x)
    for i in range(x.shape[0]):
        j = i
        if i % 2 == 1:
            j = -i
        out[j] += x[j]
        j -= 1
        out[j] += 2.0 * x[j]
    return out


def from_the_round_before(x):
    out = np.zeros_like(x)
    j = 0
    for i in range(x.shape[0]):
        out[j] += x[i]
        j = -1 - i
    return out


def products_and_quotients(x):
    out = np.zeros_like(x)
    n = x.shape[0]
    for i in range(n):
        out[(i * 7 + 3) % n] += x[(i * 5) // 6]
        out[(-i) % n] += x[-(i // 2) - 1]
        out[min(i, -1)] += x[max(i, 0)]
    return out


def bits(x):
    out = np.zeros_like(x)
    state = 12345
    for i in range(x.shape[0]):
        state = state * 6364136223846793005 + 1442695040888963407
        out[(state >> 63) * (i % 2)] += x[i]
    return out


def doubled_until_it_overflows(x):
    total = 0.0
    k = 1
    for _ in range(64):
        k = k * 2
        total += x[k >> 63]
    return total


def rounds_from_one(x):
    out = np.zeros_like(x)
    for _ in range(3):
        for i in prange(1, x.shape[0]):
            out[i] += x[i - 1] + x[i - 2]
        for i in prange(x.shape[0]):
            out[-i - 1] += x[i]
    return out


def rounds_by_steps(x):
    out = np.zeros_like(x)
    for i in prange(x.shape[0] - 1, -1, -1):
        out[i] = x[i - 1]
    for i in prange(-1, -x.shape[0] - 1, -1):
        out[i] += 3.0 * x[i]
    for i in prange(0, x.shape[0], 2):
        out[i] += 7.0 * x[-1 - i]
    return out


def called_with_both(x):
    def before(i):
        return x[i - 1]

    total = 0.0
    for i in range(1, x.shape[0]):
        total += before(i)
    return total + before(0)


FUNCTIONS: list[Callable[..., Any]] = [
    before_first,
    after_the_loop,
    the_same_name_twice,
    down_to_a_negative_number,
    changed_in_the_round,
    from_the_round_before,
    products_and_quotients,
    rounds_from_one,
    rounds_by_steps,
    called_with_both,
]


@pytest.mark.parametrize(
    ("function", "size"),
    [(each, size) for each, size in itertools.product(FUNCTIONS, SIZES)],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_indices_mean_what_python_means(function, size) -> None:
    x = np.random.default_rng(size).uniform(0.5, 2.0, size)
    compiled = situ.njit(function)(situ.asarray(x))
    np.testing.assert_allclose(np.asarray(compiled), np.asarray(function(x)), rtol=1e-14)


def bits_of_numpy(x):
    out = np.zeros_like(x)
    state = np.int64(12345)
    for i in range(x.shape[0]):
        state = state * np.int64(6364136223846793005) + np.int64(1442695040888963407)
        out[int(state >> np.int64(63)) * (i % 2)] += x[i]
    return out


def doubled_of_numpy(x):
    total = 0.0
    k = np.int64(1)
    for _ in range(64):
        k = k * np.int64(2)
        total += x[int(k >> np.int64(63))]
    return total


@pytest.mark.parametrize(
    ("function", "of_numpy"),
    [(bits, bits_of_numpy), (doubled_until_it_overflows, doubled_of_numpy)],
)
def test_integers_that_overflow_may_be_negative(function, of_numpy) -> None:
    x = np.random.default_rng(5).uniform(0.5, 2.0, 9)
    compiled = situ.njit(function)(situ.asarray(x))
    with np.errstate(over="ignore"):
        expected = of_numpy(x)
    np.testing.assert_allclose(np.asarray(compiled), expected, rtol=1e-14)


def escapes(points, limit):
    counts = np.zeros(points.shape[0], dtype=np.int64)
    last = np.zeros(points.shape[0])
    for _ in range(2):
        for i in prange(points.shape[0]):
            z = 0.0
            count = 0
            for _step in range(limit):
                z = z * z + points[i]
                if z > 4.0:
                    break
                count += 1
            if count == limit:
                continue
            counts[i] += count
            last[i] = z
    return counts, last


def pulled(x, v):
    for _ in range(2):
        for i in prange(x.shape[0]):
            force = 0.0
            for j in range(x.shape[0]):
                if j == i:
                    continue
                d = x[j] - x[i]
                force += d / (abs(d) ** 3 + 0.01)
            v[i] += 0.1 * force
        for i in prange(x.shape[0]):
            x[i] += 0.1 * v[i]
    return x, v


def single_rounds(points, limit):
    counts = np.zeros(points.shape[0], dtype=np.int64)
    for i in prange(points.shape[0]):
        z = 0.0
        while counts[i] < limit and z <= 4.0:
            z = z * z + points[i]
            counts[i] += 1
    return counts


@pytest.mark.parametrize("size", [0, 1, 3, 16, 37, 1000])
def test_vectors_of_rounds_do_what_single_rounds_do(size) -> None:
    points = np.random.default_rng(size).uniform(-1.0, 1.0, size)
    for function in (escapes, single_rounds):
        found = situ.njit(function)(situ.asarray(points), 40)
        expected = function(points, 40)
        if not isinstance(expected, tuple):
            found, expected = (found,), (expected,)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(one), other, rtol=1e-12)
    if size <= 37:
        speeds = np.zeros(size)
        x, v = situ.njit(pulled)(situ.asarray(points.copy()), situ.asarray(speeds.copy()))
        plain = pulled(points.copy(), speeds)
        np.testing.assert_allclose(np.asarray(x), plain[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(np.asarray(v), plain[1], rtol=1e-9, atol=1e-12)
