"""What can be known to be wrong is an error before the first statement changes anything."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import situ


def undefined_name(x, other):
    x[0] = 99.0
    return x + undefined_thing  # noqa: F821


def undefined_in_a_branch(x, other):
    x[0] = 99.0
    if x.shape[0] > 1_000_000:
        return undefined_thing(x)  # noqa: F821
    return x


def unknown_member(x, other):
    x += 1.0
    return np.frobnicate(x)


def plain(x):
    return x


def python_function(x, other):
    x += 1.0
    for _ in range(3):
        x[0] = plain(x)[0]
    return x


def mixed(x, other):
    x *= 2.0
    return x + other


def mixed_later(x, other):
    x *= 2.0
    y = other.copy()
    z = np.sqrt(y) * 2.0
    for _ in range(3):
        x += z[1:]
    return x


def mixed_in_call(x, other):
    x *= 2.0
    return np.concatenate((x, other))


def mixed_by_store(x, other):
    x[0] = 5.0
    x[1:] = other[1:]
    return x


@situ.njit
def added(left, right):
    return left + right


def mixed_in_another_function(x, other):
    x[0] = 5.0
    return added(x, other)


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (undefined_name, NameError, "undefined_thing"),
        (undefined_in_a_branch, NameError, "undefined_thing"),
        (unknown_member, situ.KernelTypeError, r"`frobnicate`, which module `numpy`"),
        (python_function, situ.KernelTypeError, "a Python function, `plain`"),
        (mixed, situ.KernelTypeError, r"mixes NumPy and situ arrays: `x \+ other`"),
        (mixed_later, situ.KernelTypeError, "mixes NumPy and situ arrays: `x \\+= z"),
        (mixed_in_call, situ.KernelTypeError, "mixes NumPy and situ arrays: `np.concat"),
        (mixed_by_store, situ.KernelTypeError, "mixes NumPy and situ arrays"),
        (mixed_in_another_function, situ.KernelTypeError, r"mixes .*: `left \+ right`"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_nothing_is_changed(function: Callable[..., Any], error: Any, words: str) -> None:
    """The array is what it was."""
    x = situ.ones(4)
    with pytest.raises(error, match=words) as caught:
        situ.njit(function)(x, np.ones(4))
    assert "test_foresight.py:" in str(caught.value)
    np.testing.assert_array_equal(x.to_numpy(), np.ones(4))


def test_what_is_not_known_for_sure_is_left_to_the_run() -> None:
    """A name that stands for either kind, where the mixture is never met."""

    @situ.njit
    def f(x, other, n):
        y = x
        if n > 3:
            y = other
        for _ in range(2):
            y = y * 2.0
        if n > 3:
            return y + other
        return y + x

    x, other = situ.ones(3), np.ones(3)
    np.testing.assert_array_equal(f(x, other, 1).to_numpy(), [5.0, 5.0, 5.0])
    np.testing.assert_array_equal(f(x, other, 4), [5.0, 5.0, 5.0])
