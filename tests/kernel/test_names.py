"""Names from outside of a kernel: globals, closures, modules, device functions."""

import math
import types

import numpy as np
import pytest

import situ
from situ import get_global_id

SCALE = 3
SIZES = (2, 4)
SINGLE = np.float32(0.1)
ELEMENT = np.float32
TABLE = {1: 2}
settings = types.ModuleType("settings")
settings.WIDTH = 5


class Options:
    """Constants in a class."""

    DEPTH = 7


@situ.device_func
def square(x):
    """Return the square."""
    return x * x


@situ.device_func
def norm(x, y):
    return math.sqrt(square(x) + square(y))


def run(kernel, *arguments, size=1, dtype="float64"):
    """Run a kernel on an output array and give the output."""
    out = situ.asarray(np.zeros(size, dtype))
    kernel[1](out, *arguments)
    return out.to_numpy()


def test_globals_are_constants():
    @situ.kernel
    def kernel(out):
        out[0] = SCALE * SIZES[1] + len(SIZES)
        out[1] = SINGLE
        out[2] = ELEMENT(0.1)

    values = run(kernel, size=3)
    np.testing.assert_array_equal(
        values, [14, np.float64(np.float32(0.1)), np.float64(np.float32(0.1))]
    )


def test_closures_win_over_globals():
    def make(SCALE):
        @situ.kernel
        def kernel(out):
            out[0] = SCALE

        return kernel

    assert [run(make(value))[0] for value in (1, 2.5)] == [1, 2.5]


def test_values_are_those_of_the_first_call():
    factor = 2

    @situ.kernel
    def kernel(out, x):
        out[0] = factor * x

    assert run(kernel, 1)[0] == 2
    factor = 3
    assert run(kernel, 1)[0] == 2
    assert run(kernel, 1.0)[0] == 2


def test_constants_of_modules_and_classes_are_known():
    @situ.kernel
    def kernel(out):
        out[0] = settings.WIDTH * Options.DEPTH + math.pi

    assert run(kernel)[0] == 35 + math.pi


def test_functions_may_be_imported_by_name():
    from math import floor

    from numpy import arctan2, sin

    cosine = math.cos

    @situ.kernel
    def kernel(out, x):
        i = get_global_id(0)
        out[i] = sin(x) + cosine(x) + floor(x) + arctan2(x, 1.0) + situ.exp(x)

    x = 1.5
    expected = np.sin(x) + np.cos(x) + 1 + np.arctan2(x, 1) + np.exp(x)
    np.testing.assert_allclose(run(kernel, x)[0], expected, rtol=1e-15)


def test_device_functions_call_each_other_and_stay_python_functions():
    @situ.kernel
    def kernel(out, x):
        out[0] = norm(x, 4)

    assert run(kernel, 3)[0] == 5
    assert norm(3, 4) == 5
    assert square.__name__ == "square"
    assert square.__doc__ == "Return the square."


def test_device_functions_are_specialised_for_their_arguments():
    @situ.kernel
    def kernel(out, n):
        out[0] = square(n) + square(n / 6)

    assert run(kernel, 3)[0] == 9.25
    ir = kernel.inspect()
    assert "device square(x: i64) -> i64" in ir
    assert "device square_1(x: f64) -> f64" in ir


def test_unsupported_globals_are_named():
    @situ.kernel
    def kernel(out):
        out[0] = TABLE[1] + run(out)

    with pytest.raises(situ.KernelError) as caught:
        run(kernel)
    message = str(caught.value)
    assert "the global `TABLE`, which is a dict" in message
    assert "the global `run`, which is a Python function" in message
    assert "decorate `run` with `@situ.device_func`" in message


def test_unused_names_do_not_matter():
    strange = object()

    @situ.kernel
    def kernel(out):
        if SCALE > 100:
            out[0] = strange
        out[0] = 1

    assert run(kernel)[0] == 1


def test_a_kernel_cannot_call_a_kernel():
    @situ.kernel
    def inner(out):
        out[0] = 1

    @situ.kernel
    def outer(out):
        inner(out)

    with pytest.raises(situ.KernelError, match="`inner`, which is a kernel"):
        run(outer)


def test_recursive_device_functions_are_refused():
    @situ.device_func
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    @situ.kernel
    def kernel(out, n):
        out[0] = factorial(n)

    with pytest.raises(situ.KernelError, match="`factorial` calls itself"):
        run(kernel, 5)
