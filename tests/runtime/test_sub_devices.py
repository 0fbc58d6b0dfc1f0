"""Sub-devices: parts of a device that are devices themselves."""

import os
import pickle

import numpy as np
import pytest
from places import driver_devices

import situ
from situ.testing import virtual_devices


@pytest.fixture
def gpu():
    with virtual_devices("gpu") as (device,):
        yield device


@situ.kernel
def triple(x):
    i = situ.get_global_id(0)
    x[i] = x[i] * 3.0


def units(devices):
    return [device.compute_units for device in devices]


@pytest.mark.parametrize(
    ("partition", "expected"),
    [
        (1, [1] * 8),
        (3, [3, 3]),
        (8, [8]),
        ((1, 2, 5), [1, 2, 5]),
        ([4], [4]),
        ("numa", [4, 4]),
        ("L2_cache", [4, 4]),
        ("next_partitionable", [4, 4]),
        ("l2_CACHE", [4, 4]),
    ],
)
def test_a_gpu_is_cut_in_every_way(gpu, partition, expected):
    parts = gpu.create_sub_devices(partition)
    assert units(parts) == expected
    assert len(set(parts)) == len(parts)
    for part in parts:
        assert part.parent_device == part.root_device == gpu
        assert (part.backend, part.device_type) == ("virtual", "gpu")
        assert part.default_context == gpu.default_context
        assert part in gpu.default_context
    assert parts == gpu.create_sub_devices(partition)
    assert [hash(part) for part in parts] == [hash(p) for p in gpu.create_sub_devices(partition)]


def test_keywords_say_the_same_as_the_kind_of_the_argument(gpu):
    assert gpu.create_sub_devices(equally=2) == gpu.create_sub_devices(2)
    assert gpu.create_sub_devices(by_counts=[1, 3]) == gpu.create_sub_devices((1, 3))
    assert gpu.create_sub_devices(by_affinity="numa") == gpu.create_sub_devices("numa")
    assert gpu.create_sub_devices("next_partitionable") == gpu.create_sub_devices("numa")


def test_parts_are_cut_again(gpu):
    tile = gpu.create_sub_devices("numa")[1]
    halves = tile.create_sub_devices(2)
    assert units(halves) == [2, 2]
    assert halves[0].filter_string == f"{gpu.filter_string}/by_affinity(numa)[1]/equally(2)[0]"
    assert halves[0].parent_device == tile
    assert halves[0].root_device == gpu
    assert halves[0] not in gpu.create_sub_devices(2)
    one = halves[0].create_sub_devices(1)[0]
    assert one.max_sub_devices == 0
    assert one.partition_kinds == ()


def test_a_label_selects_nothing(gpu):
    tile = gpu.create_sub_devices("numa")[0]
    with pytest.raises(situ.DeviceError, match="there is no device"):
        situ.Device(tile.filter_string)
    assert tile not in situ.devices()


@pytest.mark.parametrize(
    ("partition", "why"),
    [
        (0, "every part needs at least one compute unit"),
        (-1, "every part needs at least one compute unit"),
        ((1, -1), "every part needs at least one compute unit"),
        (9, "that takes 9 compute units, and the device has 8"),
        ((), "every part needs at least one compute unit"),
        ((4, 5), "that takes 9 compute units, and the device has 8"),
        ((4, 0), "every part needs at least one compute unit"),
        ("L1_cache", "nothing is known about a first-level cache of this device"),
    ],
)
def test_impossible_partitions_say_why_and_what_is_possible(gpu, partition, why):
    with pytest.raises(situ.DeviceError, match="cannot partition `virtual:gpu:") as caught:
        gpu.create_sub_devices(partition)
    assert f"why:  {why}" in str(caught.value)
    assert "equal parts of 1 to 8 compute units" in str(caught.value)
    assert "affinity to `numa`" in str(caught.value)


def test_a_single_unit_is_not_cut():
    with pytest.raises(situ.DeviceError, match="it has one compute unit"):
        situ.Device("reference").create_sub_devices(1)


@pytest.mark.parametrize("partition", [1.5, None, {}, (1.0,), ("numa",), 2**70])
def test_what_is_no_partition_is_a_type_error(gpu, partition):
    with pytest.raises(TypeError):
        gpu.create_sub_devices(partition)


def test_an_unknown_domain_lists_those_there_are(gpu):
    with pytest.raises(ValueError, match="choose one of `numa`, "):
        gpu.create_sub_devices("socket")


def test_keywords_do_not_guess(gpu):
    with pytest.raises(TypeError):
        gpu.create_sub_devices(equally=[1, 1])
    with pytest.raises(TypeError):
        gpu.create_sub_devices(by_counts=2)
    with pytest.raises(TypeError):
        gpu.create_sub_devices(by_affinity=2)


def test_exactly_one_partition_is_given(gpu):
    with pytest.raises(TypeError, match="exactly one of"):
        gpu.create_sub_devices(1, by_affinity="numa")


def test_sub_devices_are_pickled_by_how_they_were_made(gpu):
    tile = gpu.create_sub_devices("numa")[1]
    part = tile.create_sub_devices((1, 3))[1]
    for device in (tile, part):
        assert pickle.loads(pickle.dumps(device)) == device


def test_kernels_run_on_parts_with_memory_of_the_whole(gpu):
    tiles = gpu.create_sub_devices("L2_cache")
    for tile in tiles:
        x = situ.asarray(np.arange(1000.0), device=tile)
        assert x.device == tile
        triple(x)
        np.testing.assert_array_equal(x.to_numpy(), 3 * np.arange(1000.0))


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")
def test_parts_of_the_processor_are_sets_of_cores():
    native = situ.Device("native")
    parts = native.create_sub_devices(1)
    cores = [core for part in parts for core in part.cores]
    assert sorted(cores) == sorted(os.sched_getaffinity(0))
    assert native.cores is None
    for part in parts:
        x = situ.asarray(np.arange(200_000.0), device=part)
        triple(x)
        np.testing.assert_array_equal(x.to_numpy(), 3 * np.arange(200_000.0))
    pair = native.create_sub_devices((2,))[0]
    x = situ.ones(500_000, device=pair)
    np.testing.assert_array_equal((x + x).to_numpy(), np.full(500_000, 2.0))


@pytest.mark.parametrize("name", driver_devices())
def test_parts_that_drivers_make_work_on_memory_of_the_whole(name):
    whole = situ.Device(name)
    if whole.max_sub_devices < 2:
        pytest.skip(f"{name} cannot be cut here")
    parts = whole.create_sub_devices(1)
    assert units(parts) == [1] * whole.compute_units
    x = situ.asarray(np.arange(1000.0), device=whole)
    for part in parts:
        assert part.parent_device == whole
        assert pickle.loads(pickle.dumps(part)) == part
        queue = situ.Queue(whole.default_context, part)
        queue.submit(triple, 1000, x).wait()
    np.testing.assert_array_equal(x.to_numpy(), 3.0 ** len(parts) * np.arange(1000.0))


@pytest.mark.parametrize("name", driver_devices())
def test_drivers_refuse_partitions_as_everybody_does(name):
    whole = situ.Device(name)
    with pytest.raises(situ.DeviceError, match=f"cannot partition `{name}`"):
        whole.create_sub_devices(whole.compute_units + 1)
