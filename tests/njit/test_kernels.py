"""Kernels and functions of other files, called by njit functions."""

import numpy as np

import situ


@situ.kernel
def double(x):
    i = situ.get_global_id(0)
    x[i] = 2.0 * x[i]


@situ.njit
def through_kernels(x):
    before = x + 1.0
    double(x)
    double[x.shape[0] // 2](x)
    situ.call_kernel(double, 1, x)
    return before


def test_kernels_run_in_their_turn(device: situ.Device) -> None:
    """What waited for the elements sees them as they were."""
    x = situ.ones(4, device=device)
    before = through_kernels(x)
    np.testing.assert_array_equal(before.to_numpy(), [2.0, 2.0, 2.0, 2.0])
    np.testing.assert_array_equal(x.to_numpy(), [8.0, 4.0, 2.0, 2.0])


def test_names_mean_what_they_mean_around_each_function() -> None:
    """A function of another file has its own globals."""
    namespace = {"square_root": np.sqrt, "__name__": "elsewhere"}

    def length(x, y):
        return square_root(x * x + y * y)  # type: ignore[name-defined]  # noqa: F821

    elsewhere = type(length)(length.__code__, namespace, "length")
    length_njit = situ.njit(elsewhere)

    @situ.njit
    def lengths(x, y):
        total = 0.0
        for i in range(x.shape[0]):
            total += length_njit(x[i], y[i])
        return total

    assert lengths(situ.full(3, 3.0), situ.full(3, 4.0)) == 15.0


def test_kernels_take_arguments_by_name():
    @situ.kernel
    def fill(out, value=3, scale=2):
        out[situ.get_global_id(0)] = value * scale

    @situ.njit
    def filled(out, n):
        fill[1](out, scale=n)
        fill[1](out[1:], value=1)
        fill(scale=n, out=out[2:], value=n)
        return out

    np.testing.assert_array_equal(filled(situ.zeros(4), 5).to_numpy(), [15, 2, 25, 25])
