"""Functions that are defined inside of njit functions, called by loops over `prange` and others."""

import numpy as np
import pytest

import situ
from situ import prange


def scaled(x, k):
    def inner(v):
        return v * k + 1

    out = np.zeros_like(x)
    for i in prange(x.shape[0]):
        out[i] = inner(x[i])
    return out


def scaled_by_a_lambda(x, k):
    inner = lambda v: v * k + 1  # noqa: E731
    out = np.zeros_like(x)
    for i in prange(x.shape[0]):
        out[i] = inner(x[i])
    return out


def functions_that_call_each_other(x, k):
    def twice(v):
        return v + v

    def more(v):
        return twice(v) + k

    out = np.zeros_like(x)
    for i in prange(x.shape[0]):
        out[i] = more(x[i])
    return out


def reading_an_array_from_around(x, k):
    def neighbour(i):
        return x[(i + 1) % x.shape[0]]

    out = np.zeros_like(x)
    for i in prange(x.shape[0]):
        out[i] = neighbour(i) * k
    return out


def taking_an_array(x, k):
    def at(values, i):
        return values[i] * k

    out = np.zeros_like(x)
    for i in prange(x.shape[0]):
        out[i] = at(x, i)
    return out


def summing(x, k):
    # The parameter hides the reduction.
    def inner(total):
        return total * k

    total = 0.0
    for i in prange(x.shape[0]):
        total += inner(x[i])
    return total


def counting(x, k):
    def bin_of(bins):
        return int(bins) % 3

    bins = np.zeros_like(x)
    for i in prange(x.shape[0]):
        bins[bin_of(x[i])] += k
    return bins


def skipping(x, k):
    def is_small(v):
        if v != v:
            return False
        return v < 2

    out = np.zeros_like(x)
    for i in prange(x.shape[0]):
        if is_small(x[i]):
            continue
        out[i] = k
    return out


def rows(x, k):
    def inner(v):
        return v * k

    table = np.zeros_like(x).reshape((1, -1)) + np.ones_like(x).reshape((-1, 1))
    for i in prange(x.shape[0]):
        table[i, :] = x * inner(x[i])
    return table


def the_latest_value_counts(x, k):
    def inner(v):
        return v * k

    y = x + 1
    k = 10.0
    for i in prange(x.shape[0]):
        y[i] += inner(x[i])
    return y


def defined_in_the_round(x, k):
    out = np.zeros_like(x)
    for i in prange(x.shape[0]):
        inner = lambda v: v - k  # noqa: E731
        out[i] = inner(x[i])
    return out


def a_lambda_as_an_argument(x, k):
    def applied(function, v):
        return function(v) + k

    out = np.zeros_like(x)
    for i in prange(x.shape[0]):
        out[i] = applied(lambda v: v * v, x[i])
    return out


def whole_arrays_in_rounds(x, k):
    def inner(v):
        return np.sum(x * v) + k

    out = np.zeros_like(x)
    for i in prange(x.shape[0]):
        out[i] = inner(x[i])
    return out


def whole_arrays_in_a_loop(x, k):
    def inner(v):
        return np.sum(x * v)

    total = k
    for i in range(3):
        total += inner(i)
    return total


def a_lambda_in_a_loop(x, k):
    inner = lambda v: v + k  # noqa: E731
    total = x[0]
    for i in range(3):
        total += inner(i)
    return total


def a_lambda_of_an_array(x, k):
    inner = lambda v: v + k  # noqa: E731
    y = x * 2
    return inner(y)


FUNCTIONS = [
    scaled,
    scaled_by_a_lambda,
    functions_that_call_each_other,
    reading_an_array_from_around,
    taking_an_array,
    summing,
    counting,
    skipping,
    rows,
    the_latest_value_counts,
    defined_in_the_round,
    a_lambda_as_an_argument,
    whole_arrays_in_a_loop,
    a_lambda_in_a_loop,
    a_lambda_of_an_array,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_inner_functions_do_what_python_does(function, device):
    x = np.arange(6.0)
    expected = function(x.copy(), 3.0)
    found = situ.njit(function)(situ.asarray(x, device=device), 3.0)
    np.testing.assert_array_equal(
        found.to_numpy() if isinstance(found, situ.ndarray) else found, expected
    )


def test_rounds_that_need_whole_arrays_run_in_turn():
    compiled = situ.njit(whole_arrays_in_rounds)
    found = compiled(situ.arange(6.0), 3.0)
    np.testing.assert_array_equal(found.to_numpy(), whole_arrays_in_rounds(np.arange(6.0), 3.0))
    assert "one round after the other" in str(compiled.inspect())


@pytest.mark.parametrize("function", [scaled, taking_an_array, summing, counting, skipping])
def test_loops_that_call_inner_functions_are_kernels(function):
    compiled = situ.njit(function)
    compiled(situ.arange(6.0), 3.0)
    text = str(compiled.inspect())
    assert "one round after the other" not in text
    assert "prange" in text


def test_what_an_inner_function_reads_is_not_changed_by_rounds():
    @situ.njit
    def running(x):
        total = 0.0

        def so_far(v):
            return v + total

        for i in prange(x.shape[0]):
            total += so_far(x[i])
        return total

    with pytest.raises(situ.KernelError, match="`total` is handed from one round"):
        running(situ.arange(4.0))


def test_a_name_stands_for_one_function():
    @situ.njit
    def two(x):
        inner = lambda v: v + 1  # noqa: E731
        first = inner(x[0])
        inner = lambda v: v + 2  # noqa: E731
        return first + inner(x[0])

    with pytest.raises(situ.KernelError, match="`inner` cannot stand for two different things"):
        two(situ.arange(4.0))
