"""Names for parts of arrays (`row = m[i]`) inside of compiled loops, against plain Python."""

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import situ
from situ import prange

M = np.random.default_rng(3).uniform(0.5, 2.0, (7, 9))
K = np.random.default_rng(4).integers(-9, 9, (4, 5, 6))


def rows(m):
    total = 0.0
    for i in range(m.shape[0]):
        row = m[i]
        for j in range(len(row)):
            total += row[j] * row[-1] + row.shape[0]
    return total


def written_rows(m):
    out = np.zeros((7, 9))
    for i in range(m.shape[0]):
        row = out[i]
        backwards = m[i, ::-1]
        for j in range(row.size):
            row[j] = backwards[j] + m[i][j]
    return out


def run_time_bounds(m, low, high):
    total = 0.0
    count = 0
    for i in range(m.shape[0]):
        part = m[i, low:high]
        count += part.size
        for j in range(part.size):
            total += part[j]
    return total, count


def blocks(k):
    total = 0
    for i in range(k.shape[0]):
        plane = k[i]
        for j in range(plane.shape[0]):
            line = plane[j, 1:-1]
            for n in range(line.size):
                total += line[n] * (n + 1)
    return total


def transposed(m):
    turned = m.T
    total = 0.0
    for i in range(turned.shape[0]):
        for j in range(turned.shape[1]):
            total += turned[i, j] * (i - j)
    return total


@situ.njit
def mean_of(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i]
    return total / len(x)


def passed_on(m):
    total = 0.0
    for i in range(m.shape[0]):
        row = m[i]
        total += mean_of(row) + mean_of(m[i, 2:5])
    return total


def in_parallel(m):
    out = np.zeros(m.shape[0])
    for i in prange(m.shape[0]):
        row = m[i]
        total = 0.0
        for j in range(row.shape[0]):
            total += row[j]
        out[i] = total
    return out


def kept_after_the_loop(m):
    row = m[0]
    for i in range(m.shape[0]):
        row = m[i]
    return row * 2.0


def of_two_arrays(m, k):
    total = 0.0
    for i in range(4):
        row = m[i]
        for j in range(5):
            total += row[j]
        other = k[i, 0]
        if i > 1:
            other = k[0, i]
        for j in range(5):
            total += other[j]
    return total


def of_one_or_the_other(m, n, choice):
    total = 0.0
    for i in range(m.shape[0]):
        if i == choice:  # noqa: SIM108 - a statement in each branch is the point
            row = n[i]
        else:
            row = m[i]
        for j in range(row.shape[0]):
            total += row[j]
    return total


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (rows, (M,)),
    (rows, (M.T,)),
    (written_rows, (M,)),
    (run_time_bounds, (M, 2, 7)),
    (run_time_bounds, (M, -4, -1)),
    (run_time_bounds, (M, -40, 40)),
    (run_time_bounds, (M, 5, 2)),
    (blocks, (K,)),
    (blocks, (K[:, ::2],)),
    (transposed, (M,)),
    (passed_on, (M,)),
    (in_parallel, (M,)),
    (kept_after_the_loop, (M,)),
    (of_two_arrays, (M, K)),
    (of_one_or_the_other, (M, -M, 3)),
]
NAMES = [f"{case.__name__}-{position}" for position, (case, _) in enumerate(CASES)]


@pytest.mark.parametrize("is_host", [False, True], ids=["situ", "numpy"])
@pytest.mark.parametrize(("function", "arguments"), CASES, ids=NAMES)
def test_parts_are_those_of_numpy(
    function: Callable[..., Any], arguments: tuple[Any, ...], is_host: bool
) -> None:
    """A name for a part of an array reads and writes the array's elements."""
    plain = {**globals(), "mean_of": mean_of.py_func}
    expected = type(function)(function.__code__, plain)(*arguments)
    if not is_host:
        arguments = tuple(
            situ.asarray(each) if isinstance(each, np.ndarray) else each for each in arguments
        )
    found = situ.njit(function)(*arguments)
    np.testing.assert_allclose(
        found.to_numpy() if isinstance(found, situ.ndarray) else found, expected, rtol=1e-12
    )


@pytest.mark.parametrize("function", [rows, written_rows, blocks, passed_on, in_parallel])
def test_loops_over_parts_are_compiled(function: Callable[..., Any]) -> None:
    """The machine does not look at lines inside of such a loop, which is compiled as a whole."""
    compiled = situ.njit(function)
    compiled(K if function is blocks else M)
    lines, first = inspect.getsourcelines(function)
    loop = first + next(i for i, line in enumerate(lines) if line.lstrip().startswith("for"))
    planned = [int(line) for line in re.findall(r"^ *(\d+) \|", compiled.inspect(), re.MULTILINE)]
    assert planned
    assert all(line <= loop or line == first + len(lines) - 1 for line in planned)
