"""Devices without double or half precision: what adapts, and what is refused before it runs."""

import numpy as np
import pytest

import situ
import situ.testing


@pytest.fixture
def single():
    """Give a device without ``float64``."""
    with situ.testing.virtual_devices("gpu", without=("fp64",)) as (device,):
        yield device


def test_such_devices_say_so(single):
    assert not single.has_aspect("fp64")
    assert single.has_aspect("fp16")
    assert single in situ.devices("gpu", without=["fp64"])


def test_new_arrays_are_as_wide_as_the_device_has(single):
    for make in (situ.zeros, situ.ones, situ.empty):
        assert make(3, device=single).dtype == np.float32
    assert situ.full(3, 0.5, device=single).dtype == np.float32
    assert situ.full(3, 1j, device=single).dtype == np.complex64
    assert situ.full(3, 7, device=single).dtype == np.int64
    assert situ.full(3, True, device=single).dtype == np.bool_
    np.testing.assert_array_equal(situ.ones(3, device=single).to_numpy(), [1, 1, 1])


def test_python_numbers_adapt(single):
    for data, dtype in [
        ([1.5, 2.5], np.float32),
        (((1.0,), (2.0,)), np.float32),
        (0.1, np.float32),
        (1 + 2j, np.complex64),
        ([1j, 2.0], np.complex64),
        ([1, 2], np.int64),
        ([], np.float32),
    ]:
        array = situ.asarray(data, device=single)
        assert array.dtype == dtype
        np.testing.assert_array_equal(array.to_numpy(), np.asarray(data, dtype=dtype))


@pytest.mark.parametrize(
    "ask",
    [
        lambda device: situ.zeros(3, dtype="float64", device=device),
        lambda device: situ.empty(3, dtype="complex128", device=device),
        lambda device: situ.asarray([1.0], dtype=float, device=device),
        lambda device: situ.asarray(np.ones(3), device=device),
        lambda device: situ.asarray(np.float64(3), device=device),
        lambda device: situ.full(3, np.float64(3), device=device),
        lambda device: situ.ones(3).to_device(device),
        lambda device: situ.ones(3, device=device).astype("float64"),
        lambda device: situ.ones(3, device=device) + np.float64(1),
        lambda device: situ.sum(situ.ones(3, device=device), dtype="float64"),
    ],
)
def test_asking_for_double_precision_is_refused(single, ask):
    with pytest.raises(situ.DTypeError) as refusal:
        ask(single)
    message = str(refusal.value)
    for part in [single.filter_string, "aspect `fp64`", "why:", "help:"]:
        assert part in message
    assert 'dtype="float32"' in message or 'dtype="complex64"' in message


def test_what_numbers_meet_in_is_single_precision(single):
    ints = situ.asarray(np.arange(1, 4, dtype=np.int32), device=single)
    longs = situ.asarray(np.arange(1, 4), device=single)
    floats = situ.ones(3, device=single)
    host = ints.to_numpy().astype(np.float32)
    for found, expected in [
        (ints / 2, host / np.float32(2)),
        (longs / longs, np.ones(3, np.float32)),
        (ints * 0.5, host * np.float32(0.5)),
        (ints + floats, host + np.float32(1)),
        (longs + floats, host + np.float32(1)),
        (situ.sqrt(longs), np.sqrt(host)),
        (floats + 1j, np.ones(3, np.float32) + np.complex64(1j)),
    ]:
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.to_numpy(), expected, rtol=1e-6)
    assert (ints < floats).to_numpy().tolist() == [False, False, False]
    assert situ.sum(floats).dtype == np.float32
    assert float(situ.sum(floats)) == 3
    assert situ.sum(ints).dtype == np.int64


def test_assignment_converts_what_it_is_given(single):
    x = situ.zeros(3, device=single)
    x[0] = 0.5
    x[1:] = np.float64(0.25)
    np.testing.assert_array_equal(x.to_numpy(), np.float32([0.5, 0.25, 0.25]))


@situ.kernel
def scale(x, y, factor):
    i = situ.get_global_id(0)
    total = 0
    for _k in range(3):
        total += x[i] * 0.5 * factor
    y[i] = total / 3


@situ.kernel
def in_double(x):
    i = situ.get_global_id(0)
    wide = np.float64(x[i])
    x[i] = wide


def test_kernels_compute_in_single_precision(single):
    x = situ.asarray([2.0, 4.0], device=single)
    y = situ.empty(2, device=single)
    scale(x, y, 3.0)
    np.testing.assert_array_equal(y.to_numpy(), np.float32([3, 6]))
    assert "f64" not in scale.inspect("ir")
    # Integers work as everywhere, and what meets floats is a float32.
    counts = situ.asarray([2, 4], device=single)
    scale(counts, y, 3)
    np.testing.assert_array_equal(y.to_numpy(), np.float32([3, 6]))


def test_kernels_that_ask_for_double_precision_are_refused_by_line(single):
    with pytest.raises(situ.KernelError) as refusal:
        in_double(situ.ones(2, device=single))
    message = str(refusal.value)
    assert "`in_double`" in message
    assert "float64" in message
    assert "wide = np.float64(x[i])" in message
    assert "test_missing_dtypes.py:" in message
    with pytest.raises(situ.KernelError, match="float64"):
        scale(situ.ones(2, device=single), situ.ones(2, device=single), np.float64(3))


def test_the_device_works_on_after_refusals(single):
    x = situ.ones(2, device=single)
    for _ in range(3):
        with pytest.raises(situ.KernelError):
            in_double(x)
        with pytest.raises(situ.DTypeError):
            x.astype("float64")
    np.testing.assert_array_equal((x + 1).to_numpy(), [2, 2])


def test_devices_without_half_precision():
    with situ.testing.virtual_devices("gpu:1:no-fp16") as (device,):
        assert device.has_aspect("fp64")
        assert not device.has_aspect("fp16")
        with pytest.raises(situ.DTypeError, match="float16"):
            situ.zeros(3, dtype="float16", device=device)
        # Small integers would meet in it.
        bytes_ = situ.asarray(np.arange(3, dtype=np.int8), device=device)
        assert situ.sqrt(bytes_).dtype == np.float32


def test_a_device_is_made_anew_when_it_lacks_something_else():
    with situ.testing.virtual_devices("gpu") as (whole,):
        number = whole.filter_string
    with situ.testing.virtual_devices("gpu", without=["fp64"]) as (part,):
        assert part.filter_string == number
        assert part != whole
    with situ.testing.virtual_devices("gpu:no-fp64") as (again,):
        assert again == part


@pytest.mark.parametrize(
    ("request_", "without", "says"),
    [
        ("gpu", ("gpu",), "`gpu` is nothing that a device can be without"),
        ("gpu", ("fp65",), "there is no aspect `fp65`"),
        ("gpu:1:no-cpu", (), "`no-cpu` is nothing"),
    ],
)
def test_what_no_device_can_be_without(request_, without, says):
    devices = situ.testing.virtual_devices(request_, without=without)
    with pytest.raises(situ.DeviceError, match=says), devices:
        pass


@situ.kernel
def scale_in_place(x, factor):
    i = situ.get_global_id(0)
    x[i] = x[i] * factor


@situ.njit
def scaled_sum(x, factor):
    total = 0.5
    for i in situ.prange(x.shape[0]):
        x[i] = x[i] * factor
        total += x[i]
    return total


@pytest.mark.parametrize(
    "call", [lambda x, f: scale_in_place[3](x, f), scaled_sum], ids=["kernel", "njit"]
)
def test_numbers_of_numpy_that_a_device_lacks_are_named(single, call):
    x = situ.ones(3, device=single)
    with pytest.raises(situ.KernelTypeError) as refusal:
        call(x, np.float64(2.5))
    message = str(refusal.value)
    for part in [
        "`factor`",
        "is a float64",
        single.filter_string,
        "why:",
        "pass `float(factor)` or `np.float32(factor)`",
    ]:
        assert part in message
    with pytest.raises(situ.KernelTypeError, match=r"is a complex128(.|\n)*`complex\(factor\)`"):
        call(x, np.complex128(2.5))


def test_numbers_of_python_fit_every_device(single):
    x = situ.ones(3, device=single)
    scale_in_place[3](x, 2.5)
    assert scaled_sum(x, 2.0) == 15.5
    np.testing.assert_array_equal(x.to_numpy(), [5, 5, 5])


def test_half_precision_that_a_device_lacks_is_named():
    with situ.testing.virtual_devices("gpu:1:no-fp16") as (device,):
        x = situ.ones(3, device=device)
        with pytest.raises(situ.KernelTypeError, match=r"is a float16(.|\n)*np.float32"):
            scale_in_place[3](x, np.float16(2))
