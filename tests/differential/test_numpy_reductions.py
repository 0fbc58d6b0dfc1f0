"""Reductions as NumPy's users call them: masks, starts, outputs, and NaNs that are left out."""

import warnings

import numpy as np
import pytest
from differential.strategies import DTYPES, dtypes, views
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import situ

rng = np.random.default_rng(3)


@st.composite
def cases(draw, dtype_strategy=dtypes):
    """Make a view with few different elements, a mask of its shape, and an axis."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5))
    dtype = draw(dtype_strategy)
    view = draw(views(shape, dtype))
    view.base[...] = np.resize([0, 1, 2, 3, 1, 5], view.base.shape).astype(dtype)
    if dtype.kind in "fc" and draw(st.booleans()):
        spoiled = draw(hnp.arrays(bool, view.base.shape))
        view.base[spoiled] = np.nan
    axis = draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    return view, draw(views(shape, np.dtype(bool))), axis, draw(st.booleans())


def numpy_result(name, host, **keywords):
    """Call NumPy in silence; give its result, or the built-in class of its exception."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return np.asarray(getattr(np, name)(host, **keywords))
        except (ValueError, TypeError) as error:
            return ValueError if isinstance(error, ValueError) else TypeError


def check(name, view, arguments, expected):
    """Compare with what NumPy found."""
    x = view.on("native")
    if isinstance(expected, type):
        with pytest.raises(expected):
            getattr(situ, name)(x, **arguments)
        return
    found = getattr(situ, name)(x, **arguments)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    real = expected.real.dtype
    eps = float(np.finfo(real).eps) if real.kind == "f" else 0
    largest = float(np.abs(expected[np.isfinite(expected)]).max(initial=1))
    np.testing.assert_allclose(
        found.to_numpy(), expected, rtol=32 * eps, atol=32 * eps * largest, equal_nan=True
    )


MASKED = ["sum", "prod", "mean", "var", "std", "all", "any", "nansum", "nanmean", "nanvar"]


@pytest.mark.parametrize("name", MASKED)
@given(case=cases())
def test_masked_reductions_agree_with_numpy(name, case):
    view, mask, axis, keepdims = case
    arguments = {"axis": axis, "keepdims": keepdims}
    expected = numpy_result(name, view.host, where=mask.host, **arguments)
    check(name, view, {"where": mask.on("native"), **arguments}, expected)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
@given(case=cases(), initial=st.sampled_from([0, 2, 7]), is_masked=st.booleans())
def test_starts_agree_with_numpy(name, case, initial, is_masked):
    view, mask, axis, keepdims = case
    assume(view.host.dtype.kind != "c" or name in {"sum", "prod"})
    assume(view.host.dtype.kind != "b")
    arguments = {"axis": axis, "keepdims": keepdims, "initial": initial}
    masks = [{"where": mask.host}, {"where": mask.on("native")}] if is_masked else [{}, {}]
    expected = numpy_result(name, view.host, **arguments, **masks[0])
    check(name, view, {**arguments, **masks[1]}, expected)


NAN = ["nanmin", "nanmax", "nanmean", "nanvar", "nanstd", "nansum", "nanprod"]


@pytest.mark.parametrize("name", NAN)
@given(case=cases())
def test_nans_are_left_out_as_in_numpy(name, case):
    view, _, axis, keepdims = case
    assume(view.host.dtype.kind != "c" or name not in {"nanmin", "nanmax"})
    arguments = {"axis": axis, "keepdims": keepdims}
    check(name, view, arguments, numpy_result(name, view.host, **arguments))


@pytest.mark.parametrize("name", ["nanmin", "nanmax", "nanmean", "nanvar", "nanstd"])
@pytest.mark.parametrize("shape", [(100_003,), (7, 3001), (3001, 7)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nans_are_left_out_of_long_rows(name, shape, dtype):
    host = rng.normal(3, 10, shape).astype(dtype)
    host[rng.random(shape) < 0.1] = np.nan
    x = situ.asarray(host)
    for axis in (None, *range(len(shape))):
        expected = getattr(np, name)(host.astype("f8"), axis=axis)
        found = getattr(situ, name)(x, axis=axis).to_numpy()
        np.testing.assert_allclose(found, expected, rtol=1e-12 if dtype == "float64" else 1e-6)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum", "nancumprod"])
@given(case=cases(st.sampled_from([d for d in DTYPES if d != "float16"]).map(np.dtype)))
def test_flat_accumulations_agree_with_numpy(name, case):
    view, _, axis, _ = case
    check(name, view, {"axis": axis}, numpy_result(name, view.host, axis=axis))


def test_positional_arguments_are_numpys():
    host = np.arange(6.0).reshape(2, 3)
    x, out = situ.asarray(host), situ.zeros(3, "float32")
    assert situ.sum(x, 0, "float32", out) is out
    np.testing.assert_array_equal(out.to_numpy(), host.sum(0))
    assert situ.max(x, 1, None, True).shape == (2, 1)
    np.testing.assert_allclose(situ.std(x, 0, None, None, 1).to_numpy(), host.std(0, ddof=1))
    np.testing.assert_allclose(situ.var(x, axis=1, ddof=1).to_numpy(), host.var(1, ddof=1))
    np.testing.assert_array_equal(situ.argmax(x, 1).to_numpy(), [2, 2])


def test_out_decides_the_dtype_of_a_sum():
    x = situ.asarray(np.full(1000, 100, "int8"))
    out = situ.zeros((), "int32")
    assert int(situ.sum(x, out=out)) == 100_000
    with pytest.raises(situ.ShapeError, match="`out` has"):
        situ.sum(x, out=situ.zeros(2))
    with pytest.raises(situ.DTypeError, match="same_kind"):
        situ.mean(x, out=situ.zeros((), "int32"))


def test_ddof_and_correction_are_one_number():
    with pytest.raises(ValueError, match="two names for one number"):
        situ.var(situ.arange(3.0), ddof=1, correction=1)


def test_the_smallest_of_a_mask_needs_a_start():
    x = situ.arange(3.0)
    with pytest.raises(ValueError, match="initial"):
        situ.min(x, where=x > 1)


def test_weights_agree_with_numpy():
    host, weights = rng.normal(size=(3, 4)), rng.random((3, 4))
    x, w = situ.asarray(host), situ.asarray(weights)
    for axis in (None, 0, 1):
        expected = np.average(host, axis=axis, weights=weights)
        np.testing.assert_allclose(situ.average(x, axis, w).to_numpy(), expected)
    expected = np.average(host, axis=1, weights=weights[0])
    np.testing.assert_allclose(situ.average(x, 1, w[0]).to_numpy(), expected)
    np.testing.assert_allclose(situ.ptp(x, 0).to_numpy(), np.ptp(host, 0))
