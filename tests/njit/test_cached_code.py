"""What is compiled for one call serves another one only if nothing that it depends on differs."""

import numpy as np
import pytest

import situ


def captured(x, k):
    def inner(v):
        return v * k

    y = x + 1.0
    total = 0.0
    for i in range(3):
        total += inner(x[i])
    return total, np.sum(y)


def captured_array(x, k):
    def inner(i):
        return k[i]

    y = np.sort(x)
    total = 0.0
    for i in range(3):
        total += inner(i) * 10.0**i
    return total, np.sum(y)


def test_numbers_that_inner_functions_read() -> None:
    function = situ.njit(captured)
    x = np.array([1.0, 2.0, 3.0])
    for k in (2, 2.5, True, np.float32(0.5), 3):
        assert function(situ.asarray(x), k) == captured(x, k)


def test_arrays_that_inner_functions_read() -> None:
    """Their dtypes and how their elements lie are part of what is compiled."""
    function = situ.njit(captured_array)
    x = np.array([1.0, 2.0, 3.0])
    device = situ.asarray(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
    for k in (device[:3], device[::2], device[::-1], device.astype("float32"), device > 2):
        assert function(situ.asarray(x), k) == captured_array(x, np.asarray(k))


@pytest.mark.parametrize("is_contiguous", [True, False])
def test_layouts_of_loops(is_contiguous: bool) -> None:
    @situ.njit
    def function(x):
        total = 0.0
        for i in situ.prange(x.shape[0]):
            total += x[i] * (i + 1)
        return total

    x = situ.asarray(np.arange(8.0))
    views = [x[:4], x[::2], x[::-1][:4]]
    for view in views if is_contiguous else reversed(views):
        host = np.asarray(view)
        assert function(view) == np.sum(host * np.arange(1, 5))
