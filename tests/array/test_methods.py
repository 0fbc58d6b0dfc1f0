"""Methods of arrays: the same values, shapes and dtypes as NumPy's methods of the same name."""

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import situ

HOST = np.arange(24.0).reshape(2, 3, 4) - 7.25

CALLS: list[Callable[[Any], Any]] = [
    lambda x: x.all(),
    lambda x: x.all(0),
    lambda x: x.any(axis=(0, 2), keepdims=True),
    lambda x: x.argmax(),
    lambda x: x.argmin(1),
    lambda x: x.argsort(0),
    lambda x: x.astype("int32"),
    lambda x: x.clip(-2, 3.5),
    lambda x: x.conj(),
    lambda x: x.copy(),
    lambda x: x.cumprod(0),
    lambda x: x.cumsum(),
    lambda x: x.cumsum(axis=1),
    lambda x: x.diagonal(1),
    lambda x: x[0].dot(x[1].T),
    lambda x: x.flatten(),
    lambda x: x.max(-1),
    lambda x: x.mean(axis=0, keepdims=True),
    lambda x: x.min(),
    lambda x: x.prod(1),
    lambda x: x.ravel(),
    lambda x: x.repeat(2, axis=1),
    lambda x: x.reshape(4, -1),
    lambda x: x.reshape((6, 4)),
    lambda x: x.reshape(-1),
    lambda x: x[0, 0].searchsorted(-6.5, side="right"),
    lambda x: x[:1].squeeze(),
    lambda x: x[:1].squeeze(0),
    lambda x: x.round(1),
    lambda x: x.std(0),
    lambda x: x.sum(),
    lambda x: x.sum(0),
    lambda x: x.sum((0, 1), keepdims=True),
    lambda x: x.swapaxes(0, -1),
    lambda x: x[0].trace(),
    lambda x: x.transpose(),
    lambda x: x.transpose(1, 0, 2),
    lambda x: x.transpose((2, 0, 1)),
    lambda x: x.transpose(None),
    lambda x: x.var(ddof=1),
    lambda x: x.T,
    lambda x: x.mT,
    lambda x: x.real,
    lambda x: x.imag,
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_methods_agree_with_numpy(number: int) -> None:
    call = CALLS[number]
    actual, expected = call(situ.asarray(HOST)), call(HOST)
    assert isinstance(actual, situ.ndarray)
    assert (actual.shape, actual.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(actual.to_numpy(), expected, rtol=1e-13)


def test_sort_is_in_place() -> None:
    host = -HOST
    x = situ.asarray(host)
    assert x.sort(1) is None
    host.sort(1)
    np.testing.assert_array_equal(x.to_numpy(), host)


def test_nonzero_is_a_tuple() -> None:
    host = np.array([[0, 2], [3, 0]])
    for actual, expected in zip(situ.asarray(host).nonzero(), host.nonzero(), strict=True):
        np.testing.assert_array_equal(actual.to_numpy(), expected)


def test_views_stay_views() -> None:
    x = situ.zeros((2, 3))
    for view in (x.T, x.mT, x.ravel(), x.reshape(3, 2), x.swapaxes(0, 1), x.transpose(1, 0)):
        view[0] = 1.0
        assert x.sum().item() > 0
        x.fill(0)
    copied = x.flatten()
    copied[0] = 1.0
    assert x.sum().item() == 0


def test_parts_of_complex_arrays_are_views() -> None:
    host = np.array([[1 + 2j, 3 - 4j], [0.5j, 7]], dtype="complex64")
    x = situ.asarray(host)
    assert x.real.dtype == x.imag.dtype == situ.float32
    np.testing.assert_array_equal(x[::-1, 1].imag.to_numpy(), host[::-1, 1].imag)
    x.real[0] = 9.0
    x.imag = 1.0
    host.real[0] = 9.0
    host.imag = 1.0
    np.testing.assert_array_equal(x.to_numpy(), host)
    x.real = situ.asarray([5.0, 6.0], dtype="float32")
    np.testing.assert_array_equal(x.to_numpy(), host.imag * 1j + np.array([5.0, 6.0]))


def test_parts_of_real_arrays() -> None:
    x = situ.asarray([1, 2])
    x.real = 3
    np.testing.assert_array_equal(x.to_numpy(), [3, 3])
    np.testing.assert_array_equal(x.imag.to_numpy(), [0, 0])
    with pytest.raises(situ.DTypeError, match="no imaginary part"):
        x.imag = 1


def test_matrices_are_needed_to_transpose_matrices() -> None:
    with pytest.raises(situ.ShapeError, match=r"needs a matrix, and this array has 1 dimension"):
        _ = situ.ones(3).mT


def test_item() -> None:
    x = situ.asarray(np.arange(6).reshape(2, 3))
    assert x.item(4) == x.item(-2) == x.item(1, 1) == x.item((1, 1)) == 4
    assert type(x.item(0)) is int
    assert type(situ.asarray([True]).item()) is bool
    assert situ.asarray([[2.5]]).item() == 2.5
    with pytest.raises(ValueError, match=r"has shape \(2, 3\)\n  help: say which"):
        x.item()
    with pytest.raises(IndexError, match="index 6 is out of bounds"):
        x.item(6)
    with pytest.raises(ValueError, match="1 indices were given for an array of 2 dimensions"):
        x.item((1,))


def test_axes_that_do_not_exist() -> None:
    with pytest.raises(np.exceptions.AxisError):
        situ.ones((2, 3)).swapaxes(0, 2)


def test_lists_and_bytes() -> None:
    host = np.arange(6, dtype="int16").reshape(2, 3)
    x = situ.asarray(host)
    assert x.tolist() == host.tolist()
    assert situ.asarray(2.5).tolist() == 2.5
    assert x.T.tobytes() == host.T.tobytes()
    with pytest.raises(io.UnsupportedOperation):
        x.tofile(io.BytesIO())


def test_tofile(tmp_path) -> None:
    x = situ.asarray(np.arange(6.0).reshape(2, 3))
    x.T.tofile(tmp_path / "x")
    np.testing.assert_array_equal(np.fromfile(tmp_path / "x"), [0, 3, 1, 4, 2, 5])


def test_iteration_gives_views() -> None:
    x = situ.zeros((3, 2))
    for number, row in enumerate(x):
        row += number
    np.testing.assert_array_equal(x.to_numpy(), [[0, 0], [1, 1], [2, 2]])
    first, (second, _), *_ = x
    assert (first.shape, second.shape) == ((2,), ())
    assert len(x) == len(list(x)) == 3
    with pytest.raises(TypeError, match="0-d array cannot be iterated"):
        iter(situ.asarray(1.0))


def test_membership() -> None:
    x = situ.asarray([[1.0, float("nan")]])
    assert 1 in x
    assert 2 not in x
    assert float("nan") not in x
    assert situ.asarray([1.0]) in x


def test_formats() -> None:
    assert f"{situ.asarray(2.5):.3f}" == "2.500"
    assert f"{situ.asarray([1, 2])}" == "[1 2]"
    with pytest.raises(TypeError, match=r"format '\.3f' is for numbers"):
        format(situ.ones(2), ".3f")
