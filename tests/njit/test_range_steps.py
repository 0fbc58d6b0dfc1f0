"""A range whose step is zero raises `ValueError`, wherever it stands."""

import inspect
import re
from typing import Any

import numpy as np
import pytest

import situ


def compiled(x, step):
    total = 0.0
    for i in range(0, x.size, step):
        total += x[i]
    return total


def compiled_constant(x, step):
    total = 0.0
    for i in range(0, 10, 0):
        total += i
    return total


def backwards(x, step):
    total = 0.0
    for i in reversed(range(0, 3, step)):
        total += x[i]
    return total


def walked(x, step):
    for _ in range(0, 3, step):
        x = x + 1.0
    return x


def parallel(x, step):
    total = 0.0
    for i in situ.prange(0, 3, step):
        total += x[i]
    return total


def inside_of_parallel(x, step):
    total = 0.0
    for i in situ.prange(3):
        for j in range(i, 3, step):
            total += x[j]
    return total


def in_comprehension(x, step):
    return [k * 2 for k in range(0, 3, step)]


def zipped(x, step):
    total = 0.0
    for v, k in zip(x, range(0, 3, step)):  # noqa: B905 - njit has no `strict`
        total += v * k
    return total


def zipped_constants(x, step):
    total = 0.0
    for k, m in zip(range(0, 3, 0), range(3)):  # noqa: B905 - njit has no `strict`
        total += k * m
    return total


def called(x, step):
    return compiled_njit(x, step) + 1.0


compiled_njit = situ.njit(compiled)


def parallel_in_a_loop(x, step):
    total = 0.0
    for _ in range(2):
        for i in situ.prange(0, x.shape[0], step):
            total += x[i]
    return total


FUNCTIONS = (
    parallel_in_a_loop,
    *(compiled, compiled_constant, backwards, walked, parallel, inside_of_parallel),
    *(in_comprehension, zipped, zipped_constants, called),
)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_zero(function: Any) -> None:
    x = situ.asarray(np.array([1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match=re.escape("range() arg 3 must not be zero")) as found:
        situ.njit(function)(x, 0)
    place = function if function is not called else compiled
    lines, first = inspect.getsourcelines(place)
    of_range = [number for number, line in enumerate(lines, first) if "range(" in line]
    line = of_range[-1]
    assert f"test_range_steps.py:{line}," in str(found.value)


@pytest.mark.parametrize("step", [1, 2, -1, -2])
def test_other_steps(step: int) -> None:
    x = np.array([1.0, 2.0, 3.0])
    for function in (compiled, backwards, inside_of_parallel, parallel_in_a_loop, zipped):
        found = situ.njit(function)(situ.asarray(x), step)
        assert found == function(x, step)


def test_numba() -> None:
    numba = pytest.importorskip("numba")
    x = situ.asarray(np.array([1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match="must not be zero"):
        numba.njit(compiled)(x, 0)


def test_evaluation_order() -> None:
    """The start and the stop are evaluated first, as Python does."""

    @situ.njit
    def refused(n):
        if n > 0:
            raise KeyError("start")
        return n

    @situ.njit
    def function(x, n, step):
        total = 0.0
        for i in range(refused(n), 3, step):
            total += x[i]
        return total

    x = situ.asarray(np.array([1.0, 2.0, 3.0]))
    with pytest.raises(KeyError, match="start"):
        function(x, 1, 0)
