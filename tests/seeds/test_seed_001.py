"""Offloading to tiles: arrays of one context, the queue that is named, and the global queue."""

import numpy as np
import pytest

import situ
from situ.testing import virtual_devices


@pytest.fixture(scope="module")
def root_device():
    with virtual_devices("gpu:2") as devices:
        yield devices[0]


@pytest.fixture(scope="module")
def sub_devices(root_device):
    return root_device.create_sub_devices(partition="L2_cache")


@pytest.fixture(scope="module")
def qs(sub_devices):
    context = situ.Context(sub_devices)
    return [situ.Queue(context, device) for device in sub_devices]


def address(x):
    return x.__sycl_usm_array_interface__["data"][0]


def test_arrays_carry_their_queue(qs, sub_devices):
    x = situ.zeros(3, queue=qs[1], usm_type="shared")
    assert x.queue == x.sycl_queue == qs[1]
    assert x.device == x.sycl_device == sub_devices[1]
    assert x.context == x.sycl_context == qs[1].context
    assert x.usm_type == "shared"


def test_one_tile_computes_on_memory_of_another(qs):
    x = situ.asarray(np.arange(4.0), queue=qs[1])
    result = situ.square(x, queue=qs[0])
    assert result.queue == qs[0]
    np.testing.assert_array_equal(result.to_numpy(), [0, 1, 4, 9])


def test_a_common_context_is_not_a_common_queue(qs):
    ar1, ar2 = situ.ones(3, queue=qs[0]), situ.ones(3, queue=qs[1])
    assert ar1.sycl_context == ar2.sycl_context
    assert ar1.queue != ar2.queue
    with pytest.raises(situ.PlacementError, match="share a context"):
        situ.add(ar1, ar2)

    copied = ar2.copy_to(ar1.queue)
    assert address(copied) != address(ar2)
    assert situ.add(ar1, copied).queue == qs[0]

    viewed = situ.asarray(ar2, device=ar1.sycl_queue)
    assert address(viewed) == address(ar2)
    assert situ.add(ar1, viewed).queue == qs[0]
    np.testing.assert_array_equal(situ.add(ar1, viewed).to_numpy(), 2)


def test_tiles_of_separate_contexts_share_nothing(sub_devices):
    queues = [situ.Queue(situ.Context(device), device) for device in sub_devices]
    ar1, ar2 = (situ.ones(3, queue=queue) for queue in queues)
    with pytest.raises(situ.PlacementError, match="the devices differ"):
        ar1 + ar2
    with pytest.raises(situ.PlacementError, match="own context"):
        situ.add(ar1, ar2, queue=queues[0])
    with pytest.raises(ValueError, match="without a copy"):
        situ.asarray(ar2, queue=queues[0], copy=False)
    np.testing.assert_array_equal((ar1 + ar2.collocate(ar1)).to_numpy(), 2)


def test_a_result_is_made_available_to_another_package(root_device):
    package_a, package_b = situ.Queue(root_device), situ.Queue(root_device, enable_profiling=True)
    result_a = situ.ones(3, queue=package_a)
    available = result_a.make_available(package_b)
    assert address(available) == address(result_a)
    assert (available * 2).queue == package_b


def test_packages_on_the_same_device_need_no_exchange(root_device):
    result_a = situ.ones(3, queue=situ.Queue(root_device))
    result_b = situ.ones(3, queue=situ.Queue(root_device))
    np.testing.assert_array_equal((result_a + result_b).to_numpy(), 2)


def test_the_global_queue_is_for_creation_without_another_hint(root_device):
    situ.set_global_queue(root_device)
    try:
        x = situ.zeros(3)
        assert x.device == root_device
        host = situ.zeros(3, device="native")
        assert (host + 1).device == situ.Device("native")
    finally:
        situ.reset_global_queue()
    assert situ.zeros(3).device == situ.Device()
