"""Every reduction against NumPy: value, dtype, shape and refusal, over any axes and strides."""

import warnings

import numpy as np
import pytest
from differential.strategies import dtypes, views
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import situ

EXACT = {"all", "any", "count_nonzero", "max", "min"}
NAMES = [*sorted(EXACT), "mean", "nanprod", "nansum", "prod", "std", "sum", "var"]


@st.composite
def cases(draw):
    """Make a view, axes to reduce, and whether they stay."""
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    view = draw(views(shape, draw(dtypes)))
    axes = st.lists(st.integers(-len(shape), len(shape) - 1), max_size=len(shape)).map(tuple)
    one = st.integers(-len(shape), len(shape) - 1)
    axis = draw(st.none() | axes | one) if shape else None
    return view, axis, draw(st.booleans())


def outcome(function, *arguments, **keywords):
    """Call a function; give its result, or the built-in class of its exception."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*arguments, **keywords)
        except (ValueError, TypeError) as error:
            return ValueError if isinstance(error, ValueError) else TypeError


@pytest.mark.parametrize("name", NAMES)
@given(case=cases())
def test_reductions_agree_with_numpy(name, case):
    check_reduction(name, case, "native")


def check_reduction(name, case, device):
    """Reduce in NumPy and on a device, and compare."""
    view, axis, keepdims = case
    host = view.host
    expected = outcome(getattr(np, name), host, axis=axis, keepdims=keepdims)
    found = outcome(getattr(situ, name), view.on(device), axis=axis, keepdims=keepdims)
    if isinstance(expected, type) or isinstance(found, type):
        assert found == expected
        return
    expected = np.asarray(expected)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    assert_close(name, found.to_numpy(), expected, host, axis)


def assert_close(name, found, expected, host, axis):
    """Compare to the bit where there is no rounding, and else with what NumPy may have lost."""
    if expected.dtype.kind in "biu" or name in EXACT:
        np.testing.assert_array_equal(found, expected)
        return
    real = expected.real.dtype
    eps = float(np.finfo(real).eps)
    with np.errstate(all="ignore"):
        wide = host.astype("c16" if host.dtype.kind == "c" else "f8")
        # Numbers that cancel, or overflow on the way in NumPy, have no answer to compare with.
        size = np.nansum(np.abs(wide), axis=axis, keepdims=found.ndim == host.ndim)
        is_known = np.isfinite(expected) & np.isfinite(found)
        if name in {"sum", "nansum", "mean"}:
            error = np.abs(found.astype("c16") - expected.astype("c16"))
            bound = 64 * eps * np.reshape(size, found.shape)
            is_close = error <= bound + float(np.finfo(real).tiny)
        else:
            # A variance that cancels is as uncertain as squares are, a deviation as its root.
            power = 1 if name == "std" else 2
            is_close = np.isclose(found, expected, rtol=256 * eps, atol=0) | (
                np.abs(expected) <= 64 * eps * np.reshape(size, found.shape) ** power
            )
    assert (is_close | ~is_known).all(), (found, expected)


@pytest.mark.parametrize("name", ["mean", "var", "std"])
@pytest.mark.parametrize("shape", [(100_003,), (7, 3001), (3001, 7), (3, 500, 11)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32"])
def test_large_statistics(name, shape, dtype):
    rng = np.random.default_rng(11)
    host = rng.normal(3, 10, shape)
    if dtype == "complex64":
        host = host + 1j * rng.normal(-2, 5, shape)
    host = host.astype(dtype)
    x = situ.asarray(host)
    wide = host.astype("c16" if dtype == "complex64" else "f8")
    for axis in (None, *range(len(shape)), tuple(range(len(shape)))[1:] or None):
        found = getattr(situ, name)(x, axis=axis).to_numpy()
        expected = getattr(np, name)(wide, axis=axis)
        tolerance = 1e-12 if dtype in {"float64", "int32"} else 1e-6
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("correction", [0, 1, 2.5, 5, 7])
def test_the_correction_is_subtracted_from_the_count(correction):
    host = np.asarray([1.0, 5.0, 2.0, 8.0, 3.0])
    expected = outcome(np.var, host, correction=correction)
    found = situ.var(situ.asarray(host), correction=correction).to_numpy()
    np.testing.assert_allclose(found, expected)


def test_the_smallest_of_nothing_is_an_error():
    x = situ.zeros((0, 3))
    with pytest.raises(ValueError, match="`min` of no elements has no answer"):
        situ.min(x)
    with pytest.raises(situ.ShapeError, match=r"the shape is \(0, 3\)"):
        situ.argmax(x, axis=0)


def test_nan_is_the_smallest_and_the_largest():
    x = situ.asarray([1.0, float("nan"), 3.0])
    assert np.isnan(float(x.min()))
    assert np.isnan(float(x.max()))
    assert float(situ.nansum(x)) == 4


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@given(case=cases())
def test_positions_of_extremes_agree_with_numpy(name, case):
    check_position(name, case, "native")


def check_position(name, case, device):
    """Look for an extreme in NumPy and on a device, and compare."""
    view, axis, keepdims = case
    host = view.host
    if isinstance(axis, tuple):
        axis = axis[0] if axis else None
    expected = outcome(getattr(np, name), host, axis=axis, keepdims=keepdims)
    found = outcome(getattr(situ, name), view.on(device), axis=axis, keepdims=keepdims)
    if isinstance(expected, type) or isinstance(found, type):
        assert found == expected
        return
    assert found.dtype == np.int64
    assert found.shape == np.shape(expected)
    np.testing.assert_array_equal(found.to_numpy(), expected)


@pytest.mark.parametrize("shape", [(100_003,), (7, 3001), (3001, 7), (3, 500, 11)])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_positions_in_long_rows(name, shape):
    rng = np.random.default_rng(5)
    for host in (rng.integers(0, 50, shape), rng.normal(size=shape)):
        if host.dtype.kind == "f":
            host[rng.random(shape) < 1e-4] = np.nan
        x = situ.asarray(host)
        for axis in (None, *range(len(shape))):
            expected = getattr(np, name)(host, axis=axis)
            np.testing.assert_array_equal(getattr(situ, name)(x, axis=axis).to_numpy(), expected)
            expected = getattr(np, name)(host.T, axis=axis)
            np.testing.assert_array_equal(getattr(situ, name)(x.T, axis=axis).to_numpy(), expected)


NUMPY_CUMULATIVE = {"cumulative_sum": np.cumulative_sum, "cumulative_prod": np.cumulative_prod}


@pytest.mark.parametrize("name", NUMPY_CUMULATIVE)
@given(case=cases())
def test_accumulations_agree_with_numpy(name, case):
    check_accumulation(name, case, "native")


def check_accumulation(name, case, device):
    """Accumulate in NumPy and on a device, and compare."""
    view, axis, include_initial = case
    host = view.host
    if isinstance(axis, tuple):
        axis = axis[0] if axis else None
    if host.dtype == np.float16:
        # NumPy rounds each sum to float16, situ the last one.
        return
    keywords = {"axis": axis, "include_initial": include_initial}
    expected = outcome(NUMPY_CUMULATIVE[name], host, **keywords)
    found = outcome(getattr(situ, name), view.on(device), **keywords)
    if isinstance(expected, type) or isinstance(found, type):
        assert found == expected
        return
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if expected.dtype.kind in "iu":
        np.testing.assert_array_equal(found.to_numpy(), expected)
        return
    result = found.to_numpy()
    known = np.isfinite(expected) & np.isfinite(result)
    largest = np.abs(expected[known]).max(initial=0)
    rounding = 64 * float(np.finfo(expected.real.dtype).eps)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(
            result[known], expected[known], rtol=rounding, atol=float(largest) * rounding
        )


@pytest.mark.parametrize("shape", [(100_003,), (7, 30_001), (30_001, 7), (3, 9000, 5)])
@pytest.mark.parametrize("dtype", ["int32", "float64", "complex64"])
def test_long_accumulations(shape, dtype):
    host = np.random.default_rng(6).integers(-9, 9, shape).astype(dtype)
    x = situ.asarray(host)
    for axis in range(len(shape)):
        for include_initial in (False, True):
            keywords = {"axis": axis, "include_initial": include_initial}
            expected = np.cumulative_sum(host, **keywords)
            np.testing.assert_array_equal(situ.cumulative_sum(x, **keywords).to_numpy(), expected)
            reversed_sums = situ.cumulative_sum(x[::-1], **keywords).to_numpy()
            np.testing.assert_array_equal(reversed_sums, np.cumulative_sum(host[::-1], **keywords))
