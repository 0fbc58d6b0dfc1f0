"""Kernels on NumPy arrays: refused outside of `host_data_on`, brought to its queue inside."""

import asyncio
import threading
import warnings

import numpy as np
import pytest
from places import driver_devices

import situ
from situ.testing import virtual_devices


@situ.kernel
def product(a, b, c):
    i = situ.get_global_id(0)
    c[i] = a[i] * b[i]


@situ.kernel
def increment(x):
    i = situ.get_global_id(0)
    x[i] = x[i] + 1


@situ.kernel
def transpose(a, b):
    i, j = situ.get_global_id(0), situ.get_global_id(1)
    b[j, i] = a[i, j]


@pytest.fixture(params=["native", "reference", "virtual"])
def place(request):
    """Give devices that use host arrays in place, and one to which they are copied."""
    if request.param != "virtual":
        yield request.param
        return
    with virtual_devices("gpu:1") as (gpu,):
        yield gpu


def test_host_arrays_are_refused_outside_of_the_block():
    a = np.ones(4)
    with pytest.raises(situ.PlacementError, match="cannot tell where to run kernel `product`"):
        product(a, a, np.empty(4))
    with pytest.raises(situ.PlacementError, match="host_data_on"):
        product(a, a, np.empty(4))


def test_what_the_kernel_writes_is_there_after_the_call(place):
    a, b, c = np.arange(5.0), np.arange(5.0) + 1, np.zeros(5)
    with situ.host_data_on(place):
        product(a, b, c)
    np.testing.assert_array_equal(c, np.arange(5.0) * (np.arange(5.0) + 1))
    np.testing.assert_array_equal(a, np.arange(5.0))


def test_the_block_gives_its_queue(place):
    with situ.host_data_on(place) as queue:
        assert queue.device == situ.Queue(place).device


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "float32", "complex64", "bool"])
def test_dtypes_are_kept(dtype, place):
    x = np.ones(3, dtype)
    y = np.zeros(3, dtype)
    with situ.host_data_on(place):
        product(x, x, y)
    assert y.dtype == dtype
    np.testing.assert_array_equal(y, x)


def test_views_of_any_strides_are_written_in_place(place):
    base = np.zeros((4, 6))
    a = np.arange(6.0).reshape(2, 3)
    with situ.host_data_on(place):
        transpose[2, 3](a, base[1:4, ::-3])
        increment[2](base[:2, 1])
    expected = np.zeros((4, 6))
    expected[1:4, ::-3] = a.T
    expected[:2, 1] += 1
    np.testing.assert_array_equal(base, expected)


def test_an_array_passed_twice_is_one_array(place):
    x = np.full(4, 3.0)
    with situ.host_data_on(place):
        product(x, x, x)
    np.testing.assert_array_equal(x, [9, 9, 9, 9])


def test_all_ways_to_launch(place):
    x = np.zeros(6)
    with situ.host_data_on(place):
        increment(x)
        increment[4](x)
        increment[(4,), (2,)](x)
        situ.call_kernel(increment, 2, x)
        situ.call_kernel_async(increment, 1, [], x).wait()
    np.testing.assert_array_equal(x, [5, 4, 3, 3, 1, 1])


def test_host_and_device_arrays_do_not_mix(place):
    a, b = situ.ones(4), np.ones(4)
    with pytest.raises(situ.PlacementError, match="host and device arrays together"):
        product(a, b, b)
    with (
        situ.host_data_on(place),
        pytest.raises(situ.PlacementError, match="host and device arrays together"),
    ):
        product(a, b, b)
    with (
        situ.host_data_on(a.queue),
        pytest.raises(situ.PlacementError, match="host and device arrays together"),
    ):
        product(a, b, b)


def test_device_arrays_stay_where_they_are_and_a_warning_says_so():
    x = situ.zeros(3)
    with (
        situ.host_data_on("reference"),
        pytest.warns(
            situ.PlacementWarning, match="has no effect on this call of kernel `increment`"
        ),
    ):
        increment(x)
    assert x.device.filter_string == "native:cpu:0"
    np.testing.assert_array_equal(x.to_numpy(), [1, 1, 1])


def test_outside_of_the_block_nothing_warns():
    with situ.host_data_on("reference"):
        pass
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        increment(situ.zeros(3))


def test_blocks_nest_and_can_be_entered_again():
    block = situ.host_data_on("reference")
    x = np.zeros(2)
    with block:
        increment(x)
        with situ.host_data_on("native"):
            increment(x)
        with block:
            increment(x)
        increment(x)
    with pytest.raises(situ.PlacementError):
        increment(x)
    np.testing.assert_array_equal(x, [4, 4])


def test_a_failure_inside_ends_the_block():
    with pytest.raises(ZeroDivisionError), situ.host_data_on("native"):
        _ = 1 / 0
    with pytest.raises(situ.PlacementError):
        increment(np.zeros(2))


def test_other_threads_and_tasks_are_not_affected():
    refused = []

    def attempt():
        try:
            increment(np.zeros(2))
        except situ.PlacementError:
            refused.append(True)

    with situ.host_data_on("native"):
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
    assert refused == [True]

    async def inside(entered, left):
        with situ.host_data_on("native"):
            entered.set()
            await left.wait()

    async def main():
        entered, left = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(inside(entered, left))
        await entered.wait()
        with pytest.raises(situ.PlacementError):
            increment(np.zeros(2))
        left.set()
        await task

    asyncio.run(main())


def test_read_only_arrays_can_be_read_and_not_written(place):
    a, c = np.arange(3.0), np.zeros(3)
    a.flags.writeable = False
    with situ.host_data_on(place):
        product(a, a, c)
        np.testing.assert_array_equal(c, [0, 1, 4])
        with pytest.raises(ValueError, match="writes its argument `x`, which is read-only"):
            increment(a)
    np.testing.assert_array_equal(a, [0, 1, 2])


def test_overlapping_arrays_are_refused_where_they_would_be_copied():
    x = np.arange(6.0)
    with virtual_devices("gpu:1") as (gpu,), situ.host_data_on(gpu):
        with pytest.raises(situ.PlacementError, match="overlap in memory"):
            product(x[:4], x[1:5], x[2:])
        product(x[:3], x[:3], x[3:])
    np.testing.assert_array_equal(x, [0, 1, 2, 0, 1, 4])


def test_empty_arrays_and_other_byte_orders(place):
    empty = np.zeros(0)
    swapped, c = np.arange(3.0).astype(">f8"), np.zeros(3)
    with situ.host_data_on(place):
        increment(empty)
        product(swapped, swapped, c)
        increment(swapped)
    np.testing.assert_array_equal(c, [0, 1, 4])
    np.testing.assert_array_equal(swapped, [1, 2, 3])


def test_objects_and_strings_are_refused(place):
    with situ.host_data_on(place):
        for array in (np.array(["a"]), np.array([None]), np.zeros(2, "f8,i4")):
            with pytest.raises(TypeError):
                increment(array)


def test_numbers_alone_run_on_the_default():
    @situ.kernel
    def nothing(n):
        _ = n

    with situ.host_data_on("reference"):
        nothing[2](3)


@pytest.mark.parametrize("name", driver_devices())
def test_drivers_devices_give_back_what_they_wrote(name):
    x = np.arange(3.0)[::-1]
    with situ.host_data_on(name):
        increment(x)
    np.testing.assert_array_equal(x, [3, 2, 1])
