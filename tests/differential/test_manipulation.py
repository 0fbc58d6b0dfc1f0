"""Shapes, joins and creation against NumPy: value, dtype, shape and refusal."""

import numpy as np
import pytest
from differential.strategies import dtypes, operands, views
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import situ

shapes = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


@st.composite
def any_view(draw, min_dims=0):
    """Make a view of any shape and dtype."""
    shape = draw(hnp.array_shapes(min_dims=min_dims, max_dims=4, min_side=0, max_side=4))
    return draw(views(shape, draw(dtypes)))


def outcome(function, *arguments, **keywords):
    """Call a function; give its result, or the built-in class of its exception."""
    try:
        return function(*arguments, **keywords)
    except (ValueError, TypeError) as error:
        return ValueError if isinstance(error, ValueError) else TypeError


def assert_same(found, expected):
    """Compare results or refusals."""
    if isinstance(expected, type) or isinstance(found, type):
        assert found == expected
        return
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.to_numpy(), expected)


def axes_of(draw, ndim):
    """Make an axis, several, or none; sometimes one that does not exist."""
    one = st.integers(-ndim - 1, ndim)
    return draw(st.none() | one | st.lists(one, max_size=3).map(tuple))


@given(view=any_view(), data=st.data())
def test_views_agree_with_numpy(view, data):
    host, x = view.host, view.on("native")
    axis = axes_of(data.draw, host.ndim)
    assert_same(outcome(situ.flip, x, axis=axis), outcome(np.flip, host, axis=axis))
    # NumPy lets axis 0 of a number pass.
    if axis is not None and host.ndim:
        assert_same(outcome(situ.squeeze, x, axis), outcome(np.squeeze, host, axis))
    if axis is not None:
        assert_same(outcome(situ.expand_dims, x, axis), outcome(np.expand_dims, host, axis))
    assert_same(situ.squeeze(x), np.squeeze(host))
    if axis is not None:
        to = axes_of(data.draw, host.ndim)
        if to is not None:
            found = outcome(situ.moveaxis, x, axis, to)
            assert_same(found, outcome(np.moveaxis, host, axis, to))
    for part, expected in zip(situ.unstack(x), np.unstack(host), strict=True) if host.ndim else ():
        assert_same(part, expected)


@given(view=any_view(), shape=shapes)
def test_broadcasting_to_a_shape(view, shape):
    expected = outcome(np.broadcast_to, view.host, shape)
    assert_same(outcome(situ.broadcast_to, view.on("native"), shape), expected)


@given(views=operands(3))
def test_broadcasting_together(views):
    hosts, arrays = [view.host for view in views], [view.on("native") for view in views]
    for found, expected in zip(
        situ.broadcast_arrays(*arrays), np.broadcast_arrays(*hosts), strict=True
    ):
        assert_same(found, expected)
    shape = np.broadcast_shapes(*(host.shape for host in hosts))
    assert situ.broadcast_shapes(*(host.shape for host in hosts)) == shape


@given(view=any_view(), data=st.data())
def test_rolling(view, data):
    check_rolling(view, data, "native")


def check_rolling(view, data, device):
    """Roll in NumPy and on a device, and compare."""
    host, x = view.host, view.on(device)
    shift = data.draw(st.integers(-9, 9) | st.lists(st.integers(-9, 9), min_size=1, max_size=3))
    axis = axes_of(data.draw, host.ndim)
    if axis == () or (axis is None and isinstance(shift, list)):
        return
    found = outcome(situ.roll, x, shift, axis=axis)
    assert_same(found, outcome(np.roll, host, shift, axis=axis))


@given(view=any_view(min_dims=1), data=st.data())
def test_joining(view, data):
    check_joining(view, data, "native")


def check_joining(view, data, device):
    """Join and repeat in NumPy and on a device, and compare."""
    host, x = view.host, view.on(device)
    axis = data.draw(st.none() | st.integers(-host.ndim - 1, host.ndim))
    with np.errstate(all="ignore"):
        other = host.astype(data.draw(dtypes)) if host.dtype.kind != "c" else host
    hosts, arrays = [host, other, host], [x, situ.asarray(other, device=device), x]
    found = outcome(situ.concat, arrays, axis=axis)
    assert_same(found, outcome(np.concat, hosts, axis=axis))
    if axis is not None:
        found = outcome(situ.stack, arrays, axis=axis)
        assert_same(found, outcome(np.stack, hosts, axis=axis))
    count = data.draw(st.integers(0, 3))
    found = outcome(situ.repeat, x, count, axis=axis)
    assert_same(found, outcome(np.repeat, host, count, axis=axis))
    counts = tuple(data.draw(st.lists(st.integers(0, 3), max_size=5)))
    assert_same(situ.tile(x, counts), np.tile(host, counts))


@given(view=any_view(min_dims=2), k=st.integers(-5, 5))
def test_triangles(view, k):
    host, x = view.host, view.on("native")
    assert_same(situ.tril(x, k=k), np.tril(host, k))
    assert_same(situ.triu(x, k=k), np.triu(host, k))


@given(
    rows=st.integers(0, 6),
    columns=st.none() | st.integers(0, 6),
    k=st.integers(-9, 9),
    dtype=dtypes,
)
def test_eye(rows, columns, k, dtype):
    expected = np.eye(rows, columns, k=k, dtype=dtype)
    assert_same(situ.eye(rows, columns, k=k, dtype=dtype), expected)


@given(start=st.integers(-50, 50), stop=st.none() | st.integers(-50, 50), step=st.integers(-7, 7))
def test_whole_ranges(start, stop, step):
    if step == 0:
        with pytest.raises(ZeroDivisionError, match="steps of zero"):
            situ.arange(start, stop, step)
        return
    assert_same(situ.arange(start, stop, step), np.arange(start, stop, step))


@given(
    start=st.floats(-50, 50), stop=st.floats(-50, 50), step=st.sampled_from([0.1, 0.25, -0.3, 7.5])
)
def test_ranges_of_floats(start, stop, step):
    found, expected = situ.arange(start, stop, step), np.arange(start, stop, step)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.to_numpy(), expected, rtol=1e-11, atol=1e-11)


@given(
    start=st.floats(-50, 50),
    stop=st.floats(-50, 50),
    num=st.integers(0, 20),
    endpoint=st.booleans(),
    dtype=st.sampled_from(["float32", "float64", "complex64", "complex128"]),
)
def test_linspace(start, stop, num, endpoint, dtype):
    found = situ.linspace(start, stop, num, endpoint=endpoint, dtype=dtype)
    expected = np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.to_numpy(), expected, rtol=1e-6, atol=1e-6)
    if num > 1 and endpoint:
        assert found.to_numpy()[-1] == expected[-1]


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("sizes", [(), (3,), (2, 3), (2, 3, 4), (0, 3)])
def test_grids(indexing, sizes):
    hosts = [np.arange(size) + 10 * number for number, size in enumerate(sizes)]
    found = situ.meshgrid(*map(situ.asarray, hosts), indexing=indexing)
    for one, expected in zip(found, np.meshgrid(*hosts, indexing=indexing), strict=True):
        assert_same(one, expected)


def test_like_keeps_the_place(device):
    x = situ.ones((2, 3), dtype="int16", device=device, usm_type="shared")
    for made, number in [
        (situ.zeros_like(x), 0),
        (situ.ones_like(x), 1),
        (situ.full_like(x, 7), 7),
        (situ.empty_like(x), None),
    ]:
        assert made.shape == (2, 3)
        assert made.dtype == np.int16
        assert made.device == device
        assert made.usm_type == "shared"
        if number is not None:
            assert (made.to_numpy() == number).all()


def test_a_reshape_that_needs_a_copy():
    x = situ.zeros((4, 6))[:, :3]
    with pytest.raises(ValueError, match="cannot avoid a copy"):
        situ.reshape(x, 12, copy=False)
    assert situ.reshape(x, (2, 2, 3), copy=False).shape == (2, 2, 3)
    y = situ.reshape(x, (4, 3), copy=True)
    y[0] = 1
    assert (x.to_numpy() == 0).all()
