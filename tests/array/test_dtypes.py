"""Data type functions: what NumPy 2 says, with a device's missing dtypes taken into account."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

import situ
from situ.testing import virtual_devices

NAMED = [
    situ.bool,
    situ.int8,
    situ.int16,
    situ.int32,
    situ.int64,
    situ.uint8,
    situ.uint16,
    situ.uint32,
    situ.uint64,
    situ.float16,
    situ.float32,
    situ.float64,
    situ.complex64,
    situ.complex128,
]
DTYPES = [np.dtype(named) for named in NAMED]
PAIRS = list(itertools.product(DTYPES, DTYPES))
KINDS = [
    "bool",
    "signed integer",
    "unsigned integer",
    "integral",
    "real floating",
    "complex floating",
    "numeric",
]


@pytest.fixture
def single() -> Iterator[situ.Device]:
    """Yield a device without double precision."""
    with virtual_devices("gpu", without=["fp64"]) as (device,):
        yield device


def test_names_are_the_dtypes_of_arrays() -> None:
    assert [situ.zeros(1, dtype=named).dtype for named in NAMED] == NAMED
    # NumPy's dtype objects take None for float64; that would make every missing dtype equal to it.
    assert not any(named == None for named in NAMED)  # noqa: E711
    assert situ.float32(1.5).dtype == situ.float32


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_result_type_and_can_cast_agree_with_numpy(left: np.dtype, right: np.dtype) -> None:
    assert situ.result_type(left, right) == np.result_type(left, right)
    assert situ.can_cast(left, right) == np.can_cast(left, right)
    for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
        assert situ.can_cast(left, right, casting) == np.can_cast(left, right, casting)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [True, 3, 2.5, 1j])
def test_numbers_are_weak(dtype: np.dtype, number: complex) -> None:
    x = situ.ones((), dtype=dtype)
    expected = np.result_type(dtype, number)
    assert situ.result_type(x, number) == situ.result_type(number, dtype) == expected
    assert expected == (x * number).dtype


def test_result_type_takes_arrays_of_different_devices() -> None:
    x = situ.ones(2, dtype=situ.int16, device="native")
    y = situ.ones(3, dtype=situ.float32, device="reference")
    assert situ.result_type(x, y, situ.uint8) == situ.float32


def test_result_type_follows_the_device(single: situ.Device) -> None:
    x = situ.ones(2, dtype=situ.int32, device=single)
    assert situ.result_type(x, 0.5) == (x * 0.5).dtype == situ.float32
    assert situ.result_type(x, 1j) == situ.complex64
    assert situ.result_type(x, situ.float64) == situ.float64
    assert situ.result_type(situ.int32, 0.5) == situ.float64


def test_can_cast_follows_the_device(single: situ.Device) -> None:
    x = situ.ones(2, dtype=situ.float32, device=single)
    assert not situ.can_cast(x, situ.float64)
    assert situ.can_cast(situ.float32, situ.float64)
    assert situ.can_cast(x, situ.complex64)


def test_result_type_needs_something() -> None:
    with pytest.raises(ValueError, match="at least one"):
        situ.result_type()


def test_numbers_cannot_be_cast() -> None:
    with pytest.raises(TypeError, match="has no dtype"):
        situ.can_cast(3, situ.int8)


@pytest.mark.parametrize("dtype", DTYPES)
def test_isdtype_agrees_with_numpy(dtype: np.dtype) -> None:
    for kind in (*KINDS, *DTYPES):
        assert situ.isdtype(dtype, kind) == np.isdtype(dtype, kind)
    assert situ.isdtype(dtype, tuple(KINDS))
    assert not situ.isdtype(dtype, ())


def test_isdtype_lists_the_kinds() -> None:
    with pytest.raises(ValueError, match='"real floating"'):
        situ.isdtype(situ.int8, "float")


@pytest.mark.parametrize("dtype", [situ.float16, situ.float32, situ.float64])
def test_finfo_agrees_with_numpy(dtype: np.dtype) -> None:
    of, expected = situ.finfo(dtype), np.finfo(dtype)
    for name in ("eps", "max", "min", "smallest_normal", "smallest_subnormal", "tiny"):
        assert getattr(of, name) == getattr(expected, name)
        assert type(getattr(of, name)) is float
    assert (of.dtype, of.bits) == (dtype, expected.bits)
    assert of == situ.finfo(situ.zeros(2, dtype=dtype))


def test_finfo_of_complex_numbers_is_about_their_parts() -> None:
    assert situ.finfo(situ.complex64) == situ.finfo(situ.float32)
    assert situ.finfo(situ.complex128) == situ.finfo(situ.float64)


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d.kind in "iu"])
def test_iinfo_agrees_with_numpy(dtype: np.dtype) -> None:
    of, expected = situ.iinfo(dtype), np.iinfo(dtype)
    assert (of.bits, of.max, of.min, of.dtype) == (
        expected.bits,
        expected.max,
        expected.min,
        dtype,
    )
    assert of == situ.iinfo(situ.zeros(2, dtype=dtype))


def test_infos_refuse_other_kinds() -> None:
    with pytest.raises(situ.DTypeError, match=r"situ\.iinfo"):
        situ.finfo(situ.int8)
    with pytest.raises(situ.DTypeError, match=r"situ\.finfo"):
        situ.iinfo(situ.float32)
    # NumPy's class as well.
    with pytest.raises(ValueError, match=r"bool"):
        situ.finfo(situ.bool)


def test_unknown_dtypes_are_refused_with_a_list() -> None:
    with pytest.raises(situ.DTypeError, match=r"no dtype (?s:.*)choose one of bool, int8"):
        situ.finfo(np.longdouble)
    with pytest.raises(situ.DTypeError):
        situ.astype(situ.ones(2), object)


@pytest.mark.parametrize(("left", "right"), PAIRS[::9])
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_astype_agrees_with_numpy(left: np.dtype, right: np.dtype) -> None:
    host = np.array([0, 1, 2, 100]).astype(left)
    converted = situ.astype(situ.asarray(host), right)
    assert converted.dtype == right
    np.testing.assert_array_equal(converted.to_numpy(), host.astype(right))


def test_astype_without_a_copy() -> None:
    x = situ.ones(3)
    assert situ.astype(x, situ.float64, copy=False) is x
    assert situ.astype(x, situ.float64) is not x
    assert situ.astype(x, situ.int8, copy=False).dtype == situ.int8


def test_astype_can_move() -> None:
    x = situ.ones(3, device="native")
    y = situ.astype(x, situ.int32, device="reference")
    assert y.device == situ.Device("reference")
    assert y.dtype == situ.int32


def test_astype_warns_about_lost_parts() -> None:
    x = situ.asarray([1 + 2j])
    with pytest.warns(np.exceptions.ComplexWarning):
        situ.astype(x, situ.float64)
    assert situ.astype(x, situ.bool).to_numpy().all()
