"""Rounds of `prange` that work on rows, and arrays that rounds combine something with.

Each function runs as a kernel on every device, by situ's decorator and by Numba's, and is compared
with the same function as plain Python on NumPy arrays.
"""

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from agreement import assert_agrees

import situ
from situ import prange

GENERATOR = np.random.default_rng(3)
M = GENERATOR.uniform(0.5, 2.0, (300, 7))
W = GENERATOR.uniform(0.5, 2.0, 7)
KINDS = GENERATOR.integers(0, 5, 5000)
X = GENERATOR.uniform(0.5, 2.0, 5000)


def sums_of_rows(m):
    out = np.zeros(m.shape[0])
    for i in prange(m.shape[0]):
        out[i] = np.sum(m[i] * m[i])
    return out


def folds_by_method(m):
    out = np.zeros((m.shape[0], 4))
    for i in prange(m.shape[0]):
        row = m[i]
        out[i, 0] = row.max() - row.min()
        out[i, 1] = row.mean()
        out[i, 2] = row.prod()
        out[i, 3] = (row > 1.0).sum()
    return out


def stored_rows(m, w):
    out = np.zeros(m.shape)
    for i in prange(m.shape[0]):
        out[i] = m[i] * w + 1.0
        out[i, :] -= np.sqrt(m[i])
        out[i, 2:4] = 0.5
    return out


def named_expression(m, w):
    out = np.zeros(m.shape)
    for i in prange(m.shape[0]):
        scaled = m[i] * w
        shifted = scaled - scaled.mean()
        out[i] = shifted / np.sqrt((shifted * shifted).sum())
    return out


def products_of_rows(m, w):
    out = np.zeros(m.shape[0])
    for i in prange(m.shape[0]):
        if i % 2 == 0:
            out[i] = np.dot(m[i], w)
        else:
            out[i] = m[i] @ w
    return out


def blocks(x, n):
    out = np.zeros(n)
    size = x.shape[0] // n
    for b in prange(n):
        out[b] = x[b * size : (b + 1) * size].sum()
    return out


def items_of_rows(m):
    out = np.zeros(m.shape[0])
    for i in prange(m.shape[0]):
        total = 0.0
        for j, v in enumerate(m[i]):
            total += j * v
        for a, b in zip(m[i], m[0]):  # noqa: B905 - Numba has no `strict`
            total += a * b
        out[i] = total
    return out


def broadcast_columns(m):
    out = np.zeros((m.shape[0], 3, m.shape[1]))
    for i in prange(m.shape[0]):
        out[i] = m[i] * 2.0
        out[i, 1:2] += m[i]
    return out


def any_and_all(m):
    out = np.zeros((m.shape[0], 2), dtype=np.bool_)
    for i in prange(m.shape[0]):
        out[i, 0] = np.any(m[i] > 1.9)
        out[i, 1] = np.all(m[i] > 0.6)
    return out


def summed_rows(m):
    acc = np.zeros(m.shape[1])
    for i in prange(m.shape[0]):
        acc += m[i] * 2.0
    return acc


def multiplied_rows(m):
    acc = np.ones(m.shape[1])
    for i in prange(m.shape[0]):
        acc *= m[i] * 0.9
    return acc


def greatest_rows(m):
    acc = np.zeros(m.shape[1])
    old = acc
    for i in prange(m.shape[0]):
        acc = np.maximum(acc, m[i])
    return acc, old


def started_with_something(m, w):
    acc = w.copy()
    other = acc
    total = 0.0
    for i in prange(m.shape[0]):
        acc -= m[i]
        total += m[i, 0]
    return acc, other, total


def histogram(kinds):
    counts = np.zeros(5, dtype=np.int64)
    for i in prange(kinds.shape[0]):
        counts[kinds[i]] += 1
    return counts


def weighted_histogram(kinds, x):
    sums = np.zeros(5)
    counts = np.zeros(5, dtype=np.int32)
    for i in prange(kinds.shape[0]):
        k = kinds[i]
        if x[i] < 1.8:
            sums[k] += x[i]
            counts[k] += 1
    return sums, counts


def rows_by_kind(kinds, m):
    sums = np.zeros((5, m.shape[1]))
    for i in prange(m.shape[0]):
        sums[kinds[i]] += m[i]
    return sums


def own_elements(x):
    out = np.ones(x.shape[0] + 1)
    for i in prange(x.shape[0]):
        out[i + 1] += x[i]
    return out


def elements_of_all_rounds(m):
    sums = np.zeros(m.shape[1])
    for i in prange(m.shape[0]):
        for j in prange(m.shape[1]):
            sums[j] += m[i, j]
    return sums


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (sums_of_rows, (M,)),
    (folds_by_method, (M,)),
    (stored_rows, (M, W)),
    (named_expression, (M, W)),
    (products_of_rows, (M, W)),
    (blocks, (X, 10)),
    (items_of_rows, (M,)),
    (broadcast_columns, (M,)),
    (any_and_all, (M,)),
    (summed_rows, (M,)),
    (multiplied_rows, (M,)),
    (greatest_rows, (M,)),
    (started_with_something, (M, W)),
    (histogram, (KINDS,)),
    (weighted_histogram, (KINDS, X)),
    (rows_by_kind, (KINDS, M)),
    (own_elements, (X,)),
    (elements_of_all_rounds, (M,)),
]
NAMES = [function.__name__ for function, _ in CASES]
REDUCED = {
    "summed_rows": "acc",
    "multiplied_rows": "acc",
    "greatest_rows": "acc",
    "started_with_something": "total, acc",
    "histogram": "counts",
    "weighted_histogram": "counts, sums",
    "rows_by_kind": "sums",
    "elements_of_all_rounds": "sums",
}


def _njits() -> dict[str, Callable[..., Any]]:
    found: dict[str, Callable[..., Any]] = {"situ": situ.njit}
    if importlib.util.find_spec("numba") is not None:
        import numba

        found["numba"] = numba.njit(parallel=True)
    return found


NJITS = _njits()


@pytest.mark.parametrize("njit", NJITS.values(), ids=NJITS)
@pytest.mark.parametrize(("function", "arguments"), CASES, ids=NAMES)
def test_rounds_give_what_plain_python_gives(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    njit: Callable[..., Any],
    device: situ.Device,
) -> None:
    """On every device, the second call from what the first has compiled."""
    expected = function(*arguments)
    passed = [
        situ.asarray(each, device=device) if isinstance(each, np.ndarray) else each
        for each in arguments
    ]
    compiled = njit(function)
    for _ in range(2):
        assert_agrees(compiled(*passed), expected, device)


@pytest.mark.parametrize(("function", "arguments"), CASES, ids=NAMES)
def test_rounds_are_one_kernel(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Not one launch for each row."""
    compiled = situ.njit(function)
    compiled(*(situ.asarray(x) if isinstance(x, np.ndarray) else x for x in arguments))
    plan = compiled.inspect()
    assert "one round after the other" not in plan
    reduced = REDUCED.get(function.__name__)
    suffix = f" that reduces {reduced}\n" if reduced else "\n"
    assert f"native:cpu:0: `prange` as a kernel{suffix}" in plan


def test_results_do_not_depend_on_threads() -> None:
    """Sums of floats are combined in the order of the rounds' blocks."""
    generator = np.random.default_rng(5)
    kinds = situ.asarray(generator.integers(0, 5, 200_000))
    x = situ.asarray(generator.uniform(0.0, 1.0, 200_000) ** 9)
    compiled = situ.njit(weighted_histogram)
    first = compiled(kinds, x)[0].to_numpy()
    for _ in range(5):
        np.testing.assert_array_equal(compiled(kinds, x)[0].to_numpy(), first)


def test_rounds_that_read_what_they_write_are_run_in_turn() -> None:
    """A row that is reversed in place is read before it is written."""

    @situ.njit
    def reversed_rows(m):
        for i in prange(m.shape[0]):
            m[i] = m[i, ::-1] * 2.0
        return m

    expected = M[:, ::-1] * 2.0
    np.testing.assert_array_equal(reversed_rows(situ.asarray(M.copy())).to_numpy(), expected)
    assert "one round after the other" in reversed_rows.inspect()


def test_an_array_under_two_names_is_not_taken_for_two() -> None:
    """What a name stands for is computed before its elements change."""

    @situ.njit
    def swapped(m):
        same = m
        for i in prange(m.shape[0]):
            twice = m[i] * 2.0
            same[i] = 1.0
            same[i] += twice
        return m

    expected = M * 2.0 + 1.0
    np.testing.assert_array_equal(swapped(situ.asarray(M.copy())).to_numpy(), expected)


def test_rows_that_do_not_fit_are_reported() -> None:
    """With the array and both numbers of elements."""

    @situ.njit
    def f(m, w):
        out = np.zeros(m.shape)
        for i in prange(m.shape[0]):
            out[i] = m[i] * w
        return out

    with pytest.raises((ValueError, situ.SituError), match=r"cannot broadcast 3 elements .*`w`"):
        f(situ.asarray(M), situ.ones(3)).to_numpy()


def counts_in_a_loop(kinds, steps):
    counts = np.zeros(5, dtype=np.int64)
    for _ in range(steps):
        for i in prange(kinds.shape[0]):
            counts[kinds[i]] += 1
    return counts


def rows_in_a_loop(m, steps):
    sums = np.zeros(m.shape[1])
    for _ in range(steps):
        for i in prange(m.shape[0]):
            for j in range(m.shape[1]):
                sums[j] += m[i, j]
    return sums


def own_counts_in_a_loop(kinds, steps):
    most = np.zeros(kinds.shape[0] // 100, dtype=np.int64)
    for _ in range(steps):
        for i in prange(most.shape[0]):
            counts = np.zeros(5, dtype=np.int64)
            for k in range(100 * i, 100 * i + 100):
                counts[kinds[k]] += 1
            most[i] += np.max(counts)
    return most


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (counts_in_a_loop, (np.tile(KINDS, 40), 3)),
        (rows_in_a_loop, (np.tile(M, (50, 1)), 3)),
        (own_counts_in_a_loop, (KINDS, 3)),
    ],
)
def test_no_update_is_lost_in_loops_over_prange_loops(function, arguments) -> None:
    array, steps = arguments
    found = situ.njit(function)(situ.asarray(array), steps)
    np.testing.assert_allclose(np.asarray(found), function(array, steps), rtol=1e-12)
