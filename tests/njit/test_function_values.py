"""Functions inside of njit functions, functions as arguments, and arguments that are not given."""

import math

import numpy as np
import pytest

import situ
from situ import prange

X = np.random.default_rng(4).uniform(0.5, 2.0, 40)


@situ.njit
def square(v):
    return v * v


@situ.njit
def cube(v):
    return v * v * v


@situ.njit
def integral(f, low, high, count):
    step = (high - low) / count
    total = 0.0
    for i in range(count):
        total += f(low + (i + 0.5) * step)
    return total * step


@situ.njit
def parallel_integral(f, count):
    total = 0.0
    for i in prange(count):
        total += f((i + 0.5) / count)
    return total / count


@situ.njit
def applied(f, x):
    return f(x) + 1.0


@situ.njit
def applied_twice(f, x):
    return applied(f, applied(f, x))


def test_functions_are_arguments() -> None:
    """Each is compiled into the function that calls it."""
    assert integral(square, 0.0, 3.0, 1000) == pytest.approx(9.0, rel=1e-5)
    assert integral(cube, 0.0, 2.0, 1000) == pytest.approx(4.0, rel=1e-5)
    assert integral(square, 0.0, 3.0, 1000) == pytest.approx(9.0, rel=1e-5)
    assert integral(math.sqrt, 0.0, 1.0, 1000) == pytest.approx(2 / 3, rel=1e-4)
    assert parallel_integral(cube, 5000) == pytest.approx(0.25, rel=1e-5)
    assert "compiled together" in integral.inspect()


def test_functions_of_arrays_are_arguments(device: situ.Device) -> None:
    """Of situ's and of NumPy's."""
    x = situ.asarray(X, device=device)
    np.testing.assert_allclose(applied(square, x).to_numpy(), X * X + 1.0)
    np.testing.assert_allclose(applied(np.sqrt, x).to_numpy(), np.sqrt(X) + 1.0)
    expected = (X * X + 1.0) ** 2 + 1.0
    np.testing.assert_allclose(applied_twice(square, x).to_numpy(), expected)


def test_a_plain_function_as_argument_is_refused() -> None:
    """It would need the interpreter."""

    def plain(v):
        return v

    with pytest.raises(situ.KernelTypeError, match="calls a Python function, `plain`"):
        applied(plain, situ.ones(3))


def test_inner_functions_take_arrays(device: situ.Device) -> None:
    """And see the names around them."""

    @situ.njit
    def f(x, factor):
        def scaled(v, shift=1.0):
            return v * factor + shift

        y = scaled(x)
        return scaled(y, shift=2.0), scaled(3.0)

    y, number = f(situ.asarray(X, device=device), 2.0)
    np.testing.assert_allclose(y.to_numpy(), (X * 2.0 + 1.0) * 2.0 + 2.0)
    assert number == 7.0


@situ.njit
def perhaps(x, y=None, scale=math.tau, kind=np.float32):
    if y is None:
        y = x
    elif x is not None:
        y = y + 1.0
    return (x + y).astype(kind) * scale


@situ.njit
def calls_perhaps(x):
    return perhaps(x) - perhaps(x, x, scale=2.0)


def test_arguments_that_are_not_given() -> None:
    """`None` and other objects of Python's are defaults, too."""
    x = situ.asarray(X)
    single = (X + X).astype(np.float32)
    np.testing.assert_allclose(perhaps(x).to_numpy(), single * math.tau, rtol=1e-6)
    given = (X + X + 1.0).astype(np.float32)
    np.testing.assert_allclose(perhaps(x, x, 2.0).to_numpy(), given * 2.0, rtol=1e-6)
    expected = single * math.tau - given * 2.0
    np.testing.assert_allclose(calls_perhaps(x).to_numpy(), expected, rtol=1e-5)


@situ.njit
def total_of(a):
    return a.sum()


@situ.njit
def totals(x, y):
    return total_of(x), total_of(y), total_of(x * 2.0)


def test_a_function_that_calls_methods_of_its_parameters_is_called() -> None:
    """Names mean what they mean in the function that is called."""
    assert totals(situ.ones(4), np.ones(3)) == (4.0, 3.0, 8.0)


AROUND = np.arange(4.0)


@situ.njit
def with_array_around(x):
    total = 0.0
    for i in range(AROUND.shape[0]):
        total += AROUND[i]
    return x + AROUND, total


def test_arrays_around_the_function_are_used() -> None:
    """As if they were passed: NumPy's with NumPy's, and never mixed."""
    y, total = with_array_around(np.ones(4))
    np.testing.assert_array_equal(y, AROUND + 1.0)
    assert total == 6.0
    with pytest.raises(situ.KernelTypeError, match=r"mixes NumPy and situ arrays: `x \+ AROUND`"):
        with_array_around(situ.ones(4))


@situ.njit
def of_items(pair, factor):
    (a, b), c = pair
    a[0] = 5.0
    return a * factor, b + 1.0, c * 2.0


def test_arrays_in_tuples_keep_their_kind() -> None:
    """Of NumPy's and of situ's in one argument."""
    on_host, other = np.ones(3), np.zeros(2)
    first, second, third = of_items(((on_host, other), situ.ones(2)), 2.0)
    np.testing.assert_array_equal(first, [10.0, 2.0, 2.0])
    np.testing.assert_array_equal(on_host, [5.0, 1.0, 1.0])
    assert isinstance(second, np.ndarray)
    assert isinstance(third, situ.ndarray)
