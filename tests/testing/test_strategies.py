"""Strategies make what they say."""

import subprocess
import sys

import numpy as np
from hypothesis import find, given, settings
from hypothesis import strategies as st

import situ
from situ.testing import strategies, virtual_devices


@settings(max_examples=30)
@given(x=strategies.arrays(strategies.dtypes(), strategies.shapes(max_dims=3, max_side=4)))
def test_arrays_of_any_dtype_and_shape(x):
    assert isinstance(x, situ.ndarray)
    assert 1 <= x.ndim <= 3
    assert x.to_numpy().shape == x.shape


@settings(max_examples=30)
@given(
    x=strategies.arrays(
        "int16", (2, 3), elements=st.integers(1, 5), device="reference", usm_type="host"
    )
)
def test_elements_and_places(x):
    assert (x.dtype, x.shape, x.usm_type) == (situ.int16, (2, 3), "host")
    assert x.device == situ.Device("reference")
    host = x.to_numpy()
    assert host.min() >= 1
    assert host.max() <= 5


def test_some_arrays_are_views():
    drawn = strategies.arrays("float64", (3, 4))
    contiguous = (32, 8)
    assert find(drawn, lambda x: x.strides != contiguous).shape == (3, 4)
    assert find(drawn, lambda x: any(step < 0 for step in x.strides)).shape == (3, 4)
    simplest = find(drawn, lambda x: True)
    assert simplest.strides == contiguous
    np.testing.assert_array_equal(simplest.to_numpy(), 0)


@settings(max_examples=20)
@given(x=strategies.arrays("int8", (3,), views=False))
def test_views_can_be_left_out(x):
    assert x.strides == (1,)


def test_dtypes_are_those_of_the_device():
    with virtual_devices("gpu", without=["fp64"]) as (device,):
        floats = strategies.dtypes("real floating", device=device)
        found = {find(floats, lambda dtype, want=want: dtype == want) for want in ("f4", "f2")}
        assert found == {np.dtype("float32"), np.dtype("float16")}


def test_hypothesis_is_not_needed():
    program = (
        "import sys; sys.modules['hypothesis'] = None; import situ.testing; "
        "situ.testing.assert_array_equal(situ.ones(1), [1])"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
