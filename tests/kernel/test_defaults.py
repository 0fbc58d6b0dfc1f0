"""What parameters of device functions are if no argument is given."""

import math

import numpy as np
import pytest
from places import driver_devices

import situ

FACTOR = 3
PAIR = (2, 5)
HALF = np.float32(0.5)


@pytest.fixture(params=["native", "reference", *driver_devices()])
def place(request):
    return request.param


@situ.device_func
def doubled(x):
    return 2 * x


@situ.device_func
def many(x, sign=-1, factor=2 * FACTOR, pair=PAIR, dtype=np.float32, f=doubled, half=HALF):
    return sign * dtype(x * factor + pair[0] * pair[1]) + f(half)


def test_defaults_are_what_python_evaluated(place):
    offset = 7

    @situ.device_func
    def closed(x, by=offset + 1, angle=math.pi):
        return x + by + math.cos(angle)

    @situ.kernel
    def kernel(out):
        i = situ.get_global_id(0)
        out[0, i] = many(i)
        out[1, i] = many(i, 1, dtype=situ.int32)
        out[2, i] = many(i, pair=(1, i))
        out[3, i] = closed(i)
        out[4, i] = closed(i, angle=0)

    offset = 1000
    out = situ.zeros((5, 4), dtype="float32", device=place)
    kernel[4](out)
    i = np.arange(4)
    expected = [-(i * 6 + 10) + 1, i * 6 + 11, -(i * 6 + i) + 1, i + 7, i + 9]
    np.testing.assert_allclose(out.to_numpy(), np.asarray(expected, np.float32), rtol=1e-6)


def test_defaults_of_functions_inside(place):
    shift = 4

    @situ.kernel
    def kernel(out):
        def inner(x, by=2 * FACTOR + shift, f=doubled, dtype=situ.int32):
            return dtype(f(x) + by)

        i = situ.get_global_id(0)
        scaled = lambda x, by=-FACTOR: x * by  # noqa: E731
        out[i] = inner(i) + inner(i, 0) * scaled(i)

    out = situ.zeros(4, dtype="float32", device=place)
    kernel[4](out)
    i = np.arange(4)
    np.testing.assert_array_equal(out.to_numpy(), 2 * i + 10 + 2 * i * (-3 * i))


def test_defaults_of_inner_functions_are_constants():
    @situ.kernel
    def kernel(out):
        i = situ.get_global_id(0)

        def inner(x, by=i):
            return x + by

        out[i] = inner(i)

    with pytest.raises(situ.exceptions.KernelError) as caught:
        kernel[1](situ.zeros(1))
    assert "K027" in str(caught.value)
    assert "pass the value at each call" in str(caught.value)


def test_a_default_without_a_meaning_matters_only_if_it_is_used():
    @situ.device_func
    def named(x, how=None):
        return x + 1

    @situ.kernel
    def given(out):
        out[0] = named(out[0], 3)

    @situ.kernel
    def not_given(out):
        out[0] = named(out[0])

    out = situ.zeros(1, device="native")
    given[1](out)
    assert out.to_numpy()[0] == 1
    with pytest.raises(situ.exceptions.KernelError, match="`how`"):
        not_given[1](out)


def test_defaults_in_njit():
    @situ.njit
    def helper(x, by=2 * FACTOR, *, angle=math.pi):
        return x * by + math.cos(angle)

    @situ.njit
    def outer(x):
        def inner(y, by=FACTOR + 1):
            return y + by

        total = 0.0
        for k in range(3):
            total += helper(k) + helper(k, 2, angle=0.0) + inner(k) + inner(k, 0)
        return inner(x) * total

    total = sum(6 * k - 1 + 2 * k + 1 + 2 * k + 4 for k in range(3))
    x = np.arange(3.0)
    np.testing.assert_allclose(outer(x), (x + 4) * total)
