"""Assertions about arrays of any device."""

import numpy as np
import pytest

import situ
from situ import testing
from situ.testing import virtual_devices


def test_equal_arrays_pass():
    x = situ.asarray([1.0, float("nan")])
    testing.assert_array_equal(x, x)
    testing.assert_array_equal(x, [1.0, float("nan")])
    testing.assert_array_equal([1.0, float("nan")], x, strict=False)
    testing.assert_allclose(x + 1e-9, x)
    testing.assert_array_almost_equal(x + 1e-7, x)
    testing.assert_array_less(situ.zeros(2), situ.ones(2))


def test_arrays_of_different_devices_are_compared():
    with virtual_devices("gpu") as (gpu,):
        testing.assert_array_equal(situ.ones(2), situ.ones(2, device=gpu))


@pytest.mark.parametrize(
    "check",
    [
        testing.assert_array_equal,
        testing.assert_allclose,
        testing.assert_array_almost_equal,
    ],
)
def test_failures_name_the_devices(check):
    x, y = situ.zeros(2), situ.ones(2, device="reference", usm_type="host")
    with pytest.raises(AssertionError, match=r"(?s)Mismatch.*reference:cpu:0") as failure:
        check(x, y)
    assert "`actual` is on native:cpu:0 (device memory)" in str(failure.value)
    assert "`desired` is on reference:cpu:0 (host memory)" in str(failure.value)


def test_less_names_its_own_arguments():
    with pytest.raises(AssertionError, match=r"`x` is on native:cpu:0"):
        testing.assert_array_less(situ.ones(2), np.zeros(2))


def test_options_of_numpy():
    x = situ.asarray([1.0])
    with pytest.raises(AssertionError, match="my words"):
        testing.assert_allclose(x, [2.0], err_msg="my words")
    testing.assert_allclose(x, [1.1], rtol=0.2)
    testing.assert_allclose(x, [1.1], rtol=0, atol=0.2)
    with pytest.raises(AssertionError):
        testing.assert_array_equal(x, np.array([1]), strict=True)
    with pytest.raises(AssertionError):
        testing.assert_allclose(situ.asarray([float("nan")]), [float("nan")], equal_nan=False)
