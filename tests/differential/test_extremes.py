"""Elementwise functions at the limits of every float dtype against NumPy."""

import numpy as np
import pytest

import situ

DTYPES = ["float16", "float32", "float64"]

ONE = [
    *("abs", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "ceil"),
    *("cos", "cosh", "deg2rad", "exp", "exp2", "expm1", "fabs", "floor", "isfinite", "isinf"),
    *("isnan", "log", "log10", "log1p", "log2", "nan_to_num", "negative", "rad2deg"),
    *("reciprocal", "rint", "sign", "signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh"),
    "trunc",
]

TWO = [
    *("add", "arctan2", "copysign", "divide", "float_power", "fmod", "heaviside", "hypot"),
    *("logaddexp", "logaddexp2", "multiply", "power", "remainder", "subtract"),
]


def extremes(dtype):
    """Return zeros, the smallest and largest numbers, some between, infinities and NaN."""
    limits = np.finfo(dtype)
    numbers = [0, limits.smallest_subnormal, limits.tiny, limits.eps, 0.5, 1, 1.5, 2, 3, 10, 100]
    numbers += [np.sqrt(float(limits.max)), limits.max / 2, limits.max, np.inf]
    both = np.array([sign * float(number) for sign in (1, -1) for number in numbers] + [np.nan])
    return both.astype(dtype)


def assert_agrees(found, expected, ulps=8):
    """Compare values up to some units in the last place, and the signs of zeros."""
    found = found.to_numpy()
    assert found.dtype == expected.dtype
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected)
        return
    limits = np.finfo(expected.dtype)
    is_finite = np.isfinite(expected)
    np.testing.assert_array_equal(found[~is_finite], expected[~is_finite])
    found, expected = found[is_finite], expected[is_finite]
    wide = expected.astype(np.longdouble)
    allowed = ulps * np.longdouble(limits.eps) * np.abs(wide) + 2 * limits.smallest_subnormal
    assert np.all(np.abs(found.astype(np.longdouble) - wide) <= allowed)
    zero = (found == 0) & (expected == 0)
    np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(expected[zero]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_array(name, dtype):
    host = extremes(dtype)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(host)
    assert_agrees(getattr(situ, name)(situ.asarray(host)), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_arrays(name, dtype):
    numbers = extremes(dtype)
    hosts = [each.copy() for each in np.meshgrid(numbers, numbers)]
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(*hosts)
    assert_agrees(getattr(situ, name)(*map(situ.asarray, hosts)), expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_bessel_function(dtype):
    """In double precision NumPy is right up to where its exponential overflows.

    It has NaN for infinity.
    """
    host = extremes(dtype)
    host = np.concatenate([host, np.linspace(-90, 90, 37).astype(dtype)])
    with np.errstate(all="ignore"):
        expected = np.i0(host.astype(np.float64))
        expected[np.isinf(host)] = np.inf
        expected = expected.astype(dtype)
    assert_agrees(situ.i0(situ.asarray(host)), expected)


def test_bessel_function_where_the_exponential_overflows():
    # exp(x) / sqrt(2 pi x) * (1 + 1 / (8 x)), to first order.
    x = np.array([710.0, 712.0])
    wide = x.astype(np.longdouble)
    expected = np.exp(wide) / np.sqrt(2 * np.pi * wide) * (1 + 1 / (8 * wide))
    np.testing.assert_allclose(situ.i0(situ.asarray(x)).to_numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sinc(dtype):
    """Compared in double precision: NumPy rounds a multiple of pi to half precision first."""
    host = extremes(dtype)
    host = host[~(np.abs(host) > 1e4)]
    expected = np.sinc(host.astype(np.float64)).astype(dtype)
    found = situ.sinc(situ.asarray(host)).to_numpy()
    tiny = 4 * float(np.finfo(dtype).eps)
    np.testing.assert_allclose(found, expected, rtol=tiny, atol=tiny)
