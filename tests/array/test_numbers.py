"""Arrays and Python's numbers: conversions, operators with scalars, in-place operators."""

import operator

import numpy as np
import pytest

import situ


def test_conversions_of_one_element():
    assert float(situ.asarray(2)) == 2.0
    assert int(situ.asarray(2.75)) == 2
    assert complex(situ.asarray(True)) == 1
    assert bool(situ.asarray([[0.5]]))
    assert not situ.asarray(0)
    assert [10, 20, 30][situ.asarray(1)] == 20
    assert isinstance(int(situ.asarray(True)), int)


@pytest.mark.parametrize("convert", [float, int, complex])
def test_many_elements_are_no_number(convert):
    with pytest.raises(TypeError, match=r"one element .* has shape \(2, 1\)\n  help:"):
        convert(situ.ones((2, 1)))


@pytest.mark.parametrize("convert", [float, int])
def test_complex_arrays_are_not_real(convert):
    with pytest.raises(TypeError, match="complex array cannot become"):
        convert(situ.asarray(1 + 2j))


@pytest.mark.parametrize(
    ("value", "convert", "error"),
    [(float("nan"), int, ValueError), (float("inf"), int, OverflowError)],
)
def test_numbers_that_python_cannot_convert(value, convert, error):
    with pytest.raises(error):
        convert(situ.asarray(value))


@pytest.mark.parametrize("x", [1.0, [1], [[1]]])
def test_only_integers_without_dimensions_are_indices(x):
    with pytest.raises(TypeError, match="0-d integer array"):
        operator.index(situ.asarray(x))


@pytest.mark.parametrize("shape", [(2,), (0,)])
def test_truth_of_many_or_no_elements_is_ambiguous(shape):
    with pytest.raises(ValueError, match=r"ambiguous\n  help: .*`x\.any\(\)`"):
        bool(situ.zeros(shape))


@pytest.mark.parametrize(
    ("dtype", "number"),
    [("int8", 128), ("uint8", -1), ("uint8", 256), ("int64", 2**63), ("int32", -(2**40))],
)
def test_numbers_that_do_not_fit(dtype, number):
    x = situ.ones(2, dtype=dtype)
    for combine in (operator.add, operator.mul, operator.iadd, operator.and_):
        with pytest.raises(OverflowError, match=f"{number} does not fit into {dtype}"):
            combine(x, number)
    with pytest.raises(OverflowError):
        x[0] = number
    np.testing.assert_array_equal(x.to_numpy(), 1)


@pytest.mark.parametrize("number", [1000, -1000, 2**63, 2**80, -(2**100)])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
def test_numbers_that_do_not_fit_can_be_compared(dtype, number):
    host = np.array([0, 1, 100], dtype=dtype)
    for compare in (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge):
        expected = [compare(int(each), number) for each in host]
        np.testing.assert_array_equal(compare(situ.asarray(host), number).to_numpy(), expected)


def test_divmod():
    host = np.array([7.5, -7.5, 3.0])
    quotient, remainder = divmod(situ.asarray(host), 2)
    np.testing.assert_array_equal(quotient.to_numpy(), host // 2)
    np.testing.assert_array_equal(remainder.to_numpy(), host % 2)
    quotient, remainder = divmod(20, situ.asarray([3, -7]))
    np.testing.assert_array_equal(quotient.to_numpy(), [6, -3])
    np.testing.assert_array_equal(remainder.to_numpy(), [2, -1])
    with pytest.raises(TypeError, match="unsupported operand"):
        divmod(situ.ones(2), "text")


@pytest.mark.parametrize("dtype", ["int8", "int64", "bool"])
def test_integers_to_negative_powers(dtype):
    x = situ.ones(3, dtype=dtype)
    with pytest.raises(ValueError, match=r"cannot be raised to the power -2(?s:.*)x \*\* -2\.0"):
        x**-2
    np.testing.assert_array_equal((x**-2.0).to_numpy(), 1.0)
    np.testing.assert_array_equal((situ.ones(2) ** -2).to_numpy(), 1.0)


@pytest.mark.parametrize("size", [3, 100_000])
@pytest.mark.parametrize("dtype", ["int8", "int64"])
def test_integers_to_negative_powers_in_arrays(size, dtype, device):
    """NumPy refuses them whatever the bases are."""
    x = situ.ones(size, dtype=dtype, device=device)
    y = situ.asarray(np.r_[np.full(size - 1, 2), -3], dtype=dtype, device=device)
    message = r"integers of \w+ cannot be raised to the power -3"
    with pytest.raises(ValueError, match=message):
        x**y
    with pytest.raises(ValueError, match=message):
        x ** (y + 0)
    with pytest.raises(ValueError, match=message):
        situ.pow(x, y, out=x)
    with pytest.raises(ValueError, match=message):
        x **= y
    with pytest.raises(ValueError, match=message):
        x ** np.int64(-3)
    np.testing.assert_array_equal(x.to_numpy(), 1)


def test_negative_powers_that_nobody_computes_are_not_refused(device):
    x = situ.asarray([2, 3, 4], device=device)
    y = situ.asarray([2, -1, 3], device=device)
    out = situ.zeros_like(x)
    situ.pow(x, y, out=out, where=y > 0)
    np.testing.assert_array_equal(out.to_numpy(), [4, 0, 64])
    with pytest.raises(ValueError, match="power -1"):
        situ.pow(x, y, out=out, where=y < 3)
    assert (situ.zeros((0, 3), dtype="int64", device=device) ** y).shape == (0, 3)
    unsigned = situ.asarray([2, 1, 0], dtype="uint8", device=device)
    np.testing.assert_array_equal((x**unsigned).to_numpy(), [4, 3, 1])
    np.testing.assert_allclose((unsigned**unsigned).to_numpy(), [4, 1, 1])


IN_PLACE = [
    operator.iadd,
    operator.isub,
    operator.imul,
    operator.ifloordiv,
    operator.imod,
    operator.ipow,
    operator.iand,
    operator.ior,
    operator.ixor,
    operator.ilshift,
    operator.irshift,
]


@pytest.mark.parametrize("combine", IN_PLACE)
def test_in_place_operators_keep_memory_and_dtype(combine):
    host = np.array([5, 6, 7], dtype="int16")
    x = situ.asarray(host)
    same = combine(x, 2)
    assert same is x
    np.testing.assert_array_equal(x.to_numpy(), combine(host, 2), strict=True)
    narrower = situ.asarray([1, 2, 3], dtype="int8")
    assert combine(x, narrower) is x
    assert x.dtype == situ.int16


@pytest.mark.parametrize(
    ("dtype", "other"),
    [
        ("int32", 0.5),
        ("float32", 1j),
        ("bool", 1),
        ("uint8", np.int16(1)),
        ("int64", np.float32(1)),
        ("float64", np.complex64(1)),
    ],
)
def test_in_place_operators_refuse_what_needs_another_kind(dtype, other):
    x = situ.ones(3, dtype=dtype)
    with pytest.raises(situ.DTypeError, match="cannot be stored"):
        x += other
    with pytest.raises(TypeError):
        np.ones(3, dtype=dtype).__iadd__(other)
    with pytest.raises(situ.DTypeError):
        x += situ.asarray([other] * 3)


def test_division_in_place_needs_floats():
    x = situ.ones(2, dtype="float32")
    x /= 4
    assert (x.dtype, x[0].item()) == (situ.float32, 0.25)
    whole = situ.ones(2, dtype="int32")
    with pytest.raises(situ.DTypeError):
        whole /= 2


def test_arrays_cannot_be_keys():
    with pytest.raises(TypeError, match="unhashable"):
        hash(situ.ones(2))
