"""Selectors from Python; the grammar itself is tested in Rust (`selector_tests.rs`)."""

import numpy as np
import pytest

import situ
from situ.testing import virtual_devices


@pytest.fixture
def gpus():
    with virtual_devices("gpu:2") as devices:
        yield devices


def names(devices):
    return [device.filter_string for device in devices]


def test_a_device_is_chosen_by_anything_that_has_one(gpus):
    first = gpus[0]
    queue = situ.Queue(first)
    array = situ.ones(3, device=first)
    for selector in (first, queue, array, first.filter_string):
        assert situ.Device(selector) == first


def test_a_number_counts_devices_like_the_default():
    assert situ.Device(0) == situ.Device()
    with pytest.raises(situ.DeviceError, match="there is no device `native:cpu:1`"):
        situ.Device(1)
    with pytest.raises(situ.DeviceError):
        situ.Device(-1)


@pytest.mark.parametrize("selector", [1.5, b"cpu", ["cpu"], {}, np.zeros(2)])
def test_other_things_choose_no_device(selector):
    with pytest.raises(TypeError, match="a device is chosen by a selector string"):
        situ.Device(selector)


def test_alternatives_are_tried_in_order(gpus):
    assert situ.Device("accelerator,gpu,cpu") == situ.devices("gpu")[0]
    assert situ.Device("accelerator, cpu").device_type == "cpu"


def test_devices_lists_all_that_fit(gpus):
    assert set(gpus) <= set(situ.devices("gpu"))
    assert names(situ.devices("native,virtual"))[0] == "native:cpu:0"
    assert situ.devices("accelerator") == []
    assert situ.devices("gpu:0") == [situ.Device("gpu")]


def test_aspects_choose_among_devices(gpus):
    assert names(situ.devices("native-emulated")) == ["native:cpu:0"]
    assert set(gpus) <= set(situ.devices(aspects=["gpu", "fp64"]))
    real = situ.devices(without=["emulated"])
    assert real[0] == situ.Device("native")
    assert not set(gpus) & set(real)
    assert names(situ.devices("native", aspects=["fp64"], without=["emulated"])) == ["native:cpu:0"]
    assert situ.Device("gpu+fp64-image") == situ.devices("gpu")[0]
    with pytest.raises(situ.DeviceError, match="there is no aspect `fp46`"):
        situ.devices(aspects=["fp46"])


def test_a_word_that_means_nothing_is_an_error_even_for_lists():
    with pytest.raises(situ.DeviceError, match=r"`ntaive` is no backend.*is `native` meant"):
        situ.devices("ntaive:cpu")


def test_what_works_is_listed_nearest_first(gpus):
    with pytest.raises(situ.DeviceError) as caught:
        situ.Device("gpu:9")
    what, why, advice = str(caught.value).splitlines()
    assert what == "there is no device `gpu:9`"
    assert "devices fit `gpu`" in why
    works = advice.split("work here are ")[1]
    assert works.startswith(("`gpu:0`, `gpu:1`", "`gpu:1`, `gpu:0`"))
    for device in situ.devices():
        assert f"`{device.filter_string}`" in works


@pytest.mark.parametrize("make", [situ.Device, situ.Queue, situ.Context])
def test_every_constructor_takes_selectors(make):
    with pytest.raises(situ.DeviceError, match="there is no device `tpu`"):
        make("tpu")
    assert make("accelerator,reference") is not None
