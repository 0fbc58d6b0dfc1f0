"""What cannot be compiled or does not fit together is an error that names the line."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import situ
from situ import prange
from situ.testing import virtual_devices


def test_python_that_cannot_be_compiled_is_refused_with_its_line() -> None:
    """Never a silent way through the interpreter."""

    @situ.njit
    def build(x):
        return {"x": x}

    with pytest.raises(situ.KernelError, match="cannot make a dict"):
        build(situ.ones(3))


def test_shapes_that_do_not_fit_name_the_expression_and_both_shapes() -> None:
    """Also where the expression is computed later."""

    @situ.njit
    def f(a, b, c):
        t = a * 2.0
        return t + (b - c)

    with pytest.raises(situ.ShapeError) as caught:
        f(situ.ones(3), situ.ones(4), situ.ones(5))
    message = str(caught.value)
    assert "(4,)" in message
    assert "(5,)" in message
    assert "`b - c`" in message


def test_arrays_of_queues_that_are_not_equivalent() -> None:
    """As everywhere in situ."""

    @situ.njit
    def f(a, b):
        return a + b

    with virtual_devices("gpu:2") as (first, second), pytest.raises(situ.PlacementError):
        f(situ.ones(3, device=first), situ.ones(3, device=second))


def test_each_expression_runs_where_its_own_arrays_are() -> None:
    """Two devices in one function."""

    @situ.njit
    def f(a, b):
        return a + 1.0, b * 2.0

    native = situ.ones(3, device="native")
    reference = situ.ones(3, device="reference")
    left, right = f(native, reference)
    assert left.device == situ.Device("native")
    assert right.device == situ.Device("reference")


@situ.njit
def checked(n):
    if n < 0:
        raise ValueError(f"negative: {n}")
    return n * 2


@situ.njit
def checked_array(x, n):
    y = x + 1.0
    if n < 0:
        raise ValueError("negative")
    return y


def test_exceptions_are_raised_from_compiled_code() -> None:
    """With their class and message."""
    assert checked(4) == 8
    with pytest.raises(ValueError, match="negative: -3"):
        checked(-3)


def test_exceptions_are_raised_between_array_statements() -> None:
    """With their class and message."""
    np.testing.assert_array_equal(checked_array(situ.ones(2), 1).to_numpy(), [2.0, 2.0])
    with pytest.raises(ValueError, match="negative"):
        checked_array(situ.ones(2), -1)


def test_a_variable_of_two_types_is_refused() -> None:
    """In compiled code every variable has one type."""

    @situ.njit
    def f(n):
        x = 1
        if n > 2:
            x = (1, 2)
        return x

    with pytest.raises(situ.KernelError):
        f(3)


def test_rounds_of_prange_that_need_each_other_are_refused() -> None:
    """They run at the same time."""

    @situ.njit
    def f(x):
        last = 0.0
        for i in prange(x.shape[0]):
            last = last * 0.5 + x[i]
            x[i] = last
        return last

    with pytest.raises(situ.KernelError, match="handed from one round"):
        f(situ.ones(3))


def test_prange_cannot_be_left() -> None:
    """Other rounds are on their way."""

    @situ.njit
    def f(x):
        for i in prange(x.shape[0]):
            if x[i] > 2.0:
                break
        return 0

    with pytest.raises(situ.KernelError, match="left early"):
        f(situ.ones(3))


def test_unknown_names_are_named() -> None:
    """With the function that uses them."""

    @situ.njit
    def f(x):
        return x + undefined_thing  # noqa: F821

    with pytest.raises(NameError, match="undefined_thing"):
        f(situ.ones(3))


def test_python_functions_cannot_be_called() -> None:
    """They would need the interpreter."""

    def plain(x):
        return x

    @situ.njit
    def f(x):
        return plain(x)

    with pytest.raises(situ.KernelTypeError, match="calls a Python function, `plain`"):
        f(situ.ones(3))


def test_the_wrong_number_of_arguments() -> None:
    """As Python says it."""

    @situ.njit
    def f(x, y=2.0):
        return x + y

    assert f(1.0) == 3.0
    assert f(x=1.0, y=5.0) == 6.0
    with pytest.raises(TypeError, match="missing a required argument"):
        f()


def test_inspect_tells_what_runs_where() -> None:
    """Line by line."""

    @situ.njit
    def f(a, b):
        t = a * b + 1.0
        total = 0.0
        for i in prange(a.shape[0]):
            total += a[i]
        return np.sum(t) + total

    assert "has not run yet" in f.inspect()
    f(situ.ones(3), situ.ones(3))
    plan = f.inspect()
    assert "kernel of 2 operations" in plan
    assert "`prange` as a kernel that reduces total" in plan


def test_arrays_that_are_written_are_read_before() -> None:
    """An expression that waits sees the elements as they were."""

    @situ.njit
    def f(a):
        doubled = a * 2.0
        a[:] = 0.0
        return doubled

    x = situ.ones(3)
    np.testing.assert_array_equal(f(x).to_numpy(), [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(x.to_numpy(), [0.0, 0.0, 0.0])


def test_two_names_of_one_array_see_the_same_elements() -> None:
    """As in Python."""

    @situ.njit
    def f(a):
        b = a
        b += 1.0
        return a

    x = situ.ones(3)
    np.testing.assert_array_equal(f(x).to_numpy(), [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(x.to_numpy(), [2.0, 2.0, 2.0])


@situ.njit
def first_and_sum(x):
    first = x[0]
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i]
    return first + total


@situ.njit
def first(x):
    return x[0] * 2.0


def test_code_for_near_arrays_is_not_run_on_far_ones() -> None:
    """The types are the same, but the host cannot reach the elements."""
    assert first_and_sum(situ.ones(1000)) == 1001.0
    assert first(situ.ones(3)) == 2.0
    with virtual_devices("gpu") as (device,):
        far = situ.ones(1000, device=device, usm_type="device")
        with pytest.raises(situ.KernelTypeError, match="which the host cannot reach"):
            first_and_sum(far)
        assert first(far) == 2.0


@situ.njit
def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def test_functions_may_call_themselves() -> None:
    """As deep as it takes, within reason."""
    assert fibonacci(12) == 144


@situ.njit
def halved(n):
    if n % 2 == 1:
        raise ValueError(f"odd: {n}")
    return n // 2


@situ.njit
def halvings(n):
    count = 0
    while n != 0:
        n = halved(n)
        count += 1
    return count


def test_exceptions_end_the_callers_of_compiled_code() -> None:
    """A caller that went on with a result that is none might never end."""

    @situ.njit
    def forever(n):
        while n > 0:
            n = halved(n) + 2
        return n

    with pytest.raises(ValueError, match="odd: 3"):
        halvings(12)
    with pytest.raises(ValueError, match="odd: 5"):
        forever(12)


@situ.njit
def endless(n):
    return endless(n + 1)


def test_calls_without_end_are_an_error() -> None:
    """As in Python."""
    with pytest.raises(RecursionError):
        endless(0)


@situ.njit
def last_of(n):
    for i in range(n):
        last = i * 1.5
        found = i > 1
    return last, found


def test_what_is_not_assigned_is_zero() -> None:
    """As for Numba, whose functions must work."""
    assert last_of(3) == (3.0, True)
    assert last_of(0) == (0.0, False)


def test_bounds_are_checked_when_asked_for() -> None:
    """The same switch as for kernels."""
    program = """
import situ

@situ.njit
def beyond(x):
    total = 0.0
    for i in range(5):
        total += x[i]
    return total

try:
    beyond(situ.ones(3))
except IndexError as error:
    assert "`beyond` reached outside of" in str(error), error
    print("refused")
"""
    environment = {**os.environ, "SITU_BOUNDS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "beyond.py"
        path.write_text(program)
        run = subprocess.run(
            [sys.executable, str(path)],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
    assert run.stdout == "refused\n", run.stderr


def loops_over_a_number(x):
    for v in x.size:
        x[0] = v
    return x


def methods_of_text(x):
    s = "a".upper()
    return x, s


def sums_of_text(x):
    return x, "a" + x


def asks_in_arrays(x):
    if 1.0 in x:
        return x
    return -x


def assigns_attributes(x):
    x.name = 1
    return x


def misspells(x):
    return np.sinn(x)


def counts_in_floats(x):
    for i in range(x.size / 2):
        x[i:] = x[i:] * 2.0
    return x


@pytest.mark.parametrize(
    "function",
    [
        loops_over_a_number,
        methods_of_text,
        sums_of_text,
        asks_in_arrays,
        assigns_attributes,
        misspells,
        counts_in_floats,
    ],
    ids=lambda function: function.__name__,
)
def test_refusals_say_why_and_what_to_do(function) -> None:
    """What happened, why, a way out and the line."""
    with pytest.raises(situ.KernelError) as caught:
        situ.njit(function)(situ.ones(4))
    message = str(caught.value)
    for part in ["why:", "help:", f"{Path(__file__).name}:"]:
        assert part in message, message
