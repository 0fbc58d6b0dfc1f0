"""Views and assignment through indices, against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import situ


@st.composite
def arrays_and_indices(draw):
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    index = draw(hnp.basic_indices(shape, allow_newaxis=True))
    return np.arange(np.prod(shape, dtype=int)).reshape(shape), index


@given(arrays_and_indices())
def test_views_select_what_numpy_selects(case):
    host, index = case
    expected = host[index]
    view = situ.asarray(host)[index]
    assert view.shape == expected.shape
    np.testing.assert_array_equal(view.to_numpy(), expected)


@given(arrays_and_indices(), st.integers(-5, 5))
def test_assignment_changes_what_numpy_changes(case, value):
    host, index = case
    x = situ.asarray(host)
    x[index] = value
    host[index] = value
    np.testing.assert_array_equal(x.to_numpy(), host)


@given(arrays_and_indices())
def test_views_of_views_and_array_values(case):
    host, index = case
    x = situ.asarray(host)
    x[index] = x[index] * 2 + 1
    host[index] = host[index] * 2 + 1
    np.testing.assert_array_equal(x.to_numpy(), host)


def test_values_are_broadcast_and_converted():
    x = situ.zeros((2, 3), dtype="int32")
    x[:, 1:] = situ.asarray([1.9, -2.9])
    np.testing.assert_array_equal(x.to_numpy(), [[0, 1, -2], [0, 1, -2]])
    with pytest.raises(situ.ShapeError, match=r"\(2,\) to a view of shape \(3,\)"):
        x[0] = situ.asarray([1, 2])


@pytest.mark.parametrize(
    ("index", "error", "words"),
    [
        (5, IndexError, "index 5 is out of bounds for axis 0 with size 2"),
        ((0, -4), IndexError, "index -4 is out of bounds for axis 1 with size 3"),
        ((0, 0, 0), IndexError, "too many indices"),
        ((..., ...), IndexError, "one ellipsis"),
        (slice(None, None, 0), ValueError, "cannot be zero"),
        (1.5, IndexError, "cannot be indexed by `float`"),
        ("a", IndexError, "cannot be indexed by `str`"),
        (2**70, IndexError, "out of bounds"),
    ],
    ids=repr,
)
def test_bad_indices(index, error, words):
    x = situ.zeros((2, 3))
    with pytest.raises(error, match=words):
        x[index]
    with pytest.raises(error, match=words):
        x[index] = 1


def test_reshape_and_transpose():
    host = np.arange(24).reshape(2, 3, 4)
    x = situ.asarray(host)
    np.testing.assert_array_equal(x.T.to_numpy(), host.T)
    np.testing.assert_array_equal(x.T.reshape(4, -1).to_numpy(), host.T.reshape(4, -1))
    np.testing.assert_array_equal(x.reshape((6, 4)).to_numpy(), host.reshape(6, 4))
    np.testing.assert_array_equal(x.reshape(-1).to_numpy(), host.reshape(-1))
    assert x.T.strides == host.T.strides
    with pytest.raises(situ.ShapeError, match="cannot reshape"):
        x.reshape(5, 5)
    with pytest.raises(ValueError, match="at most one of them is -1"):
        x.reshape(-1, -1)


@pytest.mark.parametrize("dtype", ["float64", "complex64"])
def test_elements_of_large_arrays_are_found_by_any_index(dtype):
    """Elements of arrays that no cache holds are asked for before they are read."""
    count = 1_100_000
    host = np.arange(count).astype(dtype)
    indices = np.random.default_rng(0).integers(-count, count, 5000)
    x = situ.asarray(host, device="native")
    for length in (1, 63, 64, 65, 5000):
        part = situ.asarray(indices[:length], device="native")
        np.testing.assert_array_equal(situ.take(x, part).to_numpy(), host[indices[:length]])
    indices[4999] = count
    with pytest.raises(IndexError, match="1100000"):
        situ.take(x, situ.asarray(indices, device="native")).to_numpy()


@pytest.mark.parametrize("index", [5, -2])
def test_indices_are_checked_where_other_axes_have_no_elements(index, device):
    """As NumPy does; nothing is selected all the same."""
    x = situ.zeros((2, 1, 3), device=device)
    good, bad = (situ.asarray([each], device=device) for each in (0, index))
    assert x[0:0, good].shape == (0, 1, 3)
    with pytest.raises(IndexError, match=f"index {index} is out of bounds for axis 1 with size 1"):
        x[0:0, bad].queue.wait()

    def assign():
        x[0:0, bad] = 1.0
        x.queue.wait()

    with pytest.raises(IndexError, match=f"index {index} is out of bounds for axis 1 with size 1"):
        assign()


@pytest.mark.parametrize("width", [2, 4, 10, 100, 300])
@pytest.mark.parametrize("dtype", ["float64", "int8", "complex128"])
def test_rows_of_large_arrays_are_found_by_any_index(width, dtype):
    """As elements are: the rows that come next are asked for before they are read."""
    count = 9_000_000 // (width * np.dtype(dtype).itemsize)
    host = np.arange(count * width).reshape(count, width).astype(dtype)
    x = situ.asarray(host, device="native")
    indices = np.random.default_rng(0).integers(-count, count, 3000)
    for length in (1, 64, 65, 3000):
        part = situ.asarray(indices[:length], device="native")
        np.testing.assert_array_equal(x[part].to_numpy(), host[indices[:length]])
    # Every second index, and an index for each of two axes.
    every_second = situ.asarray(indices, device="native")[::2]
    np.testing.assert_array_equal(x[every_second].to_numpy(), host[indices[::2]])
    columns = np.random.default_rng(1).integers(-width, width, 3000)
    both = tuple(situ.asarray(each, device="native") for each in (indices, columns))
    np.testing.assert_array_equal(x[both].to_numpy(), host[indices, columns])
    indices[2999] = count
    with pytest.raises(IndexError, match=f"index {count} is out of bounds for axis 0"):
        x[situ.asarray(indices, device="native")].to_numpy()


@pytest.mark.parametrize("count", [2, 1000, 300_000])
def test_the_last_of_several_values_stays(count):
    rng = np.random.default_rng(count)
    places, values = rng.integers(0, max(count // 3, 1), count), rng.random(count)
    host = np.zeros(count)
    x = situ.zeros(count)
    host[places] = values
    x[situ.asarray(places)] = situ.asarray(values)
    np.testing.assert_array_equal(x.to_numpy(), host)


def test_the_last_of_several_values_stays_on_each_device(device):
    host = np.zeros((3, 4), "float32")
    x = situ.asarray(host, device=device)
    x[[1, 1, 2, 1]] = situ.asarray(np.arange(16, dtype="float32").reshape(4, 4), device=device)
    host[[1, 1, 2, 1]] = np.arange(16).reshape(4, 4)
    x[[0, 0], [1, 1]] = 5.0
    host[[0, 0], [1, 1]] = 5.0
    np.testing.assert_array_equal(x.to_numpy(), host)
