"""Operators: scalars, dtypes, placement and mistakes. Values are in tests/differential."""

import numpy as np
import pytest

import situ


def test_python_scalars_take_the_arrays_dtype():
    x = situ.asarray([1, 2], dtype="uint8")
    assert (x + 1).dtype == np.uint8
    assert (x + 1.0).dtype == np.float64
    assert (situ.asarray([1.0], dtype="float32") * 2.0).dtype == np.float32
    assert (situ.asarray([True]) + 1).dtype == np.int64
    assert (x + np.float32(1)).dtype == np.float32
    assert (2 ** situ.asarray([1, 2])).to_numpy().tolist() == [2, 4]


def test_integers_that_do_not_fit_are_refused():
    x = situ.asarray([1, 2], dtype="uint8")
    with pytest.raises(OverflowError, match="300 does not fit into uint8"):
        x + 300
    with pytest.raises(OverflowError, match="-1 does not fit into uint8"):
        x + -1
    with pytest.raises(OverflowError, match="cannot assign the integer 300 to elements of uint8"):
        x[0] = 300


def test_comparisons_are_exact_across_signs_and_sizes():
    signed = situ.asarray([-1, 0, 2**63 - 1])
    unsigned = situ.asarray([2**64 - 1, 0, 2**63], dtype="uint64")
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        for left, right in ((signed, unsigned), (unsigned, signed)):
            expected = getattr(np, name)(left.to_numpy(), right.to_numpy())
            found = getattr(situ, name)(left, right)
            np.testing.assert_array_equal(found.to_numpy(), expected)
    small = situ.asarray([0, 255], dtype="uint8")
    assert (small < 300).to_numpy().tolist() == [True, True]
    assert (small > -1).to_numpy().tolist() == [True, True]
    assert (unsigned == 2**63).to_numpy().tolist() == [False, False, True]
    assert (signed < 2**63).to_numpy().tolist() == [True, True, True]


def test_in_place_operators_write_the_same_memory():
    x = situ.asarray([1.0, 2.0, 3.0, 4.0])
    view = x[::2]
    view += 10
    assert x.to_numpy().tolist() == [11.0, 2.0, 13.0, 4.0]
    with pytest.raises(situ.ShapeError, match="does not fit `out`"):
        view += situ.asarray([[1.0, 2.0], [3.0, 4.0]])
    n = situ.asarray([1, 2])
    with pytest.raises(situ.DTypeError, match="cannot be stored"):
        n += 1.5


def test_overlapping_operands_are_read_before_they_are_written():
    x = situ.asarray(np.arange(10.0))
    x[1:] += x[:-1]
    expected = np.arange(10.0)
    expected[1:] += expected[:-1].copy()
    np.testing.assert_array_equal(x.to_numpy(), expected)
    y = situ.asarray(np.arange(6.0))
    y[:] = y[::-1]
    np.testing.assert_array_equal(y.to_numpy(), np.arange(6.0)[::-1])


def test_host_arrays_do_not_mix_with_device_arrays():
    x = situ.asarray([1.0, 2.0])
    with pytest.raises(situ.PlacementError, match="host array"):
        x + np.ones(2)
    with pytest.raises(situ.PlacementError, match="host array"):
        np.ones(2) + x


def test_arrays_of_different_devices_do_not_mix():
    x = situ.asarray([1.0], device="native")
    y = situ.asarray([1.0], device="reference")
    with pytest.raises(situ.PlacementError, match=r"native:cpu:0[\s\S]*reference:cpu:0") as info:
        x + y
    assert "x2 = x2.to_device(x1.queue)" in str(info.value)
    assert (x + situ.asarray(y, device=x.device)).to_numpy().tolist() == [2.0]


def test_shapes_that_do_not_broadcast_are_named():
    with pytest.raises(situ.ShapeError, match=r"\(2, 3\) and \(2,\)"):
        situ.ones((2, 3)) + situ.ones(2)


def test_foreign_objects_are_left_to_python():
    x = situ.asarray([1.0])
    with pytest.raises(TypeError):
        x + "text"
    with pytest.raises(TypeError):
        object() - x
    assert (x == "text") is False


def test_dtypes_a_function_does_not_take_are_named():
    with pytest.raises(situ.DTypeError, match="`less` is not defined for complex128"):
        situ.less(situ.asarray([1j]), situ.asarray([2j]))
    with pytest.raises(situ.DTypeError, match="`bitwise_and` is not defined for float64"):
        situ.asarray([1.0]) & situ.asarray([2.0])
    with pytest.raises(situ.DTypeError, match="logical_xor"):
        situ.asarray([True]) - situ.asarray([False])
    with pytest.raises(TypeError, match="third argument"):
        pow(situ.asarray([1]), 2, 3)


def test_conversions_to_python_numbers():
    one = situ.asarray([2.5])
    assert float(one) == 2.5
    assert int(one) == 2
    assert complex(one) == 2.5 + 0j
    assert bool(one)
    assert one.item() == 2.5
    assert [10, 20, 30][situ.asarray(1)] == 20
    with pytest.raises(TypeError, match="one element"):
        float(situ.ones(2))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(situ.ones(2))
    with pytest.raises(TypeError, match="0-d integer"):
        [1, 2][situ.asarray(1.0)]
    with pytest.raises(TypeError, match="no length"):
        len(situ.asarray(1.0))
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_functions_write_to_out():
    x = situ.asarray([0.0, 1.0])
    out = situ.empty(2, dtype="float64")
    assert situ.exp(x, out=out) is out
    np.testing.assert_allclose(out.to_numpy(), np.exp([0.0, 1.0]))
    with pytest.raises(TypeError, match="situ arrays and numbers"):
        situ.sin("x")
    with pytest.raises(TypeError, match="without an array"):
        situ.sin(1.0)
