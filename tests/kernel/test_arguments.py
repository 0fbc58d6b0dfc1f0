"""What kernels can be called with, and what they say about the rest."""

import enum

import numpy as np
import pytest

import situ


@situ.kernel
def store(out, value):
    out[situ.get_global_id(0)] = value


@situ.kernel
def add(a, b, out):
    i = situ.get_global_id(0)
    out[i] = a[i] + b[i]


DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES += ["float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_of_every_dtype_are_read_and_written(dtype, device):
    @situ.kernel
    def copy(source, target):
        i = situ.get_global_id(0)
        target[i] = source[i]

    values = np.array([0, 1, 2, 3]).astype(dtype)
    source = situ.asarray(values, device=device)
    target = situ.asarray(np.zeros_like(values), device=device)
    copy(source, target)
    np.testing.assert_array_equal(target.to_numpy(), values)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (True, "bool"),
        (3, "int64"),
        (2**63 + 1, "uint64"),
        (-1.5, "float64"),
        (1 + 2j, "complex128"),
        (np.float32(0.1), "float32"),
        (np.int8(-3), "int8"),
        (np.complex64(2j), "complex64"),
        (enum.IntEnum("Mode", {"FAST": 7}).FAST, "int64"),
    ],
)
def test_numbers_are_passed_with_their_dtype(value, dtype, device):
    @situ.kernel
    def store(out, value):
        out[situ.get_global_id(0)] = value

    out = situ.asarray(np.zeros(1, dtype), device=device)
    store(out, value)
    assert out.to_numpy()[0] == value
    assert store.specializations == [f"({dtype}[:], {dtype}) on {device.filter_string}"]


def test_one_specialisation_serves_all_shapes_and_views():
    @situ.kernel
    def double(x):
        i = situ.get_global_id(0)
        x[i] = 2 * x[i]

    for size in (1, 10, 1000):
        double(situ.asarray(np.ones(size)))
    assert len(double.specializations) == 1
    double(situ.asarray(np.ones(10))[2:5])
    assert len(double.specializations) == 1
    double(situ.asarray(np.ones(10))[::2])
    assert double.specializations[1:] == ["(float64[:] strided) on native:cpu:0"]
    double(situ.asarray(np.ones(3, "float32")))
    assert len(double.specializations) == 3


def test_arguments_can_be_passed_by_name():
    out = situ.asarray(np.zeros(2))
    store(value=3, out=out)
    np.testing.assert_array_equal(out.to_numpy(), [3, 3])
    with pytest.raises(
        situ.KernelTypeError, match="argument `valu` of kernel `store` does not exist"
    ):
        store(out, valu=3)
    with pytest.raises(
        situ.KernelTypeError, match="argument `out` of kernel `store` was given twice"
    ):
        store(out, out=out)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_wrong_number_of_arguments_names_the_parameters(count):
    out = situ.asarray(np.zeros(2))
    with pytest.raises(situ.KernelTypeError) as caught:
        store(*[out] * count)
    assert f"takes 2 arguments, but {count}" in str(caught.value)
    assert "`out` and `value`" in str(caught.value)
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("value", ["text", None, [1, 2], object(), {1: 2}])
def test_other_objects_are_refused_by_name(value):
    out = situ.asarray(np.zeros(2))
    with pytest.raises(situ.KernelTypeError, match="argument `value` of kernel `store` is a"):
        store(out, value)


def test_an_integer_that_no_dtype_holds_is_refused():
    with pytest.raises(situ.KernelTypeError, match="too large"):
        store(situ.asarray(np.zeros(2)), 2**64)


def test_host_arrays_alone_do_not_say_where_to_run():
    host = np.zeros(3)
    with pytest.raises(situ.PlacementError) as caught:
        add(host, host, host)
    assert "cannot tell where to run kernel `add`" in str(caught.value)
    assert "= situ.asarray(a)," in str(caught.value)


def test_host_and_device_arrays_do_not_mix():
    host, here = np.zeros(3), situ.asarray(np.zeros(3))
    with pytest.raises(situ.PlacementError) as caught:
        add(here, host, here)
    message = str(caught.value)
    assert "`a` is device memory on native:cpu:0" in message
    assert "`b` is a host array" in message
    assert "b = situ.asarray(b, queue=a.queue)" in message


def test_arrays_of_two_devices_do_not_mix():
    x = situ.asarray(np.zeros(3), device="native")
    y = situ.asarray(np.zeros(3), device="reference")
    with pytest.raises(situ.PlacementError) as caught:
        add(x, y, x)
    message = str(caught.value)
    assert "`a` is device memory on native:cpu:0" in message
    assert "`b` is device memory on reference:cpu:0" in message


def test_a_failed_call_changes_nothing_and_the_kernel_stays_usable():
    x = situ.asarray(np.ones(3))
    with pytest.raises(situ.KernelTypeError):
        add(x, x, "no")
    add(x, x, x)
    np.testing.assert_array_equal(x.to_numpy(), [2, 2, 2])
