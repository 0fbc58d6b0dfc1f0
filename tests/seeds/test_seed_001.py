"""XPU offloading semantics: tiles of one context, the queue that is named, and bound modules."""

import numpy as np
import pkgA
import pkgB
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


@situ.njit
def linear_regression(x, y):
    """Return the slope of a line through the origin."""
    return np.sum(x * y) / np.sum(x * x)


def test_a_package_on_the_global_queue_and_one_on_the_host(root_device):
    points = np.arange(1.0, 5.0)
    situ.set_global_queue("gpu")
    try:
        on_gpu = situ.asarray(points)
        assert on_gpu.device == root_device
        assert linear_regression(on_gpu, 3 * on_gpu) == 3
        assert linear_regression(points, 3 * points) == 3  # NumPy arrays stay on the host
    finally:
        situ.reset_global_queue()
    assert situ.global_queue() is None


def test_new_arrays_are_on_the_default_queue():
    assert situ.empty(3).queue == situ.current()


def test_a_module_is_bound_to_a_queue_that_cannot_be_changed(root_device):
    ar_lib = situ.offload_to("gpu:1")
    numpy_array, usm_array = np.arange(3.0), situ.ones(3, device=root_device)
    res1 = ar_lib.add(numpy_array, usm_array)
    assert res1.queue == ar_lib.queue
    assert res1.device == situ.Device("gpu:1")
    np.testing.assert_array_equal(res1.to_numpy(), [1, 2, 3])
    with pytest.raises(AttributeError, match="its queue was made together with it and stays"):
        ar_lib.queue = situ.Queue("gpu:0")


def test_a_bound_module_takes_arrays_of_several_tiles(qs):
    ar_lib = situ.offload_to("gpu")
    tile_a, tile_b = situ.zeros(2, queue=qs[0]), situ.ones(2, queue=qs[1])
    res2 = ar_lib.concat([tile_a, tile_b])
    np.testing.assert_array_equal(res2.to_numpy(), [0, 0, 1, 1])
    assert res2.__array_module__ is ar_lib


def test_two_packages_are_bound_to_one_device():
    gpu_a = pkgA.offload_to("gpu")
    gpu_b = pkgB.offload_to("gpu")
    assert gpu_a.compute().queue == gpu_a.queue
    assert gpu_b.compute().queue == gpu_b.queue
    assert situ.queues_equivalent(gpu_a.queue, gpu_b.queue)


def test_a_result_of_one_package_is_made_available_to_another():
    gpu_a, gpu_b = pkgA.offload_to("gpu"), pkgB.offload_to("gpu")
    res_a = gpu_a.compute()
    available = res_a.make_available(gpu_b.get_queue())
    assert address(available) == address(res_a)
    for readings in (available, res_a):
        res_c = gpu_b.compute(readings)
        assert res_c.queue == gpu_b.queue
        assert float(res_c) == 3.5


def test_another_library_takes_the_memory_without_a_copy(root_device):
    class Tensor:
        """An array of another library, made of what describes USM memory."""

        def __init__(self, source):
            self.__sycl_usm_array_interface__ = source.__sycl_usm_array_interface__

    x = situ.ones(3, device=root_device)
    tensor = Tensor(x)
    back = situ.asarray(tensor)
    assert address(back) == address(x)
    assert back.device == root_device
