"""Sums: every axis, layout and dtype, and how exact they are."""

import itertools
import math

import numpy as np
import pytest

import situ


@pytest.mark.parametrize("shape", [(), (1,), (0,), (5,), (3, 4), (2, 0, 3), (2, 3, 4, 5)])
def test_every_set_of_axes(device, shape):
    host = np.arange(math.prod(shape)).reshape(shape) - 7
    x = situ.asarray(host, device=device)
    axes = range(len(shape))
    for count in range(len(shape) + 1):
        for axis in itertools.combinations(axes, count):
            for keepdims in (False, True):
                expected = host.sum(axis=axis, keepdims=keepdims)
                found = situ.sum(x, axis=axis, keepdims=keepdims)
                assert found.shape == expected.shape
                np.testing.assert_array_equal(found.to_numpy(), expected)


@pytest.mark.parametrize("index", [np.s_[::-1], np.s_[::3, 1::2], np.s_[:, ::-2], np.s_[5]])
def test_views(index):
    host = np.random.default_rng(3).integers(-100, 100, (40, 700))
    x = situ.asarray(host)
    for axis in range(host[index].ndim):
        np.testing.assert_array_equal(x[index].sum(axis).to_numpy(), host[index].sum(axis))
        np.testing.assert_array_equal(x[index].T.sum(axis).to_numpy(), host[index].T.sum(axis))
    assert int(x[index].sum()) == host[index].sum()


@pytest.mark.parametrize("shape", [(100_003,), (3, 10_007), (10_007, 3), (5, 1031, 7)])
def test_large_sums_over_each_axis(shape):
    host = np.random.default_rng(4).integers(-1000, 1000, shape)
    x = situ.asarray(host)
    for axis in (None, *range(len(shape))):
        np.testing.assert_array_equal(situ.sum(x, axis=axis).to_numpy(), host.sum(axis))


def test_dtypes_follow_numpy():
    for dtype in ("bool", "int8", "int32", "uint8", "uint64", "float16", "float32", "complex64"):
        host = np.ones(5, dtype)
        assert situ.asarray(host).sum().dtype == host.sum().dtype
    x = situ.ones(1000, dtype="int8")
    assert int(x.sum()) == 1000
    assert x.sum(dtype="int8").to_numpy() == np.int8(-24)


def test_float32_sums_stay_exact_enough():
    host = np.full(10_000_000, 0.1, dtype=np.float32)
    exact = math.fsum(host[:1].astype(float)) * host.size
    assert float(situ.asarray(host).sum()) == pytest.approx(exact, rel=1e-6)


def test_special_values():
    assert math.isnan(float(situ.asarray([1.0, math.nan]).sum()))
    assert float(situ.asarray([math.inf, 1.0]).sum()) == math.inf
    assert math.copysign(1.0, float(situ.asarray([-0.0, -0.0]).sum())) == -1.0
    assert math.copysign(1.0, float(situ.zeros(0).sum())) == 1.0


def test_axes_that_do_not_exist():
    x = situ.zeros((2, 3))
    with pytest.raises(np.exceptions.AxisError, match="axis 2 is out of bounds"):
        situ.sum(x, axis=2)
    with pytest.raises(situ.ShapeError, match="named twice"):
        situ.sum(x, axis=(0, -2))
