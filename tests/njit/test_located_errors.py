"""Every error of an njit function says where: the line, and which part of it (R30, R33)."""

import numpy as np
import pytest

import situ
from situ import prange
from situ.testing import virtual_devices


@situ.njit
def sum_of_parts(a, b, c):
    t = a * 2.0
    return np.sqrt(t + b) * c


@situ.njit
def product_of_sums(a, b, c):
    return (a + c) * (a - b)


@situ.njit
def reduced(a, b, c):
    return np.sum(a * c + 1.0) + np.max(b * c)


@situ.njit
def matrices(a, b, c):
    return np.sum(a[:, None] @ b[:, None]) + c


@situ.njit
def stored(a, b, c):
    a[1:3] = b + 1.0
    return a


@situ.njit
def in_place(a, b, c):
    a += b
    return a


@situ.njit
def in_a_function(a, b, c):
    return sum_of_parts(a, b, c) + 1.0


@situ.njit
def bits(a, b, c):
    t = a + 1
    return t & c


@situ.njit
def assigned_in_a_loop(a, b, c):
    for i in range(2):
        a[:] = b * i
    return a


def line_of(function, offset):
    return function.__wrapped__.__code__.co_firstlineno + offset


@pytest.mark.parametrize(
    ("function", "offset", "part", "shapes"),
    [
        (sum_of_parts, 3, "`t + b`", ["(3,)", "(4,)"]),
        (product_of_sums, 2, "`a - b`", ["(3,)", "(4,)"]),
        (reduced, 2, "`b * c`", ["(3,)", "(4,)"]),
        (matrices, 2, "`a[:, None] @ b[:, None]`", ["(3, 1)", "(4, 1)"]),
        (stored, 2, "`a[1:3] = b + 1.0`", ["(2,)", "(4,)"]),
        (in_place, 2, "`a += b`", ["(3,)", "(4,)"]),
        (assigned_in_a_loop, 3, "`a[:] = b * i`", ["(3,)", "(4,)"]),
    ],
    ids=lambda each: getattr(each, "__name__", None),
)
def test_shapes_that_do_not_fit(function, offset, part, shapes, device) -> None:
    """The smallest part that is wrong, its line, both shapes, the reason and a way out."""
    a, b, c = (situ.ones(size, device=device) for size in (3, 4, 3))
    with pytest.raises(situ.ShapeError) as caught:
        function(a, b, c)
    message = str(caught.value)
    name = function.__name__
    place = f"{__file__}:{line_of(function, offset)}, in njit function `{name}`: {part}"
    assert f"\n  at:   {place}" in message
    for shape in shapes:
        assert shape in message
    assert "\n  why:  " in message
    assert "\n  help: " in message
    # The queue goes on.
    assert float(np.sum(a)) == 3.0


def test_a_function_that_is_called_is_the_place() -> None:
    """The line that is wrong, and not the one that calls."""
    with pytest.raises(situ.ShapeError) as caught:
        in_a_function(situ.ones(3), situ.ones(4), situ.ones(3))
    assert f":{line_of(sum_of_parts, 3)}, in njit function `sum_of_parts`" in str(caught.value)


def test_dtypes_that_do_not_fit() -> None:
    """Both dtypes are named."""
    a, c = situ.ones(3, dtype="int64"), situ.ones(3, dtype="float32")
    with pytest.raises(situ.DTypeError) as caught:
        bits(a, a, c)
    message = str(caught.value)
    assert "int64 and float32" in message
    assert f"{__file__}:{line_of(bits, 3)}, in njit function `bits`: `t & c`" in message
    assert "\n  help: " in message


def test_arrays_of_numpy_and_situ_do_not_meet() -> None:
    """Refused before the first statement runs, with the expression and its line (R30)."""

    @situ.njit
    def mixed(x, host):
        x += 1.0
        return np.sum(x * 2.0 + host)

    x = situ.ones(3)
    with pytest.raises(situ.KernelTypeError) as caught:
        mixed(x, np.ones(3))
    message = str(caught.value)
    assert "mixes NumPy and situ arrays: `x * 2.0 + host`" in message
    assert f"{__file__}:{line_of(mixed, 3)}" in message
    assert "situ.asarray" in message
    np.testing.assert_array_equal(x.to_numpy(), np.ones(3))


def test_arrays_of_two_devices_do_not_meet() -> None:
    """With the expression, both devices and a way out (R28, R4)."""

    @situ.njit
    def both(a, b):
        return a * 2.0 + b

    with virtual_devices("gpu:2") as (one, other):
        with pytest.raises(situ.PlacementError) as caught:
            both(situ.ones(3, device=one), situ.ones(3, device=other))
        message = str(caught.value)
    assert "virtual:gpu:0" in message
    assert "virtual:gpu:1" in message
    assert f"{__file__}:{line_of(both, 2)}" in message
    assert "\n  help: " in message


def test_failed_assertions_are_those_of_a_function() -> None:
    """Which has no work-items that would go on."""

    @situ.njit
    def checked(x):
        assert x.shape[0] > 3, f"only {x.shape[0]}"
        return np.sum(x)

    with pytest.raises(AssertionError) as caught:
        checked(situ.ones(2))
    message = str(caught.value)
    assert message.startswith("an assertion of njit function `checked` failed: only 2\n")
    assert f"`x.shape[0] > 3` does not hold, at {__file__}:{line_of(checked, 2)}" in message
    assert "work-item" not in message
    assert checked(situ.ones(4)) == 4.0


def test_failed_assertions_of_rounds_name_the_round() -> None:
    """Rounds are work-items."""

    @situ.njit
    def checked(x):
        for i in prange(x.shape[0]):
            assert x[i] > 0.0
            x[i] = 1.0 / x[i]

    x = situ.asarray(np.array([1.0, 0.0, 2.0]))

    def run() -> None:
        checked(x)
        x.queue.wait()

    with pytest.raises(situ.KernelAssertionError, match=r"work-item \(1,\)"):
        run()
