"""Devices and platforms: what they tell about themselves, and that they stay the same."""

import copy
import os
import pickle
import subprocess
import sys

import pytest

import situ
from situ._native import device_facts
from situ.testing import virtual_devices


def test_the_processor_comes_first_and_is_the_default():
    first, *others = situ.devices()
    assert first.filter_string == "native:cpu:0"
    assert "reference:cpu:0" in [device.filter_string for device in others]
    assert situ.Device() == first
    assert (first.backend, first.device_type) == ("native", "cpu")


def test_equal_devices_have_equal_hashes(device):
    again = situ.Device(device.filter_string)
    assert again == device
    assert hash(again) == hash(device)
    assert len({again, device}) == 1
    assert device != "native:cpu:0"


def test_every_fact_is_a_property_and_an_entry_of_info(device):
    info = device.info
    for name, _, meaning in device_facts():
        value = getattr(device, name)
        assert name not in info if value is None else name in info
        if name != "free_memory_bytes":
            assert info.get(name) == value
        assert getattr(situ.Device, name).__doc__ == meaning
    assert list(info) == [name for name, _, _ in device_facts() if name in info]


def test_facts_are_those_of_this_machine():
    device = situ.Device("native")
    assert device.compute_units == len(os.sched_getaffinity(0))
    assert device.memory_bytes == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < device.free_memory_bytes <= device.memory_bytes
    assert device.max_allocation_bytes <= device.memory_bytes
    assert device.address_bits == sys.maxsize.bit_length() + 1
    assert device.is_little_endian == (sys.byteorder == "little")
    assert device.max_work_item_sizes_2d == device.max_work_item_sizes_3d[:2]
    assert device.native_vector_width_float == 2 * device.native_vector_width_double
    [sub_group_size] = device.sub_group_sizes
    assert device.max_num_sub_groups * sub_group_size >= device.max_work_group_size


def test_what_is_not_known_is_none_and_left_out():
    reference = situ.Device("reference")
    assert reference.clock_mhz is None
    assert reference.cores is None
    assert "clock_mhz" not in reference.info


def test_facts_cannot_be_changed():
    with pytest.raises(AttributeError):
        situ.Device().name = "faster"


def test_aspects_are_a_set_of_names_and_properties(device):
    assert {"cpu", "fp64", "usm_device_allocations"} <= device.aspects
    assert "gpu" not in device.aspects
    names = [name for name in dir(situ.Device) if name.startswith("has_aspect_")]
    assert len(names) == 21
    for name in names:
        aspect = name.removeprefix("has_aspect_")
        assert getattr(device, name) is (aspect in device.aspects) is device.has_aspect(aspect)


def test_an_unknown_aspect_is_an_error_that_lists_them():
    with pytest.raises(situ.DeviceError, match="there is no aspect `f64`") as caught:
        situ.Device().has_aspect("f64")
    assert "choose among `fp64`, " in str(caught.value)


def test_the_representation_says_which_device_it_is(device):
    assert repr(device) == f"<situ.Device {device.filter_string} ({device.name})>"


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_devices_and_platforms_are_pickled_by_name(device, protocol):
    for thing in (device, device.platform, device.default_context):
        assert pickle.loads(pickle.dumps(thing, protocol)) == thing
        assert copy.deepcopy(thing) == thing


def test_a_device_that_is_not_there_does_not_unpickle():
    with virtual_devices("gpu:2") as (_, second):
        pickled = pickle.dumps(second)
        name = second.filter_string
        assert pickle.loads(pickled) == second
    with pytest.raises(situ.DeviceError, match=f"there is no device `{name}`"):
        pickle.loads(pickled)


def test_a_pickled_device_is_found_in_another_process():
    pickled = pickle.dumps(situ.Device("reference"))
    program = "import pickle, sys; print(pickle.load(sys.stdin.buffer))"
    done = subprocess.run([sys.executable, "-c", program], input=pickled, capture_output=True)
    assert done.stdout.decode().startswith("<situ.Device reference:cpu:0 "), done.stderr


def test_there_is_a_platform_for_each_backend_and_for_each_driver():
    platforms = situ.platforms()
    backends = [platform.backend for platform in platforms]
    assert backends[0] == "native"
    assert "reference" in backends
    for platform in platforms:
        assert platform.name
        assert platform.vendor
        assert platform == situ.Platform(platform.backend, platform.name)
        assert hash(platform) == hash(situ.Platform(platform.backend, platform.name))
        assert all(device.platform == platform for device in platform.devices)
    assert [device for platform in platforms for device in platform.devices] == situ.devices()
    assert situ.Platform() == situ.Device().platform
    assert repr(platforms[0]) == "<situ.Platform native (situ native (LLVM))>"
    assert len(set(platforms)) == len(platforms)


def test_a_platform_without_a_name_is_the_first_of_its_backend():
    for platform in situ.platforms():
        same = [one for one in situ.platforms() if one.backend == platform.backend]
        assert situ.Platform(platform.backend) == same[0]
    assert situ.Platform(name=situ.Platform().name) == situ.Platform()


def test_the_version_is_that_of_the_driver():
    assert situ.__version__ in situ.Platform("native").version
    for platform in situ.platforms():
        if platform.backend == "opencl":
            assert platform.version.startswith("OpenCL ")


def test_a_platform_shares_one_context_over_its_devices():
    native = situ.Platform("native")
    assert native.default_context == situ.Device("native").default_context
    with virtual_devices("gpu:2") as devices:
        shared = situ.Platform("virtual").default_context
        assert shared == situ.Platform("virtual").default_context
        assert all(device in shared for device in devices)
        assert not shared.is_default


def test_an_unknown_platform_is_an_error_that_lists_them():
    with pytest.raises(situ.DeviceError, match="there is no platform `metal`") as caught:
        situ.Platform("metal")
    assert "`native`" in str(caught.value)
    assert str(caught.value).count("`opencl`") <= 1
    with pytest.raises(situ.DeviceError, match=r"there is no platform `native \(Cray\)`"):
        situ.Platform("native", "Cray")
