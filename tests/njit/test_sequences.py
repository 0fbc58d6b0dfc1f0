"""Tuples, lists and `*args` in njit functions: as many items as are known when it runs."""

import numpy as np
import pytest

import situ
from situ import prange


@situ.njit
def total(first, *others):
    result = first
    for other in others:
        result = result + other
    return result


@situ.njit
def counted(*values):
    return len(values)


@situ.njit
def scaled(x, *parts, factor=2.0, shift):
    result = x * factor + shift
    for part in parts:
        result = result + part
    return result


@situ.njit
def through(x, y):
    return total(x, y, 1.0) + total(x) + scaled(x, y, shift=1.0)


def test_arguments_beyond_the_parameters_are_a_tuple(device) -> None:
    """Arrays and numbers, any number of them."""
    x = situ.asarray(np.arange(3.0), device=device)
    np.testing.assert_array_equal(total(x).to_numpy(), [0, 1, 2])
    np.testing.assert_array_equal(total(x, 1.0, x).to_numpy(), [1, 3, 5])
    assert total(1, 2, 3) == 6
    assert (counted(), counted(x, x, 2)) == (0, 3)


def test_parameters_that_are_given_by_name_only() -> None:
    """With defaults and without."""
    x = situ.ones(2)
    np.testing.assert_array_equal(scaled(x, shift=1.0).to_numpy(), [3, 3])
    np.testing.assert_array_equal(scaled(x, x, x, shift=1.0, factor=3.0).to_numpy(), [6, 6])
    with pytest.raises(TypeError, match="shift"):
        scaled(x)


def test_functions_that_take_any_number_are_called_by_others() -> None:
    """And give what Python's own give."""
    x, y = np.arange(3.0), np.ones(3)
    expected = through.py_func(x, y)
    found = through(situ.asarray(x), situ.asarray(y))
    np.testing.assert_array_equal(found.to_numpy(), expected)


def test_a_call_without_an_argument_names_the_parameter() -> None:
    """Inside of compiled code, too."""

    @situ.njit
    def without(x):
        return scaled(x * 2.0)

    with pytest.raises(situ.KernelTypeError) as caught:
        without(situ.ones(2))
    message = str(caught.value)
    assert "njit function `scaled` is called without an argument for `shift`" in message
    assert "its parameters are `x`, `parts`, `factor` and `shift`" in message
    assert f"{__file__}:{without.__wrapped__.__code__.co_firstlineno + 2}" in message


def squares(n):
    return np.array([i * i for i in range(n)])


def even_squares(n):
    return np.array([float(i) ** 2 for i in range(n) if i % 2 == 0])


def pairs(n):
    return np.array([a * b for a, b in zip((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))]) * n  # noqa: B905


def nested(n):
    return np.array([sum_of([i + k for k in range(3)]) for i in range(n)])


@situ.njit
def sum_of(values):
    result = 0
    for value in values:
        result += value
    return result


def looped(n):
    result = 0.0
    for f in [1.0, 2.0, n]:
        result += f
    return result


def items(n):
    weights = [0.5, 1.5, 2.0]
    result = 0.0
    for i in range(3):
        result += weights[i] * i
    return result + n


def over_shape(n):
    x = np.ones((2, n))
    return [size + 1 for size in x.shape][1]


@pytest.mark.parametrize(
    "function",
    [squares, even_squares, pairs, nested, looped, items, over_shape],
    ids=lambda function: function.__name__,
)
def test_lists_of_a_few_numbers(function) -> None:
    """Comprehensions and lists that are written out."""
    found = situ.njit(function)(4)
    np.testing.assert_allclose(np.asarray(found), function(4))


def test_lists_of_arrays(device) -> None:
    """Each item is an expression on its device."""

    @situ.njit
    def stacked(x):
        return np.concatenate([x * float(k) for k in range(3)])

    x = np.arange(4.0)
    found = stacked(situ.asarray(x, device=device))
    np.testing.assert_array_equal(found.to_numpy(), stacked.py_func(x))


def test_names_of_a_comprehension_are_its_own() -> None:
    """As in Python: it sees the names around it, and changes none."""

    @situ.njit
    def same_name(x):
        i = 10
        y = np.array([i * x[0] for i in range(3)])
        return np.sum(y) + i

    x = np.array([2.0])
    assert same_name(situ.asarray(x, usm_type="shared")) == same_name.py_func(x) == 16.0


def test_a_global_of_the_same_name_is_another() -> None:
    """What a comprehension calls `LEVEL` is not the global."""

    @situ.njit
    def function(n):
        values = [LEVEL + 0.5 for LEVEL in range(n)]
        return values[0] + LEVEL

    assert function(2) == 7.5


LEVEL = 7


@situ.njit
def growing(x):
    out = []
    for i in range(3):
        out.append(i * 2.0)
    return np.array(out)


@situ.njit
def catching(x):
    try:
        return x + 1.0
    except ValueError:
        return x


@situ.njit
def generated(x):
    return sum(i for i in range(3))


@situ.njit
def by_name(x, **options):
    return x


@pytest.mark.parametrize(
    ("function", "offset", "what", "way_out"),
    [
        (growing, 4, "`append`", "make an array that is large enough"),
        (catching, 2, "cannot catch exceptions", "catch around the call"),
        (generated, 2, "generator expression", "write a `for` loop"),
        (by_name, 1, "cannot take `**kwargs`", "name each parameter"),
    ],
    ids=["append", "try", "generator", "kwargs"],
)
def test_what_is_refused_has_a_line_and_a_way_out(function, offset, what, way_out) -> None:
    """Never a silent way through the interpreter."""
    with pytest.raises(situ.KernelError) as caught:
        function(situ.ones(3))
    message = str(caught.value)
    assert what in message
    assert way_out in message
    assert f"{__file__}:{function.__wrapped__.__code__.co_firstlineno + offset}" in message


def test_tuples_in_rounds_of_prange(device) -> None:
    """Where they are numbers, the kernel has them."""

    @situ.njit
    def weighted(x, out, *weights):
        for i in prange(x.shape[0]):
            s = 0.0
            for w in weights:
                s += w * x[i]
            out[i] = s
        return out

    x = situ.asarray(np.arange(3.0), device=device)
    out = weighted(x, situ.zeros(3, device=device), 1.0, 2.5)
    np.testing.assert_allclose(out.to_numpy(), np.arange(3.0) * 3.5)


@situ.njit
def same_shapes(x, y):
    if x.shape == y.shape:
        return np.sum(x + y)
    return -1.0


@situ.njit
def by_mode(x, mode):
    if mode == "double":
        return x * 2.0
    if mode != "same":
        raise ValueError("no such mode")
    return x


@situ.njit
def by_dtype(x):
    return x.dtype == "float64", x.shape != (3,), x.dtype != np.int32


def test_shapes_dtypes_and_texts_are_compared(device) -> None:
    """As Python compares them."""
    x = situ.asarray(np.arange(3.0), device=device)
    assert same_shapes(x, x) == 6.0
    assert same_shapes(x, situ.ones(4, device=device)) == -1.0
    np.testing.assert_array_equal(by_mode(x, "double").to_numpy(), [0, 2, 4])
    np.testing.assert_array_equal(by_mode(x, "same").to_numpy(), [0, 1, 2])
    with pytest.raises(ValueError, match="no such mode"):
        by_mode(x, "other")
    assert by_dtype(x) == (True, False, True)


def test_texts_have_no_order() -> None:
    """A refusal with the line."""

    @situ.njit
    def ordered(x, mode):
        if mode < "b":
            return x
        return x + 1.0

    with pytest.raises(situ.KernelTypeError, match=r'cannot be compared .*: `mode < "b"`'):
        ordered(situ.ones(2), "a")
