"""Sorting and searching against NumPy."""

import numpy as np
import pytest
from differential.strategies import DTYPES, dtypes, views
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import situ
from situ.testing import virtual_devices

shapes = hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=20)


def descending(host, axis):
    """Say what puts elements in descending order: equal ones keep theirs, and NaN comes last."""
    if host.dtype.kind == "f":
        return np.argsort(-host, axis=axis, stable=True)
    # Without overflow at the smallest number: all bits inverted count backwards.
    return np.argsort(~host, axis=axis, stable=True)


def assert_same(found, expected):
    """Compare elements, also the signs of zeros."""
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found.to_numpy(), expected)
    if expected.dtype.kind == "f":
        zeros = expected == 0
        np.testing.assert_array_equal(
            np.signbit(found.to_numpy()[zeros]), np.signbit(expected[zeros])
        )


@st.composite
def rows(draw):
    """Make a view and an axis to sort along."""
    shape = draw(shapes)
    view = draw(views(shape, draw(dtypes)))
    return view, draw(st.sampled_from([None, *range(-len(shape), len(shape))]))


@given(case=rows())
def test_sort_and_argsort(case):
    check_order(case, "native")


def check_order(case, device):
    """Sort in NumPy and on a device, and compare."""
    view, axis = case
    host, x = view.host, view.on(device)
    order = np.argsort(host, axis=axis, stable=True)
    assert_same(situ.argsort(x, axis=axis), order)
    flat, along = (host.reshape(-1), 0) if axis is None else (host, axis)
    assert_same(situ.sort(x, axis=axis), np.take_along_axis(flat, order, axis=along))


@given(data=st.data())
def test_descending(data):
    shape = data.draw(shapes)
    dtype = data.draw(st.sampled_from([name for name in DTYPES if "complex" not in name]))
    view = data.draw(views(shape, dtype))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    host, x = view.host, view.on("native")
    order = descending(host, axis)
    assert_same(situ.argsort(x, axis=axis, descending=True), order)
    assert_same(
        situ.sort(x, axis=axis, descending=True), np.take_along_axis(host, order, axis=axis)
    )


def test_complex_numbers_descend_with_nan_last():
    nan, inf = float("nan"), float("inf")
    host = np.asarray([1 + 2j, complex(nan, 1), 3, complex(1, nan), complex(inf, 1), 1 + 3j])
    for dtype in ["complex64", "complex128"]:
        order = situ.argsort(situ.asarray(host.astype(dtype)), descending=True)
        assert order.to_numpy().tolist() == [4, 2, 5, 0, 3, 1]


def patterns(size):
    """Make rows that sorts find easy or hard."""
    rng = np.random.default_rng(size)
    rows = np.sort(rng.normal(size=size))
    return {
        "random": rng.normal(size=size),
        "sorted": rows,
        "reversed": rows[::-1],
        "equal": np.ones(size),
        "ties": rng.integers(0, 10, size).astype(float),
        "nearly sorted": np.where(rng.random(size) < 0.01, rng.normal(size=size), rows),
        "outliers": np.where(rng.random(size) < 0.01, 1e30, rng.random(size)),
        "NaN": np.where(rng.random(size) < 0.1, np.nan, rng.choice([0.0, -0.0, 1.0, -1.0], size)),
    }


@pytest.mark.parametrize("pattern", patterns(1))
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int16", "bool"])
def test_long_rows(pattern, dtype):
    host = patterns(100_003)[pattern]
    if dtype[0] != "f":
        host = np.nan_to_num(host * 1000).clip(-30000, 30000)
    host = host.astype(dtype)
    order = np.argsort(host, stable=True)
    x = situ.asarray(host)
    assert_same(situ.argsort(x), order)
    assert_same(situ.sort(x), host[order])
    order = descending(host, 0)
    assert_same(situ.sort(x, descending=True), host[order])
    assert_same(situ.argsort(x, descending=True), order)


@pytest.mark.parametrize("shape", [(3, 20_000), (20_000, 3), (100, 7, 100)])
@pytest.mark.parametrize("dtype", ["float32", "int64", "complex64"])
def test_many_rows(shape, dtype):
    host = np.random.default_rng(1).integers(-50, 50, shape).astype(dtype)
    x = situ.asarray(host)
    for axis in range(len(shape)):
        assert_same(situ.sort(x, axis=axis), np.sort(host, axis=axis, stable=True))
        assert_same(situ.argsort(x, axis=axis), np.argsort(host, axis=axis, stable=True))


def test_every_device_sorts(device):
    host = np.random.default_rng(2).integers(-20, 20, (3, 200)).astype("float32")
    host[:, ::9] = np.nan
    x = situ.asarray(host, device=device)
    assert_same(situ.sort(x), np.sort(host))
    assert_same(situ.argsort(x, axis=0), np.argsort(host, axis=0, stable=True))
    row = situ.sort(x[0, :])
    assert_same(
        situ.searchsorted(row, x, side="right"), np.searchsorted(np.sort(host[0]), host, "right")
    )


def test_memory_of_the_device_alone():
    with virtual_devices("gpu") as (gpu,):
        host = np.random.default_rng(3).integers(-500, 500, 5000).astype("float32")
        host[::9] = np.nan
        host[::10] = -0.0
        x = situ.asarray(host, device=gpu)
        order = np.argsort(host, stable=True)
        assert_same(situ.argsort(x), order)
        assert_same(situ.sort(x), host[order])
        assert_same(situ.sort(x, descending=True), host[descending(host, 0)])


@given(data=st.data())
def test_searchsorted(data):
    dtype = data.draw(dtypes)
    row = data.draw(hnp.arrays(dtype, st.integers(0, 20)))
    values = data.draw(views(data.draw(shapes), data.draw(dtypes)))
    side = data.draw(st.sampled_from(["left", "right"]))
    order = np.argsort(row, stable=True)
    x = situ.asarray(row)
    expected = np.searchsorted(row, values.host, side=side, sorter=order)
    found = situ.searchsorted(x, values.on("native"), side=side, sorter=situ.asarray(order))
    assert_same(found, expected)
    assert_same(situ.searchsorted(situ.sort(x), values.on("native"), side), expected)


def test_numbers_are_searched():
    x = situ.asarray([10, 20, 20, 30], dtype="uint8")
    assert int(situ.searchsorted(x, 20)) == 1
    assert int(situ.searchsorted(x, 20, "right")) == 3
    assert int(situ.searchsorted(x, 1000)) == 4
    assert int(situ.searchsorted(x, -1)) == 0
    assert int(situ.searchsorted(x, 20.5)) == 3
    assert situ.searchsorted(x, np.float32(5)).dtype == np.int64


def test_what_cannot_be_sorted_is_refused():
    x = situ.zeros((2, 3))
    for function in (situ.sort, situ.argsort):
        with pytest.raises(np.exceptions.AxisError, match="axis 2 is out of bounds"):
            function(x, axis=2)
        with pytest.raises(np.exceptions.AxisError, match="axis -1 is out of bounds"):
            function(situ.asarray(1.0))
        with pytest.raises(ValueError, match="no kind `slow`"):
            function(x, kind="slow")
        assert function(x, -1, "mergesort").shape == (2, 3)


def test_what_cannot_be_searched_is_refused():
    x = situ.arange(3)
    with pytest.raises(ValueError, match="no side `middle`"):
        situ.searchsorted(x, x, side="middle")
    with pytest.raises(ValueError, match="searches in an array of one dimension, not 2"):
        situ.searchsorted(situ.zeros((2, 2)), x)
    with pytest.raises(ValueError, match=r"sorter of shape \(2,\) does not fit a row of 3"):
        situ.searchsorted(x, x, sorter=situ.asarray([0, 1]))
    with pytest.raises(TypeError, match="not defined for float64"):
        situ.searchsorted(x, x, sorter=situ.asarray([0.0, 1.0, 2.0]))
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
        situ.searchsorted(x, x, sorter=situ.asarray([7, 7, 7])).to_numpy()
    with pytest.raises(situ.PlacementError):
        situ.searchsorted(x, np.arange(3))
