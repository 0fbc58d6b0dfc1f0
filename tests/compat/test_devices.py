"""Filter strings and devices are what they are with the real dpctl on the same machine."""

import importlib.util
import json
from dataclasses import dataclass

import pytest
from compat.program import FOLDER, output
from places import driver_devices

import situ
from situ.compat._filter_strings import select

SCRIPT = FOLDER / "describe_devices.py"


@dataclass
class FakeDevice:
    """What filter strings look at."""

    filter_string: str
    vendor: str = "Somebody"

    @property
    def backend(self):
        """The first word."""
        return self.filter_string.split(":")[0]

    @property
    def device_type(self):
        """The second word."""
        return self.filter_string.split(":")[1]


MACHINE = [
    FakeDevice("native:cpu:0"),
    FakeDevice("opencl:gpu:0", "NVIDIA Corporation"),
    FakeDevice("opencl:gpu:1", "Intel(R) Corporation"),
    FakeDevice("opencl:cpu:0", "Intel(R) Corporation"),
    FakeDevice("sycl:gpu:0", "Intel(R) Corporation"),
    FakeDevice("reference:cpu:0"),
]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("cpu", "native:cpu:0"),
        ("cpu:1", "opencl:cpu:0"),
        ("0", "native:cpu:0"),
        ("2", "opencl:gpu:1"),
        ("gpu:0:opencl", "opencl:gpu:0"),
        ("accelerator,gpu", "opencl:gpu:0"),
        ("level_zero:gpu", "opencl:gpu:1"),
        ("level_zero:gpu:1", "sycl:gpu:0"),
        ("level_zero:0", "opencl:gpu:1"),
        ("cuda", "opencl:gpu:0"),
        ("reference", "reference:cpu:0"),
    ],
)
def test_filter_string_means(text, meant):
    assert select(text, MACHINE).filter_string == meant


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hip:gpu", "no graphics processor of AMD"),
        ("level_zero:gpu:2", "only 2 fit `level_zero:gpu:2` without its number"),
        ("level_zero:cpu", "no graphics processor of Intel"),
        ("accelerator", "no device fits `accelerator`"),
        ("CPU", "`CPU` is no backend, device type or number"),
        ("gpu:cpu", "`gpu:cpu` has two words for the type"),
        ("", "`` is no backend"),
        ("²", "`²` is no backend"),
    ],
)
def test_filter_string_means_nothing(text, why):
    with pytest.raises(situ.DeviceError) as caught:
        select(text, MACHINE)
    assert why in str(caught.value)
    assert "`opencl:gpu:1`" in str(caught.value)


def test_machine_without_drivers_has_a_cpu():
    found = json.loads(output("-m", "situ.compat", SCRIPT))["filters"]
    for text in ("cpu", "0", "cpu:0", "gpu,cpu", "level_zero,cpu"):
        assert found[text] == ["cpu ", "cpu "]
    for text in ("opencl:cpu:0", "level_zero:gpu", "gpu", "foo", ""):
        assert found[text] == ["refused", "refused"]
    assert found["counts"] == [False, True, 0, True, True, True]


@pytest.mark.skipif(importlib.util.find_spec("dpctl") is None, reason="dpctl is not installed")
@pytest.mark.skipif(
    "sycl:cpu:0" not in driver_devices(), reason="dpctl has no device with memory here"
)
def test_devices_are_those_of_the_real_dpctl():
    real = json.loads(output(SCRIPT, variables={}))
    ours = json.loads(output("-m", "situ.compat", SCRIPT, variables={}))
    assert ours["filters"] == real["filters"]
    assert ours["facts"] == real["facts"]
