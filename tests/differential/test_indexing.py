"""Indexing with arrays against NumPy: reading, assignment and refusal."""

import numpy as np
import pytest
from differential.strategies import dtypes, views
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import situ

sides = st.integers(0, 4)


@st.composite
def index_arrays(draw, size, shape):
    """Make indices of an axis, of a shape that broadcasts to another."""
    shape = tuple(draw(st.sampled_from([side, 1])) for side in shape)[draw(st.integers(0, 2)) :]
    dtype = draw(st.sampled_from(["int64", "int32", "uint8"]))
    low = 0 if dtype == "uint8" or size == 0 else -size
    if size == 0:
        shape = (0, *shape[1:]) if shape else (0,)
    return draw(hnp.arrays(dtype, shape, elements=st.integers(low, max(size - 1, 0))))


@st.composite
def indexed(draw):
    """Make a view and an index expression with at least one array in it."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4))
    view = draw(views(shape, draw(dtypes)))
    common = tuple(draw(st.lists(st.integers(1, 3), max_size=2)))
    index, axis, has_ellipsis = [], 0, False
    while axis < len(shape):
        size = shape[axis]
        kind = draw(st.sampled_from(["array", "array", "mask", "slice", "integer", "new", "rest"]))
        if kind == "array":
            index.append(draw(index_arrays(size, common)))
            axis += 1
        elif kind == "mask":
            ndim = draw(st.integers(1, len(shape) - axis))
            index.append(draw(hnp.arrays("bool", shape[axis : axis + ndim])))
            axis += ndim
        elif kind == "slice":
            index.append(slice(*sorted((draw(sides), draw(sides))), draw(st.sampled_from([1, 2]))))
            axis += 1
        elif kind == "integer":
            index.append(draw(st.integers(-size, size - 1)))
            axis += 1
        elif kind == "new":
            index.append(None)
        elif not has_ellipsis:
            index.append(...)
            has_ellipsis = True
            axis += draw(st.integers(0, len(shape) - axis))
        else:
            break
    return view, tuple(index)


def indices_on(device, index):
    """Bring the arrays of an index to a device."""
    return tuple(
        situ.asarray(item, device=device) if isinstance(item, np.ndarray) else item
        for item in index
    )


@given(case=indexed())
def test_reading(case):
    check_reading(case, "native")


def check_reading(case, device):
    """Read by an index in NumPy and on a device, and compare."""
    view, index = case
    try:
        expected = view.host[index]
    except (IndexError, ValueError):
        with pytest.raises((IndexError, ValueError)):
            view.on(device)[indices_on(device, index)].to_numpy()
        return
    found = view.on(device)[indices_on(device, index)]
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.to_numpy(), expected)


@given(case=indexed(), data=st.data())
def test_assignment(case, data):
    check_assignment(case, data, "native")


def check_assignment(case, data, device):
    """Assign by an index in NumPy and on a device, and compare."""
    view, index = case
    host, x = view.host.copy(), view.on(device)
    try:
        shape = host[index].shape
    except (IndexError, ValueError):
        return
    # Elements that are selected several times keep the last value.
    shape = shape[data.draw(st.integers(0, len(shape))) :]
    is_number = data.draw(st.booleans())
    number = data.draw(st.integers(0, 1))
    value = np.asarray(number) if is_number else np.arange(np.prod(shape)).reshape(shape) % 100
    value = value.astype("int8")
    host[index] = value
    x[indices_on(device, index)] = number if is_number else situ.asarray(value, device=device)
    np.testing.assert_array_equal(x.to_numpy(), host)


def test_the_last_of_several_values_stays(device):
    rng = np.random.default_rng(1)
    size = 300 if device.backend == "reference" else 100_000
    indices, values = rng.integers(0, 50, size), np.arange(size)
    host = np.zeros((50, 2), dtype="int64")
    host[indices, 1] = values
    x = situ.zeros((50, 2), dtype="int64", device=device)
    x[situ.asarray(indices, device=device), 1] = situ.asarray(values, device=device)
    np.testing.assert_array_equal(x.to_numpy(), host)


@given(mask=hnp.arrays("bool", hnp.array_shapes(max_dims=4, min_side=0, max_side=5)))
def test_nonzero(mask):
    for found, expected in zip(situ.nonzero(situ.asarray(mask)), np.nonzero(mask), strict=True):
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found.to_numpy(), expected)


@pytest.mark.parametrize("size", [1, 4095, 4096, 4097, 100_003])
@pytest.mark.parametrize("share", [0, 0.001, 0.5, 1])
def test_long_masks(size, share):
    rng = np.random.default_rng(size)
    mask, host = rng.random(size) < share, rng.integers(0, 1000, size)
    x, m = situ.asarray(host), situ.asarray(mask)
    np.testing.assert_array_equal(x[m].to_numpy(), host[mask])
    x[m] = -1
    host[mask] = -1
    np.testing.assert_array_equal(x.to_numpy(), host)
    (found,) = situ.nonzero(situ.asarray(host[::-1])[::-1])
    np.testing.assert_array_equal(found.to_numpy(), np.nonzero(host)[0])


def test_taking_along_axes(device):
    host = np.random.default_rng(1).integers(0, 100, (3, 4, 5))
    x = situ.asarray(host, device=device)
    for axis in range(3):
        indices = np.random.default_rng(2).integers(0, host.shape[axis], 7)
        found = situ.take(x, situ.asarray(indices, device=device), axis=axis)
        np.testing.assert_array_equal(found.to_numpy(), np.take(host, indices, axis))
        order = np.argsort(host, axis=axis)
        found = situ.take_along_axis(x, situ.asarray(order, device=device), axis=axis)
        np.testing.assert_array_equal(found.to_numpy(), np.sort(host, axis=axis))


def test_indices_that_do_not_exist_are_reported(device):
    x = situ.arange(10, device=device)
    text = "index 12 is out of bounds for axis 0 with size 10"
    # Work that is done at once fails at once, other work at the next wait.
    with pytest.raises(IndexError, match=text):
        situ.take(x, situ.asarray([1, 3, 12, 5], device=device)).to_numpy()
    with pytest.raises(IndexError, match=text):
        situ.take(x, situ.full(1_000_000, 12, device=device)).to_numpy()
    # The queue goes on.
    assert int(x[situ.asarray([-1], device=device)].to_numpy()[0]) == 9


def test_lists_and_bools_are_indices():
    host = np.arange(12).reshape(3, 4)
    x = situ.asarray(host)
    for index in ([0, 2], [True, False, True], ([0, 1], [1, 2]), [], True, False, (0, True)):
        np.testing.assert_array_equal(x[index].to_numpy(), host[index])


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (1.5, "cannot be indexed by `float`"),
        (np.asarray([0]), "in host memory"),
        ((0, 0, 0), "too many indices"),
    ],
)
def test_what_is_no_index_is_refused(index, text):
    with pytest.raises(IndexError, match=text):
        situ.zeros((2, 3))[index]


def test_masks_must_fit():
    x = situ.zeros((2, 3))
    with pytest.raises(IndexError, match=r"mask of shape \(3,\) does not fit an array of shape"):
        x[situ.asarray([True, False, True])]
    with pytest.raises(IndexError, match="dtype float64 is no index"):
        x[situ.asarray([1.0])]
    with pytest.raises(ValueError, match="cannot assign a value of shape"):
        x[situ.asarray([0, 1])] = situ.zeros(4)
