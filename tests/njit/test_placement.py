"""Where the parts of an njit function run, and the kind of memory of results (R27 to R32)."""

import itertools
import sys
import threading

import numpy as np
import pytest

import situ
from situ import prange
from situ.testing import virtual_devices

KINDS = ["device", "shared", "host"]


def lowest(*kinds):
    """Return the kind of a result: device before shared before host (R6)."""
    return min(kinds, key=KINDS.index)


def expression(a, b):
    return a * b + 1.0


def statements(a, b):
    doubled = a + a
    return doubled * b


def product(a, b):
    return a @ b


def reduction(a, b):
    return np.sum(a * b, axis=0)


def choice(a, b):
    return np.where(a > 0.0, a, b)


def joined(a, b):
    return np.concatenate((a, b))


def with_constants(a, b):
    return np.full(3, 2.0) * a[0] + b[1]


@pytest.mark.parametrize(
    "function",
    [expression, statements, product, reduction, choice, joined, with_constants],
    ids=lambda function: function.__name__,
)
def test_results_have_the_lowest_kind_of_their_operands(function, device) -> None:
    """As results of the same expressions outside of njit functions have."""
    compiled = situ.njit(function)
    for first, second in itertools.product(KINDS, KINDS):
        a = situ.ones((3, 3), device=device, usm_type=first)
        b = situ.ones((3, 3), device=device, usm_type=second)
        result = compiled(a, b)
        assert result.usm_type == lowest(first, second), (first, second)
        assert result.queue == a.queue
        np.testing.assert_allclose(
            result.to_numpy(), function(np.ones((3, 3)), np.ones((3, 3))), rtol=1e-6
        )


@situ.njit
def parts(a, b):
    return a + 1.0, np.sort(b), b[0].copy(), np.zeros(2), np.zeros_like(b)


def test_each_expression_has_the_kind_of_its_own_operands(device) -> None:
    """What has no operands is where the first array argument is."""
    for first, second in itertools.permutations(KINDS, 2):
        a = situ.ones((2, 2), device=device, usm_type=first)
        b = situ.ones((2, 2), device=device, usm_type=second)
        kinds = [result.usm_type for result in parts(a, b)]
        assert kinds == [first, second, second, first, second]


@situ.njit
def rounds(a, b, out):
    total = 0.0
    for i in prange(a.shape[0]):
        out[i] = a[i] * b[i]
        total += a[i]
    return total


def test_kinds_mix_in_loops_over_prange(device) -> None:
    """Nothing is copied: the loop writes into the array that is there."""
    for kinds in itertools.product(KINDS, repeat=3):
        a, b, out = (situ.ones(4, device=device, usm_type=kind) for kind in kinds)
        assert rounds(a, b * 3.0, out) == 4.0
        np.testing.assert_array_equal(out.to_numpy(), [3, 3, 3, 3])
        assert out.usm_type == kinds[2]


def test_expressions_on_two_devices_run_on_two_devices() -> None:
    """Each is placed by itself (R28), with its own kind of memory."""

    @situ.njit
    def both(a, b):
        return a * 2.0 + a, np.exp(b)

    with virtual_devices("gpu:2") as (one, other):
        a = situ.ones(3, device=one, usm_type="shared")
        b = situ.zeros(3, device=other, usm_type="device")
        first, second = both(a, b)
        assert (first.device, first.usm_type) == (one, "shared")
        assert (second.device, second.usm_type) == (other, "device")
        np.testing.assert_array_equal(first.to_numpy(), [3, 3, 3])
        np.testing.assert_array_equal(second.to_numpy(), [1, 1, 1])


@situ.njit
def remainders(n):
    found = 0
    for i in range(n):
        found = (found * 3 + i) % 1000003
    return found


@situ.njit
def last_remainder(x, n):
    found = 0.0
    for i in range(n):
        found = (found * 3.0 + x[i % 4]) % 1009.0
    return found


@pytest.mark.parametrize(
    ("function", "arguments"),
    [(remainders, ()), (last_remainder, (situ.ones(4, usm_type="shared"),))],
    ids=["numbers", "elements"],
)
def test_other_threads_run_while_a_compiled_loop_does(function, arguments) -> None:
    """The GIL is free: who waits for it gets it, though nobody who has it is asked to yield."""
    function(*arguments, 10)
    gate, arrived = threading.Lock(), []
    gate.acquire()

    def other() -> None:
        gate.acquire()
        arrived.append(True)

    thread = threading.Thread(target=other)
    thread.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    try:
        gate.release()
        sum(range(1_000_000))
        arrived_during_python = bool(arrived)
        for _ in range(50):
            function(*arguments, 5_000_000)
            if arrived:
                break
        arrived_during_loop = bool(arrived)
    finally:
        sys.setswitchinterval(interval)
        thread.join()
    # Python's own loop kept the GIL; the compiled one did not.
    assert not arrived_during_python
    assert arrived_during_loop
