"""Statements between array operations, where the machine has to keep track of names."""

import numpy as np
import pytest

import situ
from situ import prange

X = np.arange(12.0).reshape(3, 4) + 1.0


def updated_rows(x):
    out = np.ones(x.shape)
    for i in range(x.shape[0]):
        out[i, :] += np.sort(x[i])
    return out


def updated_last(x):
    y = x.copy()
    i = 1
    y[i] *= 2.0
    return y


def updated_by_product(x):
    y = x @ x.T
    y @= y
    return y


def rounded(x):
    return x * 2.0, round(x[0, 0] / 3.0, 2), divmod(7, 3)


def member(x):
    if len(x) in (3, 5) and x.ndim not in (1, 4):
        return x * 2.0
    return x


def weights(x):
    w = [0.5, 2.0, 3]
    total = 0.0
    for i in range(3):
        total += w[i] * x[i, 0] - w[-i - 1]
    return total


def under_two_names(x):
    y = x * 2.0
    same = y
    y += 1.0
    z = x + 1.0
    z += y
    return same, y, z


def let_go(x):
    y = x * 2.0
    z = y + 1.0
    del y
    return z


def defined_in_between(x):
    factor = 2.0

    def scaled(v):
        return v * factor

    start = 1.0
    y = x * start
    total = 0.0
    for i in range(x.shape[0]):
        total += scaled(x[i, 0])
    return y, total


@pytest.mark.parametrize(
    "function",
    [
        updated_rows,
        updated_last,
        updated_by_product,
        rounded,
        member,
        weights,
        under_two_names,
        let_go,
        defined_in_between,
    ],
)
def test_statements_are_pythons(function) -> None:
    """On situ arrays and on NumPy's."""
    expected = function(X.copy())
    for found in (situ.njit(function)(situ.asarray(X)), situ.njit(function)(X.copy())):
        found = found if isinstance(found, tuple) else (found,)
        wanted = expected if isinstance(expected, tuple) else (expected,)
        for one, other in zip(found, wanted, strict=True):
            host = one.to_numpy() if isinstance(one, situ.ndarray) else one
            np.testing.assert_allclose(host, other, rtol=1e-12)


@pytest.mark.parametrize("n", [1, 5])
def test_a_constant_by_name_is_not_taken_for_a_literal(n: int) -> None:
    """Compiled code that was made for one value is not used for another."""

    @situ.njit
    def f(x, n):
        y = x * 2.0
        first, second = 2, 7
        if n > 3:
            first, second = 5, 3
        return y, divmod(first, second)

    for count in (n, 6 - n):
        expected = divmod(5, 3) if count > 3 else divmod(2, 7)
        assert f(situ.ones(2), count)[1] == expected


def test_a_name_without_a_value_is_reported() -> None:
    """As Python does."""

    @situ.njit
    def f(x, n):
        if n > 2:
            y = x * 2.0
        return y + 1.0

    np.testing.assert_array_equal(f(situ.ones(2), 3).to_numpy(), [3.0, 3.0])
    with pytest.raises(UnboundLocalError, match="`y` has no value here"):
        f(situ.ones(2), 1)


def test_a_variable_stays_an_array_or_a_number() -> None:
    """In words of functions, not of kernels."""

    @situ.njit
    def f(x, n):
        y = x
        if n > 2:
            y = 3.0
        return y + 1.0

    with pytest.raises(situ.KernelError, match="`y` is an array and cannot be assigned") as caught:
        f(situ.ones(2), 3)
    assert "work-item" not in str(caught.value)


def test_lists_do_not_grow() -> None:
    """The message says what to do instead."""

    @situ.njit
    def f(x):
        out = []
        y = x * 2.0
        out.append(y)
        return out

    with pytest.raises(situ.KernelTypeError, match="have no methods in njit functions"):
        f(situ.ones(2))


def test_members_that_do_not_exist_are_named_with_their_line() -> None:
    """Methods and attributes."""

    @situ.njit
    def method(x):
        return x.frobnicate()

    @situ.njit
    def attribute(x):
        return x.frobnicated

    for function in (method, attribute):
        with pytest.raises(AttributeError, match=r"frobnicate.*(?s:.*)test_statements\.py:\d+"):
            function(situ.ones(2))


def test_exceptions_are_raised_in_rounds_of_prange(device) -> None:
    """With their class and message, at the line that runs them; of several rounds one wins."""

    @situ.njit
    def f(x):
        for i in prange(x.shape[0]):
            if x[i] > 2.0:
                raise ValueError(f"too large: {x[i]}")
        return x

    f(situ.ones(4, device=device))
    with pytest.raises(ValueError, match=r"too large: 3\.0"):
        f(situ.asarray(np.array([1.0, 3.0]), device=device))
    with pytest.raises(ValueError, match=r"too large: [3-9]\.0"):
        f(situ.asarray(np.arange(10.0), device=device))
    # What is around it goes on.
    assert float(np.sum(f(situ.ones(4, device=device)))) == 4.0


def test_exceptions_are_raised_in_functions_that_rounds_call(device) -> None:
    """A round ends where the function that it calls has raised."""

    @situ.njit
    def checked(value):
        if value < 0.0:
            raise ValueError(f"negative: {value}")
        return np.sqrt(value)

    @situ.njit
    def f(x, out):
        for i in prange(x.shape[0]):
            out[i] = checked(x[i]) + checked(x[i] + 1.0)
        return out

    x = situ.asarray(np.array([4.0, 9.0]), device=device)
    out = situ.zeros(2, device=device)
    np.testing.assert_allclose(f(x, out).to_numpy(), np.sqrt([4.0, 9.0]) + np.sqrt([5.0, 10.0]))
    with pytest.raises(ValueError, match=r"negative: -[1-4]\.0"):
        f(situ.asarray(np.arange(-4.0, 0.0), device=device), situ.zeros(4, device=device))
    assert float(f(x, out)[0]) == pytest.approx(2.0 + np.sqrt(5.0))
