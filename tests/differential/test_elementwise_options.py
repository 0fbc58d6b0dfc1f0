"""What elementwise calls say beside their operands, against NumPy: out, where, dtype, casting."""

import warnings

import numpy as np
import pytest
from differential.strategies import DTYPES, dtypes, operands, views
from hypothesis import given
from hypothesis import strategies as st
from places import driver_devices

import situ

RULES = ["no", "safe", "same_kind", "unsafe"]
simple_dtypes = st.sampled_from(["bool", "int8", "uint8", "int32", "float32", "float64"]).map(
    np.dtype
)


@st.composite
def masked_calls(draw):
    """Make two operands, a mask that broadcasts with them, and an output of the common shape."""
    pair = draw(operands(2, simple_dtypes))
    shape = np.broadcast_shapes(*(view.host.shape for view in pair))
    mask_shape = tuple(draw(st.sampled_from([1, size])) for size in shape)
    out = draw(views(shape, draw(dtypes)))
    return pair, draw(views(mask_shape, np.dtype(bool))), out


@given(call=masked_calls())
def test_results_go_where_the_mask_holds(call):
    pair, mask, out = call
    expected = np.array(out.host)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # NumPy reads a complex output back, and warns of its own conversion.
            warnings.simplefilter("ignore")
            np.multiply(*[view.host for view in pair], out=expected, where=mask.host)
    except TypeError:
        expected = None
    found = out.on("native")
    arrays = [view.on("native") for view in pair]
    if expected is None:
        with pytest.raises(situ.DTypeError):
            situ.multiply(*arrays, out=found, where=mask.on("native"))
        return
    result = situ.multiply(*arrays, out=found, where=mask.on("native"))
    assert result is found
    np.testing.assert_array_equal(found.to_numpy(), expected)


@pytest.mark.parametrize("casting", RULES)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float32", "float64", "complex64"])
@pytest.mark.parametrize("name", ["add", "subtract", "divide", "sin", "less"])
def test_the_dtype_asked_for_is_the_one_computed_in(name, dtype, casting):
    arity = 1 if name == "sin" else 2
    for operand in DTYPES:
        host = np.asarray([1, 0, 1], operand)
        x = situ.asarray(host)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                expected = getattr(np, name)(*[host] * arity, dtype=dtype, casting=casting)
        except TypeError:
            with pytest.raises(situ.DTypeError):
                getattr(situ, name)(*[x] * arity, dtype=dtype, casting=casting)
            continue
        with warnings.catch_warnings():
            # Who is warned, and of what, is in tests/array/test_imaginary_parts.py.
            warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
            found = getattr(situ, name)(*[x] * arity, dtype=dtype, casting=casting)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.to_numpy(), expected, rtol=1e-6)


def test_out_may_be_a_tuple_or_stand_after_the_operands():
    x, out = situ.asarray([1.0, 4.0]), situ.zeros(2)
    assert situ.sqrt(x, out=(out,)) is out
    assert situ.sqrt(x, out) is out
    np.testing.assert_array_equal(out.to_numpy(), [1, 2])


def test_operands_broadcast_to_the_shape_of_out():
    out = situ.zeros((2, 3))
    situ.add(situ.asarray([1.0, 2.0, 3.0]), 1, out=out)
    np.testing.assert_array_equal(out.to_numpy(), [[2, 3, 4]] * 2)


def test_out_that_is_too_small_is_refused():
    with pytest.raises(situ.ShapeError, match="shape"):
        situ.add(situ.zeros((2, 3)), 1, out=situ.zeros(3))


def test_a_mask_of_integers_is_refused():
    with pytest.raises(situ.DTypeError, match="a mask has elements of bool"):
        situ.add(situ.zeros(2), 1, where=situ.asarray([1, 0]), out=situ.zeros(2))


def test_a_mask_that_overlaps_out_is_read_first():
    host = np.array([True, True, False, True, False, True])
    x = situ.asarray(host)
    expected = host.copy()
    np.logical_not(expected[1:], out=expected[:-1], where=host[1:].copy())
    situ.logical_not(x[1:], out=x[:-1], where=x[1:])
    np.testing.assert_array_equal(x.to_numpy(), expected)


def test_an_unknown_rule_lists_the_rules():
    with pytest.raises(ValueError, match='"same_kind"'):
        situ.add(situ.zeros(2), 1, casting="sometimes")


def test_out_in_host_memory_is_refused():
    with pytest.raises(TypeError, match="not a situ array"):
        situ.sin(situ.zeros(2), out=np.zeros(2))


@pytest.mark.parametrize("device", driver_devices())
def test_masks_work_on_drivers(device):
    host = np.arange(-4, 8, dtype="int32")
    x = situ.asarray(host, device=device)
    out = situ.zeros(12, dtype="float32", device=device)
    situ.divide(x[::-1], 2, out=out, where=x > 1, dtype="float32")
    expected = np.zeros(12, "float32")
    np.divide(host[::-1], np.float32(2), out=expected, where=host > 1, dtype="float32")
    np.testing.assert_array_equal(out.to_numpy(), expected)
