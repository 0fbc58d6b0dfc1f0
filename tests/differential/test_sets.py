"""Distinct elements, membership, differences and repetition against NumPy."""

import numpy as np
import pytest
from differential.strategies import dtypes, views
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import situ

shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=6)


def assert_same(found, expected):
    """Compare dtype, shape and elements."""
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found.to_numpy(), expected)


@given(data=st.data())
def test_unique(data):
    view = data.draw(views(data.draw(shapes), data.draw(dtypes)))
    host, x = view.host, view.on("native")
    expected = np.unique_all(host)
    for found, part in zip(situ.unique_all(x), expected, strict=True):
        assert_same(found, part)
    assert_same(situ.unique_values(x), expected.values)
    for found, part in zip(situ.unique_counts(x), np.unique_counts(host), strict=True):
        assert_same(found, part)
    # NumPy sorts stably only where it is asked for first places; many NaNs come in any order else.
    inverse = (expected.values, expected.inverse_indices)
    for found, part in zip(situ.unique_inverse(x), inverse, strict=True):
        assert_same(found, part)


@given(data=st.data())
def test_unique_as_numpy_has_it(data):
    view = data.draw(views(data.draw(shapes), data.draw(dtypes)))
    asked = data.draw(st.tuples(st.booleans(), st.booleans(), st.booleans()))
    equal_nan = data.draw(st.booleans())
    found = situ.unique(view.on("native"), *asked, equal_nan=equal_nan)
    # As above: with first places, NaNs stay in order.
    values, first, *others = np.unique(view.host, True, *asked[1:], equal_nan=equal_nan)
    expected = (values, *([first] if asked[0] else []), *others)
    if not any(asked):
        found = (found,)
    for part, other in zip(found, expected, strict=True):
        assert_same(part, other)


@pytest.mark.parametrize("distinct", [1, 10, 50_000, 10**9])
def test_many_elements(distinct):
    host = np.random.default_rng(distinct).integers(0, distinct, 100_003)
    x = situ.asarray(host)
    for found, part in zip(situ.unique_all(x), np.unique_all(host), strict=True):
        assert_same(found, part)
    others = np.random.default_rng(1).integers(0, distinct, 1000)
    assert_same(situ.isin(x, situ.asarray(others)), np.isin(host, others))


@pytest.mark.parametrize("device", ["native", "reference"])
def test_devices_find_distinct_elements(device):
    host = np.asarray([[3, 1, 3], [2, 1, 3]], dtype="int32")
    x = situ.asarray(host, device=device)
    for found, part in zip(situ.unique_all(x), np.unique_all(host), strict=True):
        assert_same(found, part)
    assert_same(situ.isin(x, 3), host == 3)


@given(data=st.data())
def test_isin(data):
    dtype = data.draw(dtypes)
    elements = data.draw(views(data.draw(shapes), dtype))
    others = data.draw(views(data.draw(shapes), dtype))
    invert = data.draw(st.booleans())
    found = situ.isin(elements.on("native"), others.on("native"), invert=invert)
    assert_same(found, np.isin(elements.host, others.host, invert=invert))


def test_numbers_are_looked_for():
    x = situ.asarray([1, 2, 300], dtype="int16")
    assert_same(situ.isin(x, 300), np.asarray([False, False, True]))
    assert_same(situ.isin(x, 70000, invert=True), np.asarray([True, True, True]))
    assert bool(situ.isin(2, x))
    assert not bool(situ.isin(2.5, x))
    with pytest.raises(TypeError, match="without an array"):
        situ.isin(1, 2)


@given(data=st.data())
def test_diff(data):
    shape = data.draw(hnp.array_shapes(max_dims=3, min_side=0, max_side=6))
    dtype = data.draw(st.sampled_from(["bool", "int8", "uint16", "int64", "complex128"]))
    view = data.draw(views(shape, dtype))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    n = data.draw(st.integers(0, 3))
    sides = {}
    for side in ("prepend", "append"):
        if data.draw(st.booleans()):
            sizes = list(shape)
            sizes[axis] = data.draw(st.integers(0, 2))
            sides[side] = data.draw(views(tuple(sizes), dtype))
    with np.errstate(all="ignore"):
        hosts = {side: part.host for side, part in sides.items()}
        expected = np.diff(view.host, n=n, axis=axis, **hosts)
    parts = {side: part.on("native") for side, part in sides.items()}
    assert_same(situ.diff(view.on("native"), n=n, axis=axis, **parts), expected)


def test_what_has_no_differences_is_refused():
    with pytest.raises(ValueError, match="cannot be taken -1 times"):
        situ.diff(situ.arange(3), n=-1)
    with pytest.raises(ValueError, match="at least one dimension"):
        situ.diff(situ.asarray(1))
    with pytest.raises(np.exceptions.AxisError):
        situ.diff(situ.arange(3), axis=1)
    assert_same(situ.diff(situ.asarray([1.0, 4.0]), prepend=0, append=9), np.diff([0.0, 1, 4, 9]))


@given(data=st.data())
def test_repeat_with_counts(data):
    shape = data.draw(hnp.array_shapes(max_dims=3, min_side=0, max_side=5))
    view = data.draw(views(shape, data.draw(dtypes)))
    axis = data.draw(st.sampled_from([None, *range(-len(shape), len(shape))]))
    size = view.host.size if axis is None else shape[axis]
    length = data.draw(st.sampled_from([size, 1]))
    dtype = data.draw(st.sampled_from(["int64", "uint8", "bool"]))
    top = 1 if dtype == "bool" else 4
    counts = data.draw(hnp.arrays(dtype, length, elements=st.integers(0, top)))
    found = situ.repeat(view.on("native"), situ.asarray(counts), axis=axis)
    assert_same(found, np.repeat(view.host, counts, axis=axis))


def test_counts_that_do_not_fit_are_refused():
    x = situ.zeros((2, 3))
    with pytest.raises(ValueError, match=r"counts of shape \(4,\) for the 3 elements along axis 1"):
        situ.repeat(x, situ.asarray([1, 2, 3, 4]), axis=1)
    with pytest.raises(ValueError, match="cannot repeat an element -2 times"):
        situ.repeat(x, situ.asarray([1, -2, 3]), axis=1)
    with pytest.raises(ValueError, match="cannot repeat an element -1 times"):
        situ.repeat(x, -1)
    with pytest.raises(TypeError, match="not defined for float64"):
        situ.repeat(x, situ.asarray([1.0, 2.0, 3.0]), axis=1)
