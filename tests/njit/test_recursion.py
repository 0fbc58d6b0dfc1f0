"""Functions that call themselves: compiled where Python's meaning can be kept; never a crash."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import situ


@situ.njit
def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


@situ.njit
def factorial(n):
    """Call itself before anything is returned, so that the type is known last."""
    if n > 1:
        return n * factorial(n - 1)
    return 1


@situ.njit
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@situ.njit
def division(a, b):
    """Return a quotient and a rest."""
    if a < b:
        return 0, a
    quotient, rest = division(a - b, b)
    return quotient + 1, rest


@situ.njit
def quicksort(x, low, high):
    """Sort in place; return nothing."""
    if low < high:
        pivot = x[(low + high) // 2]
        i = low
        j = high
        while i <= j:
            while x[i] < pivot:
                i += 1
            while x[j] > pivot:
                j -= 1
            if i <= j:
                x[i], x[j] = x[j], x[i]
                i += 1
                j -= 1
        quicksort(x, low, j)
        quicksort(x, i, high)


@situ.njit
def total(x):
    """Add up halves, which are parts of the array."""
    if len(x) == 0:
        return 0.0
    if len(x) == 1:
        return x[0]
    middle = len(x) // 2
    return total(x[:middle]) + total(x[middle:])


@situ.njit
def called_with_a_constant(n):
    return fibonacci(12) + n


@situ.njit
def is_even(n):
    if n == 0:
        return True
    return is_odd(n - 1)


@situ.njit
def is_odd(n):
    if n == 0:
        return False
    return is_even(n - 1)


@situ.njit
def checked(n):
    if n == 0:
        message = n - 7
        raise ValueError(f"reached {message}")
    return checked(n - 1) + 1


@situ.njit
def nested(n):
    """Return something of another type in each call, which has no type."""
    if n == 0:
        return (0,)
    return (nested(n - 1), n)


@situ.njit
def deep(n):
    if n == 0:
        return 0
    return deep(n - 1) + 1


CASES: list[tuple[Any, tuple[Any, ...], Any]] = [
    (fibonacci, (20,), 6765),
    (fibonacci, (20.0,), 6765.0),
    (factorial, (10,), 3628800),
    (factorial, (5.0,), 120.0),
    (ackermann, (2, 3), 9),
    (division, (100, 7), (14, 2)),
    (total, (np.arange(100.0),), 4950.0),
    (called_with_a_constant, (1,), 145),
    (is_even, (10,), True),
    (is_odd, (10,), False),
    (deep, (5000,), 5000),
]


@pytest.mark.parametrize(("function", "arguments", "expected"), CASES)
def test_results(function: Callable[..., Any], arguments: tuple[Any, ...], expected: Any) -> None:
    """They are those of Python, whether the calls are compiled or not."""
    assert function(*arguments) == expected


def test_elements_are_changed_in_place() -> None:
    """Arrays are handed on as they are, situ's as well as NumPy's."""
    values = np.random.default_rng(0).uniform(size=300)
    there = situ.asarray(values)
    quicksort(there, 0, 299)
    np.testing.assert_array_equal(there.to_numpy(), np.sort(values))
    quicksort(values, 0, 299)
    np.testing.assert_array_equal(values, np.sort(values))


def test_it_is_compiled() -> None:
    """There is one piece of compiled code, and no call is made by the machine."""
    fibonacci(5)
    assert "compiled together" in fibonacci.inspect()
    assert "calls" not in fibonacci.inspect()


def test_what_is_raised_deep_down_comes_up() -> None:
    """An exception ends all calls."""
    with pytest.raises(ValueError, match="reached -7"):
        checked(50)
    assert fibonacci(10) == 55


@pytest.mark.parametrize("function", [deep, factorial])
def test_too_deep_is_an_error(function: Callable[..., Any]) -> None:
    """Compiled code does not run over the end of its stack."""
    with pytest.raises(RecursionError, match=r"calls itself more than 8000 times deep"):
        function(100_000)
    assert function(3) in (3, 6)


def test_what_has_no_type_is_walked() -> None:
    """Tuples within tuples have another type in each call."""
    assert nested(2) == (((0,), 1), 2)
