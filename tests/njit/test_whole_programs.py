"""Functions compiled as a whole: `prange` in loops, calls, masks, large statements.

Each is compared with the same function as plain Python on NumPy arrays.
"""

from typing import Any

import numpy as np
import pytest

import situ
from situ import prange

RNG = np.random.default_rng(11)


def on_device(values: Any) -> list[Any]:
    """Return arguments with situ arrays for NumPy's."""
    return [situ.asarray(each.copy()) if np.ndim(each) else each for each in values]


def check(function: Any, *hosts: Any, rtol: float = 1e-12) -> str:
    """Compare a function with itself on NumPy arrays; return its plan."""
    compiled = situ.njit(function)
    arrays = on_device(hosts)
    copies = [each.copy() if np.ndim(each) else each for each in hosts]
    expected, found = function(*copies), compiled(*arrays)
    for one, other in zip(_items(found), _items(expected), strict=True):
        np.testing.assert_allclose(np.asarray(one), other, rtol=rtol, atol=1e-12)
        assert np.asarray(one).dtype == np.asarray(other).dtype
    for ours, theirs in zip(arrays, copies, strict=True):
        np.testing.assert_allclose(np.asarray(ours), theirs, rtol=rtol, atol=1e-12)
    return compiled.inspect()


def _items(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def wavefront(a, steps):
    n = a.shape[0]
    new = np.zeros_like(a)
    for _ in range(steps):
        for i in prange(1, n - 1):
            new[i] = 0.5 * a[i] + 0.25 * (a[i - 1] + a[i + 1])
        a, new = new, a
    return a


def sums(a, n):
    total, product, least, most = 0.0, 1.0, 10.0, -10.0
    for k in range(n):
        for i in prange(a.shape[0]):
            total += a[i] * k
            product *= 1.0 + 0.001 * a[i]
            least = min(least, a[i] - k)
            most = np.maximum(most, a[i] + k)
    return total, product, least, most


def bits(a, n):
    every, some, odd = -1, 0, 0
    found, all_found = False, True
    for k in range(n):
        for i in prange(a.shape[0]):
            every &= a[i] | k
            some |= a[i]
            odd ^= a[i] + k
            found = found or a[i] == 3
            all_found = all_found and a[i] >= 0
    return every, some, odd, found, all_found


def own_names(a, n):
    """Names that each round assigns first, with values of the loop before."""
    out = np.zeros_like(a)
    k = 7
    for _ in range(n):
        for i in prange(a.shape[0]):
            best = 0.0
            for k in range(3):
                best = best + a[i] * k
            out[i] += best
        for i in prange(a.shape[0]):
            best = a[i]
            out[i] -= best
    return out


def with_steps(a, n):
    for k in range(n):
        for i in prange(a.shape[0] - 1, k, -2):
            a[i] = a[i] * 0.5
        for i in prange(k, a.shape[0], 3):
            if a[i] > 1.0:
                continue
            a[i] += 1.0
    return a


def rows_with_temporaries(a, n):
    for _ in range(n):
        for i in prange(a.shape[0]):
            row = a[i] - np.mean(a[i])
            other = row * row
            a[i] = row / (1.0 + np.sqrt(np.sum(other)))
    return a


def nested(a, n):
    for _ in range(n):
        for i in prange(a.shape[0]):
            for j in prange(a.shape[1]):
                a[i, j] = a[i, j] * 0.5 + i - j
    return a


def large_statements(a, n):
    b = np.ones_like(a)
    total = 0.0
    for k in range(n):
        b = b * 0.5 + a
        a[1:] = a[:-1] + b[1:] * 0.25
        total += np.sum(a * b) + np.max(b) + k
    return a, b, total


def columns(a, v, n):
    out = np.zeros(a.shape[1])
    for _ in range(n):
        out = out * 0.5 + v @ a + np.sum(a, axis=0)
    return out


def chosen(x, n):
    total = 0.0
    for k in range(n):
        y = x[x > 0.25 * k]
        total += np.sum(y) + y.shape[0]
        x[x < 0.1] += 0.5
        x[x > 0.9] = 0.3
    return total, x


def small_algebra(a, n):
    x = np.eye(a.shape[0])
    for _ in range(n):
        x = np.linalg.inv(a + x) @ np.identity(a.shape[0])
    return x


def counted(x, n):
    total = np.zeros(12, dtype=np.int64)
    for _ in range(n):
        total += np.bincount(x, minlength=12)
    return total


@situ.njit
def _smoothed(x):
    y = x * 0.5
    y[1:] += x[:-1] * 0.5
    return y


@situ.njit
def _pair(x, k):
    if k > 0:
        return x + k, x.copy()
    return x * 2.0, x


def calls(x, n):
    for k in range(n):
        x = _smoothed(x) + 0.25 * _smoothed(_smoothed(x))
        y, z = _pair(x, k)
        x = y - z * 0.5
    return x


def _plain_smoothed(x):
    y = x * 0.5
    y[1:] += x[:-1] * 0.5
    return y


A = RNG.random((40, 30))
V = RNG.random(3000)
CASES = {
    "wavefront": (wavefront, (A, 7)),
    "sums": (sums, (V, 3)),
    "few sums": (sums, (V[:5], 3)),
    "no sums": (sums, (V[:0], 3)),
    "bits": (bits, (RNG.integers(0, 255, 5000), 3)),
    "own names": (own_names, (V, 3)),
    "steps": (with_steps, (V, 4)),
    "rows": (rows_with_temporaries, (A, 3)),
    "many rows": (rows_with_temporaries, (RNG.random((3000, 40)), 2)),
    "nested": (nested, (A, 3)),
    "large": (large_statements, (RNG.random(100_000), 3)),
    "large rows": (large_statements, (RNG.random((400, 300)), 3)),
    "columns": (columns, (A, RNG.random(40), 3)),
    "large columns": (columns, (RNG.random((400, 300)), RNG.random(400), 2)),
    "masks": (chosen, (V, 3)),
    "algebra": (small_algebra, (RNG.random((4, 4)) + 3.0 * np.eye(4), 3)),
    "counts": (counted, (RNG.integers(0, 9, 1000), 3)),
}


@pytest.mark.parametrize("name", CASES)
def test_programs_are_numpys_and_compiled(name) -> None:
    function, arguments = CASES[name]
    plan = check(function, *arguments, rtol=1e-11)
    assert "compiled together" in plan
    assert "walked" not in plan, plan


def test_functions_that_are_called_make_and_return_arrays(monkeypatch) -> None:
    x = RNG.random(50)
    found = situ.njit(calls)(situ.asarray(x), 4)
    monkeypatch.setitem(globals(), "_smoothed", _plain_smoothed)
    monkeypatch.setitem(globals(), "_pair", _pair.py_func)
    np.testing.assert_allclose(found.to_numpy(), calls(x, 4), rtol=1e-12)


def test_an_exception_in_a_round_is_raised_and_the_function_stays_usable() -> None:
    @situ.njit
    def checked(x, n):
        total = 0.0
        for _ in range(n):
            for i in prange(x.shape[0]):
                if x[i] < 0.0:
                    raise ValueError("a negative number")
                total += x[i]
        return total

    x = np.ones(20_000)
    x[12_345] = -1.0
    with pytest.raises(ValueError, match="a negative number"):
        checked(situ.asarray(x), 3)
    assert checked(situ.ones(20_000), 3) == 60_000.0


def test_what_a_round_hands_to_the_next_is_refused() -> None:
    @situ.njit
    def handed(x, n):
        last = 0.0
        for _ in range(n):
            for i in prange(x.shape[0]):
                x[i] = last
                last = x[i] + 1.0
        return x

    with pytest.raises(situ.KernelError, match="`last` is handed from one round"):
        handed(situ.ones(10), 3)


def test_indices_outside_of_a_large_gather_are_refused() -> None:
    @situ.njit
    def gathered(x, places, n):
        total = 0.0
        for _ in range(n):
            y = x[places] * 2.0
            total += y[0]
        return total

    places = np.zeros(50_000, dtype=np.int64)
    assert gathered(situ.ones(10), situ.asarray(places), 2) == 4.0
    places[40_000] = 10
    with pytest.raises(IndexError, match="outside of the array"):
        gathered(situ.ones(10), situ.asarray(places), 2)


def test_a_mask_of_another_length_is_refused() -> None:
    @situ.njit
    def chosen_by(x, mask, n):
        total = 0.0
        for _ in range(n):
            total += np.sum(x[mask])
        return total

    with pytest.raises(IndexError, match=r"mask of shape \(3,\) .* shape \(4,\)"):
        chosen_by(situ.ones(4), situ.asarray(np.ones(3, dtype=bool)), 2)


def test_a_singular_matrix_is_refused_as_numpy_does() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        situ.njit(small_algebra)(situ.asarray(-np.eye(3)), 1)


def test_sizes_that_were_equal_need_not_stay_so() -> None:
    """Code for arrays of equal shapes is not used for those that broadcast."""

    @situ.njit
    def added(a, b, n):
        for _ in range(n):
            a[:] = a + b
        return a

    def expected(a, b):
        return a + 2 * b

    for shape in ((4,), (1,), (4,), ()):
        b = RNG.random(shape)
        a = RNG.random(4)
        if b.ndim == 0:
            b = b.reshape(1)
        found = added(situ.asarray(a), situ.asarray(b), 2)
        np.testing.assert_allclose(found.to_numpy(), expected(a, b), rtol=1e-12)
    with pytest.raises(situ.ShapeError):
        added(situ.ones(4), situ.ones(3), 2)


def test_sizes_that_differ_on_some_paths() -> None:
    @situ.njit
    def cut(x, n):
        total = 0.0
        for k in range(n):
            m = x.shape[0]
            if k > 1:
                m = 2
            y = x[:m] * 2.0
            z = x[: x.shape[0]] * 1.0
            total += np.sum(y) + np.sum(z)
            if m == x.shape[0]:
                total += np.sum(y * z)
        return total

    x = RNG.random(5)
    found = cut(situ.asarray(x), 4)
    assert np.isclose(found, cut.py_func(x, 4), rtol=1e-12)


def test_names_around_are_frozen_everywhere_at_once(monkeypatch) -> None:
    monkeypatch.setitem(globals(), "FACTOR", 2.0)

    @situ.njit
    def scaled(x, n):
        y = x * FACTOR  # noqa: F821
        for _ in range(n):
            y = y * FACTOR  # noqa: F821
        return y + FACTOR  # noqa: F821

    assert scaled(situ.ones(2), 1).to_numpy().tolist() == [6.0, 6.0]
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert scaled(situ.ones(2), 1).to_numpy().tolist() == [6.0, 6.0]


@pytest.mark.parametrize("threads", [1, 3])
def test_results_do_not_depend_on_the_number_of_threads(threads) -> None:
    device = situ.Device("native")
    if threads > 1:
        found = situ.njit(sums)(situ.asarray(V), 3)
    else:
        part = device.create_sub_devices([1])[0] if device.compute_units > 1 else device
        found = situ.njit(sums)(situ.asarray(V, device=part), 3)
    again = situ.njit(sums)(situ.asarray(V), 3)
    assert found == again
