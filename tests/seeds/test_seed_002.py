"""Problems to be addressed: packages that turn different knobs, used together on several devices.

The workflows of the document, line by line, with the example packages. Its devices are three
graphics processors that are not there.
"""

import host_module
import numpy as np
import pkg1
import pkg2
import pkg3
import pkg4
import pkgA
import pkgB
import pytest

import situ
from situ.testing import virtual_devices

SHAPE_1, SHAPE_2 = (50, 10), (10, 30)


@pytest.fixture(scope="module", autouse=True)
def gpus():
    with virtual_devices("gpu:3") as devices:
        yield devices


@pytest.fixture(autouse=True)
def no_defaults():
    def forget():
        for package in (pkg2, pkg3, pkgB):
            package.reset_default_queue()
        situ.reset_default_queue()
        situ.reset_global_queue()

    forget()
    yield
    forget()


def address(x):
    return x.__sycl_usm_array_interface__["data"][0]


def is_product(x):
    return x.shape == (50, 30) and bool((x.to_numpy() == 10).all())


# Package workflow: offloading to the default queue.


def test_pkg1_is_told_the_queue():
    q = situ.Queue("gpu:1")
    a1 = pkg1.allocate(q, SHAPE_1)
    a2 = pkg1.allocate(q, SHAPE_2)
    a3 = pkg1.gemm(q, a1, a2)
    assert a3.queue == q
    assert is_product(a3)


def test_pkg2_computes_on_its_default_queue():
    a1 = pkg2.allocate(SHAPE_1)
    a2 = pkg2.allocate(SHAPE_2)
    a3 = pkg2.dot(a1, a2)
    assert a3.device == situ.Device()
    assert is_product(a3)

    pkg2.set_default_queue("gpu:1")
    assert pkg2.dot(pkg2.allocate(SHAPE_1), pkg2.allocate(SHAPE_2)).device == situ.Device("gpu:1")
    with pytest.raises(situ.PlacementError, match="own context"):
        pkg2.dot(a1, a2)  # they are on the device that was the default before


def test_pkg3_computes_where_data_is():
    pkg3.set_default_queue("gpu:1")
    a1 = pkg3.allocate(SHAPE_1)
    a2 = pkg3.allocate(SHAPE_2)
    pkg3.set_default_queue("gpu:2")
    a3 = pkg3.dot(a1, a2)
    assert a3.queue == a1.queue
    assert is_product(a3)


def test_another_package_computes_on_data_of_the_same_device():
    a1, a2 = pkg3.allocate(SHAPE_1), pkg3.allocate(SHAPE_2)
    assert is_product(pkg2.dot(a1, a2))


def test_pkg4_computes_on_the_queue_of_the_program():
    a1 = pkg4.allocate(SHAPE_1)
    assert a1.device == situ.Device()
    situ.set_global_queue("gpu:2")
    a1 = pkg4.allocate(SHAPE_1)
    a2 = pkg4.allocate(SHAPE_2)
    a3 = pkg4.dot(a1, a2)
    assert a3.queue == situ.global_queue()
    assert is_product(a3)


# Package workflow: offloading to a queue that the user specifies.


def test_pkg1_allocates_on_one_tile_and_computes_on_another(gpus):
    tiles = gpus[1].create_sub_devices(partition="L2_cache")
    context = situ.Context(tiles)
    alloc_q, compute_q = (situ.Queue(context, tile) for tile in tiles[:2])
    a1 = pkg1.allocate(alloc_q, SHAPE_1)
    a2 = pkg1.allocate(alloc_q, SHAPE_2)
    a3 = pkg1.compute(compute_q, a1, a2)
    assert a3.queue == compute_q
    np.testing.assert_allclose(a3.to_numpy(), np.sqrt(50 * 30) * 10)


def test_pkg1_refuses_memory_that_the_queue_cannot_use():
    a1, a2 = (pkg1.allocate(situ.Queue("gpu:1"), shape) for shape in (SHAPE_1, SHAPE_2))
    with pytest.raises(situ.PlacementError, match="own context"):
        pkg1.compute(situ.Queue("gpu:2"), a1, a2)


@pytest.mark.parametrize("package", [pkg2, pkg4], ids=["pkg2", "pkg4"])
def test_arrays_are_copied_to_the_current_queue(package):
    with package.current("gpu:1"):
        a1 = package.allocate(SHAPE_1)
        a2 = package.allocate(SHAPE_2)

    with package.current("gpu:2") as there:
        a1c = a1.copy_to()
        a2c = a2.copy_to()
        a3 = package.compute(a1c, a2c)
    assert a1.device == situ.Device("gpu:1")
    assert a1c.queue == a2c.queue == a3.queue == there
    np.testing.assert_allclose(a3.to_numpy(), np.sqrt(50 * 30) * 10)


def test_pkg3_follows_the_copies():
    with pkg3.current("gpu:1"):
        a1 = pkg3.allocate(SHAPE_1)
        a2 = pkg3.allocate(SHAPE_2)

    a1c = a1.copy_to("gpu:2")
    a2c = a2.copy_to("gpu:2")
    a3 = pkg3.compute(a1c, a2c)
    assert a3.device == situ.Device("gpu:2")
    np.testing.assert_allclose(a3.to_numpy(), np.sqrt(500) + np.sqrt(300))


# Data from one package is understood by another.


def test_defaults_of_two_packages_agree():
    a = pkgA.allocate((50, 10))
    b = pkgB.func(a)
    assert b.shape == (50, 10)
    assert situ.queues_equivalent(a.queue, b.queue)


def test_data_must_be_accessible_for_the_other_package():
    a = pkgA.compute()
    pkgB.set_default_queue("gpu:1")
    with pytest.raises(situ.PlacementError, match="own context"):
        pkgB.func(a)
    b = pkgB.func(a.make_available(pkgB.current()))
    assert b.queue == pkgB.current()
    np.testing.assert_allclose(b.to_numpy(), [-3.5, -2.5, 0.5, 5.5])


def test_two_packages_and_a_host_module_between_them():
    pkg2.set_default_queue("gpu:1")
    pkg3.set_default_queue("gpu:1")

    a4 = pkg3.allocate(SHAPE_2)

    with pkg2.current("gpu:1"):
        a1 = pkg2.allocate(SHAPE_1)
        a5 = pkg3.compute(a1)  # memory of the same device, so it needs no copy
        a6 = host_module.compute(a1, a5)
        a2 = pkg2.allocate(SHAPE_2)
    for made in (a1, a2, a4, a5, a6):
        assert made.device == situ.Device("gpu:1")
    np.testing.assert_allclose(a6.to_numpy(), np.sqrt(500) - 1)

    with pkg2.current("gpu:2"):
        a1c = a1.copy_to()
        a2c = a2.copy_to()
        a3 = pkg2.compute(a1c, a2c)
    assert a3.device == situ.Device("gpu:2")
    np.testing.assert_allclose(a3.to_numpy(), np.sqrt(50 * 30) * 10)
    assert pkg3.current().device == situ.Device("gpu:1")


def test_the_host_module_reads_memory_of_the_host_only():
    a1 = pkg2.allocate(SHAPE_1)
    with pkg2.current("gpu:1"):
        there = pkg2.allocate(SHAPE_1)
    with pytest.raises(situ.HostAccessError, match="to_numpy"):
        host_module.histogram_on_host(there)
    assert host_module.histogram_on_host(there.to_numpy()).tolist() == [0, 500]
    assert host_module.histogram_on_host(a1.to_numpy()).tolist() == [0, 500]


def test_the_target_does_not_concern_host_code():
    with situ.current("gpu:1"), pkg2.current("gpu:2"):
        host = np.ones(3) + 1
        there = situ.asarray(host)
    assert type(host) is np.ndarray
    assert there.device == situ.Device("gpu:1")


# Linear algebra that is bound to a queue.


def test_linear_algebra_is_bound_to_a_queue():
    queue = situ.Queue("gpu:1")
    lapack = situ.linalg.on(queue=queue)
    matrix = np.array([[3.0, 0.0], [0.0, 4.0]])
    u, s, vh = lapack.svd(matrix)
    assert u.queue == s.queue == vh.queue == queue
    np.testing.assert_allclose(s.to_numpy(), [4, 3])


def test_two_array_libraries_exchange_arrays():
    first, second = situ.offload_to("gpu:1"), situ.offload_to("gpu:1")
    a1 = first.empty((2, 3))
    a1c = first.asarray(a1, queue=second.get_queue())
    assert a1c.queue == second.queue
    assert address(a1c) == address(a1)
    a2 = second.array(a1, device="gpu:2")
    assert a2.device == situ.Device("gpu:2")
    assert a2.shape == (2, 3)


# Bringing data to a queue, by either of two names.


@pytest.mark.parametrize(
    "bring",
    [
        lambda ary, other: ary.collocate(other),
        lambda ary, other: situ.asarray(ary, queue=other.queue),
    ],
    ids=["collocate", "asarray"],
)
def test_an_array_becomes_accessible_by_the_queue_of_another(bring):
    ary, other = situ.ones(3, device="gpu:1"), situ.ones(3, device="gpu:2")
    with pytest.raises(situ.PlacementError):
        ary + other
    brought = bring(ary, other)
    assert brought.queue == other.queue
    np.testing.assert_array_equal((brought + other).to_numpy(), 2)


def test_queues_are_addressed_by_selector_strings():
    for selector in ("gpu:1", "virtual:gpu:1", situ.Device("gpu:1"), situ.Queue("gpu:1")):
        assert situ.ones(1, queue=selector).device == situ.Device("gpu:1")
