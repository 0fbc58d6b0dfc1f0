"""NumPy's functions on situ arrays stay on the device, or are refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import situ
from situ.testing import virtual_devices

HOST = np.linspace(0.25, 3.0, 12).reshape(3, 4)
OTHER = np.linspace(-1.0, 2.0, 12).reshape(3, 4)
WHOLE = np.arange(1, 13).reshape(3, 4)

UNARY = [
    *("absolute", "arcsinh", "arctan", "cbrt", "ceil", "conjugate", "cos", "cosh", "deg2rad"),
    *("degrees", "exp", "exp2", "expm1", "fabs", "floor", "isfinite", "isinf", "isnan", "log"),
    *("log10", "log1p", "log2", "logical_not", "negative", "positive", "rad2deg", "radians"),
    *("reciprocal", "rint", "sign", "signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh"),
    "trunc",
]
BINARY = [
    *("add", "arctan2", "copysign", "divide", "equal", "floor_divide", "fmax", "fmin", "fmod"),
    *("greater", "greater_equal", "heaviside", "hypot", "less", "less_equal", "logaddexp"),
    *("logaddexp2", "logical_and", "logical_or", "logical_xor", "maximum", "minimum", "multiply"),
    *("nextafter", "not_equal", "power", "remainder", "subtract", "true_divide"),
]
WHOLE_NUMBERS = ["bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"]

# The same call with NumPy's arrays and with ours.
FUNCTIONS: list[Callable[[Any, Any], Any]] = [
    lambda x, y: np.all(x),
    lambda x, y: np.any(x, axis=0),
    lambda x, y: np.argmax(x, axis=1),
    lambda x, y: np.argmin(x),
    lambda x, y: np.array_equal(x, y),
    lambda x, y: np.allclose(x, x),
    lambda x, y: np.broadcast_to(x, (2, 3, 4)),
    lambda x, y: np.clip(x, 0.5, 2.0),
    lambda x, y: np.clip(x, a_min=0.5, a_max=None),
    lambda x, y: np.concat([x, y]),
    lambda x, y: np.copy(x),
    lambda x, y: np.count_nonzero(x),
    lambda x, y: np.cumsum(x, axis=1),
    lambda x, y: np.cumprod(x),
    lambda x, y: np.expand_dims(x, 1),
    lambda x, y: np.flip(x, axis=0),
    lambda x, y: np.full_like(x, 3),
    lambda x, y: np.full_like(x, 3, shape=(2, 5), order="C", subok=False),
    lambda x, y: np.ones_like(x, dtype="int32", shape=4),
    lambda x, y: np.zeros_like(x, shape=()),
    lambda x, y: np.pad(x, ((1, 2), (0, 3)), constant_values=((5, 6), (7, 8))),
    lambda x, y: np.pad(x, 2, constant_values=(-1, 1)),
    lambda x, y: np.linspace(x, y, 5),
    lambda x, y: np.linspace(x[0], 4, 3, endpoint=False),
    lambda x, y: np.linspace(x, y, 4, dtype="int64"),
    lambda x, y: np.nanquantile(x, q=0.3, axis=0),
    lambda x, y: np.isclose(x, y),
    lambda x, y: np.iscomplexobj(x),
    lambda x, y: np.max(x, axis=1, keepdims=True),
    lambda x, y: np.amax(x),
    lambda x, y: np.mean(x, 0),
    lambda x, y: np.meshgrid(x[0], y[1], indexing="ij"),
    lambda x, y: np.min(x),
    lambda x, y: np.moveaxis(x, 0, 1),
    lambda x, y: np.nansum(x, axis=0),
    lambda x, y: np.ndim(x),
    lambda x, y: np.nonzero(y > 0),
    lambda x, y: np.ones_like(x, dtype="int8"),
    lambda x, y: np.permute_dims(x, (1, 0)),
    lambda x, y: np.prod(x, axis=(0, 1)),
    lambda x, y: np.ravel(x),
    lambda x, y: np.real(x),
    lambda x, y: np.repeat(x, 2, axis=1),
    lambda x, y: np.reshape(x, (2, 6)),
    lambda x, y: np.reshape(x, (2, 6), order="C"),
    lambda x, y: np.roll(x, 1, axis=1),
    lambda x, y: np.round(x, 1),
    lambda x, y: np.shape(x),
    lambda x, y: np.size(x),
    lambda x, y: np.size(x, 1),
    lambda x, y: np.squeeze(x[:1]),
    lambda x, y: np.stack([x, y], axis=1),
    lambda x, y: np.std(x, axis=0, ddof=1),
    lambda x, y: np.sum(x),
    lambda x, y: np.sum(x, 1),
    lambda x, y: np.sum(a=x, axis=0, keepdims=True),
    lambda x, y: np.swapaxes(x, 0, 1),
    lambda x, y: np.tile(x, (2, 1)),
    lambda x, y: np.transpose(x),
    lambda x, y: np.transpose(x, (1, 0)),
    lambda x, y: np.tril(x),
    lambda x, y: np.triu(x, k=1),
    lambda x, y: np.var(x, correction=1),
    lambda x, y: np.where(y > 0, x, y),
    lambda x, y: np.where(y > 0, x, 0.0),
    lambda x, y: np.where(y > 0),
    lambda x, y: np.zeros_like(x),
    lambda x, y: np.fft.fft(x),
    lambda x, y: np.fft.ifft(x, n=6, axis=0),
    lambda x, y: np.fft.irfft(np.fft.rfft(x, norm="ortho"), 4, norm="ortho"),
    lambda x, y: np.fft.fftshift(x, axes=1),
    lambda x, y: np.matmul(x, y.T),
    lambda x, y: x @ y.T,
    lambda x, y: np.dot(x, y.T),
    lambda x, y: np.einsum("ij,kj->ik", x, y),
    lambda x, y: np.einsum("ij,kj->ik", x, y, dtype="complex128"),
    lambda x, y: np.tensordot(x, y, axes=2),
    lambda x, y: np.trace(x),
    lambda x, y: np.linalg.norm(x),
    lambda x, y: np.linalg.norm(x, axis=0, ord=1),
    lambda x, y: np.linalg.inv(np.square(y)[:, :3] + np.eye(3, like=x)),
    lambda x, y: np.linalg.solve(x[:, :3] + np.eye(3, like=x), y[:, :2]),
    lambda x, y: np.linalg.svd(np.square(y))[1],
    lambda x, y: np.sort(-x, axis=1),
    lambda x, y: np.argsort(-x, kind="stable"),
    lambda x, y: np.unique(y),
    lambda x, y: np.diff(x, axis=0),
    lambda x, y: np.vstack([x, y]),
    lambda x, y: np.divmod(x, 2.0),
    lambda x, y: np.add.reduce(x),
    lambda x, y: np.add.reduce(x, axis=None),
    lambda x, y: np.multiply.reduce(x, axis=1, keepdims=True),
    lambda x, y: np.maximum.reduce(x, axis=(0, 1)),
    lambda x, y: np.logical_and.reduce(x > 1),
    lambda x, y: np.add.accumulate(x),
    lambda x, y: np.multiply.accumulate(x, axis=1),
    lambda x, y: np.multiply.outer(x, y[0]),
    lambda x, y: np.subtract.outer(x[0], 2.0),
    lambda x, y: np.add(x, y, dtype="float32"),
    lambda x, y: np.float32(2) * x,
    lambda x, y: np.float64(2) - x,
    lambda x, y: np.int8(3) ** x,
    lambda x, y: np.array(2.0) + x,
]


def same(actual: object, expected: object) -> None:
    """Compare results that may be arrays, tuples of arrays, or plain."""
    if isinstance(expected, tuple | list):
        assert isinstance(actual, type(expected))
        for one, other in zip(actual, expected, strict=True):
            same(one, other)
    elif isinstance(expected, np.ndarray | np.generic):
        assert isinstance(actual, situ.ndarray)
        assert (actual.shape, actual.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(actual.to_numpy(), expected, rtol=1e-12)
    else:
        assert actual == expected


@pytest.mark.parametrize("name", UNARY)
def test_unary_ufuncs(name: str) -> None:
    same(getattr(np, name)(situ.asarray(HOST)), getattr(np, name)(HOST))


@pytest.mark.parametrize("name", BINARY)
def test_binary_ufuncs(name: str) -> None:
    ufunc = getattr(np, name)
    x, y = situ.asarray(HOST), situ.asarray(OTHER)
    same(ufunc(x, y), ufunc(HOST, OTHER))
    same(ufunc(x, 2.0), ufunc(HOST, 2.0))
    same(ufunc(2.0, x), ufunc(2.0, HOST))


@pytest.mark.parametrize("name", WHOLE_NUMBERS)
def test_ufuncs_of_integers(name: str) -> None:
    same(getattr(np, name)(situ.asarray(WHOLE), 3), getattr(np, name)(WHOLE, 3))
    same(np.invert(situ.asarray(WHOLE)), np.invert(WHOLE))


@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
def test_functions(number: int) -> None:
    call = FUNCTIONS[number]
    same(call(situ.asarray(HOST), situ.asarray(OTHER)), call(HOST, OTHER))


def test_results_stay_on_the_device() -> None:
    with virtual_devices("gpu") as (gpu,):
        x = situ.asarray(HOST, device=gpu, usm_type="shared")
        for y in (
            np.sin(x),
            np.add(x, 1),
            np.sum(x, axis=0),
            np.concat([x, x]),
            np.ones(2, like=x),
        ):
            assert (y.device, y.usm_type) == (gpu, "shared")


def test_outputs_and_masks() -> None:
    x, out = situ.asarray(HOST), situ.zeros((3, 4))
    assert np.sin(x, out=out) is out
    np.testing.assert_allclose(out.to_numpy(), np.sin(HOST))
    assert np.sum(x, axis=0, out=situ.zeros(4)).shape == (4,)
    mask = OTHER > 0
    np.multiply(x, 2, out=out, where=situ.asarray(mask))
    np.testing.assert_allclose(out.to_numpy(), np.where(mask, HOST * 2, np.sin(HOST)))
    total = situ.zeros(4)
    assert np.add.reduce(x, out=total) is total


@pytest.mark.parametrize(
    "make",
    [
        lambda like: np.ones(3, like=like),
        lambda like: np.zeros((2, 3), dtype="int8", like=like),
        lambda like: np.full((2,), 7, like=like),
        lambda like: np.arange(5, like=like),
        lambda like: np.arange(1, 9, 2, dtype="float32", like=like),
        lambda like: np.eye(3, like=like),
        lambda like: np.array([[1, 2], [3, 4]], like=like),
        lambda like: np.asarray([1.5, 2.5], like=like),
    ],
)
def test_creation_like_an_array(make: Callable[[Any], Any]) -> None:
    same(make(situ.ones(1)), make(np.ones(1)))
    assert make(situ.ones(1, device="reference")).device == situ.Device("reference")


@pytest.mark.parametrize(
    "mix",
    [
        lambda x, host: np.add(x, host),
        lambda x, host: np.add(host, x),
        lambda x, host: host + x,
        lambda x, host: host == x,
        lambda x, host: np.sin(x, out=host),
        lambda x, host: np.add(x, 1, where=host > 0, out=x),
        lambda x, host: np.concat([x, host]),
        lambda x, host: np.where(host > 0, x, x),
        lambda x, host: np.sum(x, axis=0, out=host[0]),
        lambda x, host: np.add.reduce(x, out=host[0]),
        lambda x, host: np.multiply.outer(x, host),
    ],
)
def test_host_arrays_are_refused(mix: Callable[[Any, Any], Any]) -> None:
    host = HOST.copy()
    with pytest.raises(situ.PlacementError, match=r"(?s)host.*help:.*situ\.asarray"):
        mix(situ.asarray(HOST), host)
    np.testing.assert_array_equal(host, HOST)


def test_host_arrays_are_not_changed_in_place() -> None:
    host = HOST.copy()
    with pytest.raises(situ.PlacementError):
        host += situ.asarray(HOST)
    np.testing.assert_array_equal(host, HOST)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: np.einsum_path("i", x), r"no counterpart of `numpy\.einsum_path`"),
        (lambda x: np.add.at(x, [0], 1), r"no counterpart of `numpy\.add\.at`"),
        (lambda x: np.add.reduceat(x, [0]), r"no counterpart of `numpy\.add\.reduceat`"),
        (lambda x: np.hypot.reduce(x), r"no counterpart of `numpy\.hypot\.reduce`"),
        (lambda x: np.isnat(x), r"no counterpart of `numpy\.isnat`; it has `numpy\.isnan`"),
        (lambda x: np.reshape(x, (12,), order="F"), r"does not take `order`"),
    ],
)
def test_what_is_missing_is_refused(call: Callable[[Any], Any], words: str) -> None:
    with pytest.raises(TypeError, match=words + r"(?s:.*)why: (?s:.*)x\.to_numpy\(\)"):
        call(situ.asarray(HOST))


class Wrapper:
    """An array made of arrays, which applies ufuncs to what is inside."""

    def __init__(self, inside: Any) -> None:
        self.inside = inside

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:  # noqa: D105
        bare = [each.inside if isinstance(each, Wrapper) else each for each in inputs]
        return Wrapper(getattr(ufunc, method)(*bare, **options))


def test_arrays_made_of_arrays_apply_ufuncs_themselves() -> None:
    x = situ.asarray(HOST)
    for result in (np.add(x, Wrapper(x)), np.add(Wrapper(x), x)):
        assert isinstance(result, Wrapper)
        np.testing.assert_array_equal(result.inside.to_numpy(), HOST * 2)


def test_ufuncs_of_others_are_not_taken_for_numpys() -> None:
    mine = np.frompyfunc(lambda value: value, 1, 1)
    with pytest.raises(TypeError, match="no counterpart"):
        mine(situ.ones(2))
