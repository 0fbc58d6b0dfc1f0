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


def backwards_by_number(x, n):
    total = 0.0
    for i in reversed(range(n)):
        total = 0.5 * total + x[i]
    for i in reversed(range(n, 2, -4)):
        total = 0.5 * total + i
    for i in reversed(range(n, n)):
        total = 100.0 * total + i
    return total


def backwards_by_item(x):
    total = 0.0
    for v in reversed(x):
        total = 0.5 * total + v
    for v, weight in zip(reversed(x), reversed((1, 2, 3))):  # noqa: B905
        total = 0.5 * total + v * weight
    return total


def backwards_with_arrays(m):
    y = m[0] * 0.0
    for row in reversed(m):
        y = 0.5 * y + row
    for factor in reversed((2.0, 3.0)):
        y = y * factor + 1.0
    for i in reversed(range(3)):
        y = y * 2.0 + m[i]
    return y


def backwards_in_rounds(x):
    out = np.zeros(x.shape)
    for i in situ.prange(x.shape[0]):
        total = 0.0
        for k in reversed(range(i)):
            total = 0.5 * total + x[k]
        out[i] = total
    return out


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (backwards_by_number, (X, 20)),
        (backwards_by_item, (X,)),
        (backwards_with_arrays, (M,)),
        (backwards_in_rounds, (X,)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_loops_that_go_backwards(function, arguments):
    compiled = situ.njit(function)
    np.testing.assert_allclose(compiled(*arguments), function(*arguments), rtol=1e-12)
    given = [situ.asarray(each) if isinstance(each, np.ndarray) else each for each in arguments]
    found = compiled(*given)
    found = found.to_numpy() if isinstance(found, situ.ndarray) else found
    np.testing.assert_allclose(found, function(*arguments), rtol=1e-12)


def test_pairs_cannot_be_reversed():
    @situ.njit
    def f(x):
        y = x
        for _, row in reversed(enumerate(x)):
            y = y + row
        return y

    with pytest.raises(
        situ.KernelTypeError, match=r"`reversed` takes(.|\n)*help: reverse what is inside"
    ):
        f(situ.asarray(M))
