"""Medians, quantiles, counting and sets of two against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import situ
from situ import _order_statistics

METHODS = _order_statistics._METHODS

shapes = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=5)


def assert_close(found, expected):
    """Compare dtype, shape and elements, but for the last bits."""
    expected = np.asarray(expected)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.to_numpy(), expected, rtol=1e-12, atol=1e-12)


@st.composite
def rows(draw):
    """Make arrays of numbers, and axes of them."""
    shape = draw(shapes)
    dtype = draw(st.sampled_from(["int64", "uint8", "float64"]))
    values = np.asarray(draw(st.lists(st.integers(0, 200), min_size=1, max_size=20)), dtype=dtype)
    host = np.resize(values, shape)
    if dtype == "float64" and draw(st.booleans()):
        host.reshape(-1)[:: draw(st.integers(1, 5))] = np.nan
    axes = st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True).map(tuple)
    axis = draw(st.one_of(st.none(), st.integers(-len(shape), len(shape) - 1), axes))
    return host, axis


@settings(max_examples=40)
@given(case=rows(), keepdims=st.booleans())
@pytest.mark.filterwarnings("ignore:All-NaN")
def test_medians(case, keepdims):
    host, axis = case
    x = situ.asarray(host)
    for name in ("median", "nanmedian"):
        expected = getattr(np, name)(host, axis=axis, keepdims=keepdims)
        assert_close(getattr(situ, name)(x, axis=axis, keepdims=keepdims), expected)


@settings(max_examples=40)
@given(case=rows(), data=st.data())
@pytest.mark.filterwarnings("ignore:All-NaN")
def test_quantiles(case, data):
    host, axis = case
    method = data.draw(st.sampled_from(METHODS))
    shares = st.integers(0, 8).map(lambda eighths: eighths / 8)
    q = data.draw(st.one_of(shares, st.lists(shares, min_size=1, max_size=3)))
    keepdims = data.draw(st.booleans())
    x = situ.asarray(host)
    for name in ("quantile", "nanquantile"):
        expected = getattr(np, name)(host, q, axis=axis, method=method, keepdims=keepdims)
        found = getattr(situ, name)(x, q, axis=axis, method=method, keepdims=keepdims)
        assert_close(found, expected)


def test_percentiles():
    host = np.random.default_rng(1).normal(size=(1000, 3)).astype("float32")
    x = situ.asarray(host)
    for q in (50, [0, 33.3, 100]):
        found = situ.percentile(x, q, axis=0)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found.to_numpy(), np.percentile(host, q, axis=0), rtol=1e-5)
    out = situ.empty(3, dtype="float32")
    assert situ.median(x, 0, out) is out
    np.testing.assert_allclose(out.to_numpy(), np.median(host, axis=0), rtol=1e-6)
    infinite = situ.asarray([float("inf")] * 4)
    assert float(situ.median(infinite)) == float("inf")


def test_what_is_no_quantile_is_refused():
    x = situ.arange(3)
    with pytest.raises(ValueError, match="takes numbers from 0 to 1"):
        situ.quantile(x, 2)
    with pytest.raises(ValueError, match="has no method `best`"):
        situ.quantile(x, 0.5, method="best")
    with pytest.raises(TypeError, match="complex numbers have no order"):
        situ.median(situ.asarray([1j]))
    with pytest.raises(ValueError, match="has no value"):
        situ.quantile(situ.zeros(0), 0.5)
    with pytest.raises(np.exceptions.AxisError):
        situ.median(x, axis=1)


@settings(max_examples=40)
@given(data=st.data())
def test_bincount(data):
    dtype = data.draw(st.sampled_from(["int64", "uint8", "bool"]))
    top = 1 if dtype == "bool" else 20
    host = data.draw(hnp.arrays(dtype, st.integers(0, 50), elements=st.integers(0, top)))
    minlength = data.draw(st.integers(0, 30))
    x = situ.asarray(host)
    assert_close(situ.bincount(x, minlength=minlength), np.bincount(host, minlength=minlength))
    if host.size:
        weights = np.arange(host.size) / 8
        found = situ.bincount(x, situ.asarray(weights), minlength)
        assert_close(found, np.bincount(host, weights, minlength))


@settings(max_examples=40)
@given(data=st.data())
def test_histogram(data):
    numbers = st.integers(-10, 10).map(float)
    view = data.draw(hnp.arrays("float64", shapes, elements=numbers))
    bins = data.draw(st.one_of(st.integers(1, 7), st.lists(numbers, min_size=2).map(sorted)))
    ends = data.draw(st.sampled_from([None, (-2.5, 6.5)]))
    weights = data.draw(st.sampled_from([None, np.arange(view.size).reshape(view.shape) / 4]))
    x = situ.asarray(view)
    on_device = None if weights is None else situ.asarray(weights)
    counts, edges = situ.histogram(x, bins, ends, weights=on_device)
    expected = np.histogram(view, bins, ends, weights=weights)
    assert_close(edges, expected[1].astype("float64"))
    assert_close(counts, expected[0])


def test_densities():
    host = np.random.default_rng(1).normal(size=1000)
    found, _ = situ.histogram(situ.asarray(host), 7, density=True)
    assert_close(found, np.histogram(host, 7, density=True)[0])


@settings(max_examples=40)
@given(data=st.data())
def test_digitize(data):
    numbers = st.integers(-10, 10).map(float)
    values = data.draw(hnp.arrays("float64", shapes, elements=numbers))
    bins = np.asarray(sorted(data.draw(st.lists(numbers, min_size=1, max_size=10))))
    bins = bins[:: data.draw(st.sampled_from([1, -1]))]
    right = data.draw(st.booleans())
    found = situ.digitize(situ.asarray(values), situ.asarray(bins), right)
    assert_close(found, np.digitize(values, bins, right))


def test_what_cannot_be_counted_is_refused():
    x = situ.asarray([1, -2])
    with pytest.raises(ValueError, match="cannot count -2"):
        situ.bincount(x)
    with pytest.raises(TypeError, match="not defined for float64"):
        situ.bincount(situ.zeros(2))
    with pytest.raises(ValueError, match="in ascending or descending order"):
        situ.digitize(x, situ.asarray([0, 2, 1]))
    with pytest.raises(ValueError, match="limits of bins must ascend"):
        situ.histogram(x, [0, 2, 1])
    with pytest.raises(ValueError, match="bins cannot go from"):
        situ.histogram(situ.asarray([float("nan")]))
    with pytest.raises(ValueError, match="3 weights for 2 elements"):
        situ.histogram(x, weights=situ.zeros(3))


@settings(max_examples=40)
@given(data=st.data())
def test_sets_of_two(data):
    dtype = data.draw(st.sampled_from(["int16", "float32"]))
    elements = st.integers(0, 10) if dtype == "int16" else st.sampled_from([0, 1, 2, 3, np.nan])
    hosts = [data.draw(hnp.arrays(dtype, st.integers(0, 15), elements=elements)) for _ in "12"]
    arrays = [situ.asarray(host) for host in hosts]
    for name in ("union1d", "intersect1d", "setdiff1d"):
        assert_close(getattr(situ, name)(*arrays), getattr(np, name)(*hosts))
    if dtype == "int16":
        assert_close(situ.setxor1d(*arrays), np.setxor1d(*hosts))


def test_partition():
    host = np.random.default_rng(1).integers(0, 50, (4, 30))
    x = situ.asarray(host)
    for kth in (3, [0, 20], -1):
        found = situ.partition(x, kth).to_numpy()
        np.testing.assert_array_equal(found[:, kth], np.partition(host, kth)[:, kth])
    order = situ.argpartition(x, 5, axis=-1)
    np.testing.assert_array_equal(
        np.take_along_axis(host, order.to_numpy(), -1)[:, 5], np.partition(host, 5)[:, 5]
    )
    with pytest.raises(ValueError, match="no place 30 in a row of 30"):
        situ.partition(x, 30)
