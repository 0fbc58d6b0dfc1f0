"""Loops over the items of arrays and tuples: compiled where the items are numbers."""

import numpy as np
import pytest

import situ

X = np.random.default_rng(2).uniform(0.5, 2.0, 50)
M = X[:48].reshape(8, 6)


def elements(x):
    total = 0.0
    for v in x:
        if v > 1.5:
            continue
        total = 0.5 * total + v
    return total


def counted(x):
    total = 0.0
    for i, v in enumerate(x):
        total += i * v
    for i, v in enumerate(x[::2], 3):
        total -= i * v
    return total


def together(x, y):
    total = 0.0
    for a, b in zip(x, y):  # noqa: B905 - Numba has no `strict`
        total += a * b
    return total


def rows(m):
    total = 0.0
    for row in m:
        total += np.sum(row) * row[0]
    return total


def counted_rows(m):
    out = np.zeros(m.shape)
    for i, row in enumerate(m):
        out[i] = np.sort(row) * i
    return out


def rows_together(m, x):
    acc = np.zeros(m.shape[1])
    for row, factor in zip(m, x):  # noqa: B905 - Numba has no `strict`
        acc = acc + row * factor
    return acc


def mixed(x):
    total = 0.0
    for i, (a, weight) in enumerate(zip(x, range(10, 0, -2))):  # noqa: B905
        total += a * weight * i
    return total


def over_tuples(x):
    y = x
    for factor in (2.0, 3.0):
        y = y * factor
    return y


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (elements, (X,)),
        (counted, (X,)),
        (together, (X, X[:20])),
        (rows, (M,)),
        (counted_rows, (M,)),
        (rows_together, (M, X)),
        (mixed, (X,)),
        (over_tuples, (X,)),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_loops_over_items_are_pythons(function, arguments, device: situ.Device) -> None:
    """On arrays that the host can reach."""
    expected = function(*arguments)
    passed = [situ.asarray(x, device=device, usm_type="shared") for x in arguments]
    found = situ.njit(function)(*passed)
    if isinstance(found, situ.ndarray):
        found = found.to_numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("function", [elements, counted])
def test_loops_over_numbers_are_compiled(function) -> None:
    """No round of them is run by the interpreter."""
    compiled = situ.njit(function)
    compiled(situ.asarray(X))
    plan = compiled.inspect()
    assert "compiled together" in plan
    assert plan.count("->") == 1
