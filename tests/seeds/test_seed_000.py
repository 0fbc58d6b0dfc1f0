"""Compute follows data for kernels: which queue runs one, and which mixes are refused.

The kernel multiplies two arrays into a third, on two graphics processors that are not there.
"""

import numpy as np
import pytest

import situ
from situ.testing import virtual_devices

VALUES = [1, 2, 3, 4]


@situ.kernel
def f(a, b, c):
    i = situ.get_global_id(0)
    c[i] = a[i] * b[i]


@pytest.fixture(scope="module")
def gpus():
    with virtual_devices("gpu:2") as devices:
        yield devices


@pytest.fixture
def gpu_queue(gpus):
    return situ.Queue(gpus[0])


def made(queue, usm_type="shared"):
    return situ.asarray(VALUES, queue=queue, usm_type=usm_type)


def products(c):
    return c.to_numpy().tolist() == [1, 4, 9, 16]


def test_arrays_tell_where_they_are(gpus, gpu_queue):
    a = made(gpu_queue, "host")
    assert a.__sycl_usm_array_interface__["version"] == 1
    assert a.__sycl_usm_array_interface__["syclobj"] == gpu_queue
    assert a.queue == gpu_queue
    assert a.device == gpus[0]
    assert a.usm_type == "host"


def test_one_queue_runs_the_kernel(gpu_queue):
    a, b, c = (made(gpu_queue) for _ in range(3))
    assert situ.placement_of(a, b, c).queue == gpu_queue
    f(a, b, c)
    assert products(c)


def test_queues_that_are_not_equivalent_are_refused(gpus, gpu_queue):
    others = [
        situ.Queue(gpus[1]),
        situ.Queue(gpus[0], enable_profiling=True),
        situ.Queue(gpus[0], in_order=False),
        situ.Queue(situ.Context(gpus[0]), gpus[0]),
    ]
    for gpu_queue_1 in others:
        assert not situ.queues_equivalent(gpu_queue, gpu_queue_1)
        a, b, c = made(gpu_queue), made(gpu_queue_1), made(gpu_queue_1)
        with pytest.raises(situ.PlacementError, match="kernel `f`"):
            f(a, b, c)
        assert c.to_numpy().tolist() == VALUES


def test_equivalent_queues_agree_and_the_first_runs_the_kernel(gpus):
    gpu_queue_1, gpu_queue_2 = situ.Queue(gpus[0]), situ.Queue(gpus[0])
    assert gpu_queue_1 != gpu_queue_2
    assert situ.queues_equivalent(gpu_queue_1, gpu_queue_2)
    a, b, c = made(gpu_queue_1), made(gpu_queue_2), made(gpu_queue_2)
    assert situ.placement_of(a, b, c).queue == gpu_queue_1
    f(a, b, c)
    assert products(c)


def test_kinds_of_memory_mix_on_one_queue(gpu_queue):
    a, b, c = made(gpu_queue, "shared"), made(gpu_queue, "device"), made(gpu_queue, "host")
    assert situ.placement_of(a, b, c).queue == gpu_queue
    f(a, b, c)
    assert products(c)


def test_an_array_is_brought_to_the_others_with_a_copy(gpus):
    gpu_queue_1, gpu_queue_2 = situ.Queue(gpus[0]), situ.Queue(gpus[1])
    a, b, c = made(gpu_queue_1, "device"), made(gpu_queue_2, "device"), made(gpu_queue_2, "device")
    with pytest.raises(situ.PlacementError, match="different devices"):
        f(a, b, c)
    a_queue_2 = situ.asarray(a, queue=gpu_queue_2)
    assert a_queue_2.queue == gpu_queue_2
    assert a_queue_2.usm_type == "device"
    f(a_queue_2, b, c)
    assert products(c)


def test_an_array_is_brought_to_the_others_without_a_copy(gpus):
    gpu_queue_1 = situ.Queue(gpus[0])
    gpu_queue_2 = situ.Queue(gpus[0], enable_profiling=True)
    a, b, c = made(gpu_queue_1, "device"), made(gpu_queue_2, "device"), made(gpu_queue_2, "device")
    with pytest.raises(situ.PlacementError, match="copies nothing"):
        f(a, b, c)
    a_queue_2 = situ.asarray(a, queue=gpu_queue_2, copy=False)
    address = [x.__sycl_usm_array_interface__["data"] for x in (a, a_queue_2)]
    assert address[0] == address[1]
    f(a_queue_2, b, c)
    assert products(c)


def test_host_data_is_brought_in_by_asarray(gpu_queue):
    a = situ.asarray(np.asarray(VALUES), queue=gpu_queue, usm_type="device")
    assert (a.queue, a.usm_type) == (gpu_queue, "device")


def test_host_arrays_alone_have_no_queue():
    a, b, c = (np.asarray(VALUES) for _ in range(3))
    with pytest.raises(situ.PlacementError, match="cannot tell where to run kernel `f`"):
        f(a, b, c)
    assert c.tolist() == VALUES


def test_host_arrays_are_offloaded_to_the_queue_of_a_block(gpu_queue):
    a, b, c = (np.asarray(VALUES) for _ in range(3))
    with situ.host_data_on(gpu_queue):
        f(a, b, c)
    assert c.tolist() == [1, 4, 9, 16]
    assert a.tolist() == b.tolist() == VALUES


def test_no_block_lets_host_and_device_arrays_mix(gpus, gpu_queue):
    gpu_queue_2 = situ.Queue(gpus[1])
    a, b, c = np.asarray(VALUES), np.asarray(VALUES), made(gpu_queue_2, "device")
    for queue in (gpu_queue, gpu_queue_2):
        with (
            situ.host_data_on(queue),
            pytest.raises(situ.PlacementError, match="host and device arrays"),
        ):
            f(a, b, c)
    assert c.to_numpy().tolist() == VALUES


def test_host_and_device_arrays_do_not_mix(gpu_queue):
    a, b, c = np.asarray(VALUES), np.asarray(VALUES), made(gpu_queue, "device")
    with pytest.raises(situ.PlacementError, match="host and device arrays"):
        f(a, b, c)
    with pytest.raises(situ.PlacementError, match="host and device arrays"):
        situ.call_kernel(f, 4, a, b, c, queue=gpu_queue)
    assert c.to_numpy().tolist() == VALUES


TABLE = """
          device shared host
    device device device device
    shared device shared shared
    host   device shared host
"""
HEADER, *ROWS = (line.split() for line in TABLE.strip().splitlines())


@pytest.mark.parametrize(
    ("first", "second", "result"),
    [
        (first, second, result)
        for first, *results in ROWS
        for second, result in zip(HEADER, results, strict=True)
    ],
)
def test_kind_of_the_result(first, second, result, gpu_queue):
    assert (made(gpu_queue, first) + made(gpu_queue, second)).usm_type == result
