"""Virtual devices: devices that are not there, with memory the host cannot touch."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import situ
from situ.testing import virtual_devices


@situ.kernel
def scale(x, y, factor):
    i = situ.get_global_id(0)
    y[i] = x[i] * factor


def run(program, **environment):
    """Run a program in a process of its own."""
    program = textwrap.dedent(program)
    variables = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-c", program], env=variables, capture_output=True, text=True
    )


def test_devices_are_there_for_the_time_of_a_block():
    before = situ.devices()
    with virtual_devices("gpu:2,cpu:1") as devices:
        assert [device.device_type for device in devices] == ["gpu", "gpu", "cpu"]
        assert all(device.backend == "virtual" for device in devices)
        assert situ.devices() == before + devices
        assert situ.Device() == before[0]
    assert situ.devices() == before


def test_blocks_nest_and_number_on():
    with virtual_devices("gpu:1") as (outer,):
        with virtual_devices("gpu:2") as inner:
            assert outer not in inner
            assert len({d.filter_string for d in [outer, *inner]}) == 3
        assert outer in situ.devices()
        assert not set(inner) & set(situ.devices())


def test_one_manager_is_entered_again():
    manager = virtual_devices("gpu")
    with manager as (first,), manager as (second,):
        assert first != second
    with manager as (again,):
        assert again == first
    assert again not in situ.devices()


def test_devices_are_removed_after_an_exception():
    before = situ.devices()
    with pytest.raises(ZeroDivisionError), virtual_devices("gpu"):
        1 / 0  # noqa: B018
    assert situ.devices() == before


def test_a_decorated_function_has_devices_in_each_call():
    before = len(situ.devices("gpu"))

    @virtual_devices("gpu:2")
    def count():
        return len(situ.devices("gpu"))

    assert [count(), count()] == [before + 2] * 2
    assert len(situ.devices("gpu")) == before


def test_a_device_works_after_it_is_gone():
    with virtual_devices("gpu") as (device,):
        x = situ.asarray(np.arange(5.0), device=device)
    np.testing.assert_array_equal((x + x).to_numpy(), 2 * np.arange(5.0))
    assert device.device_type == "gpu"


@pytest.mark.parametrize("request_", ["", "tpu", "gpu:0", "gpu:x", "gpu:65", "gpu,,cpu"])
def test_requests_that_make_no_sense_are_refused(request_):
    with (
        pytest.raises(situ.DeviceError, match="cannot add the virtual devices") as caught,
        virtual_devices(request_),
    ):
        pass
    assert "such as `gpu:2,cpu:1`" in str(caught.value)


def test_kernels_and_functions_run_on_each_device():
    with virtual_devices("gpu:2,cpu:1,accelerator:1") as devices:
        for number, device in enumerate(devices):
            x = situ.asarray(np.arange(1000.0), device=device)
            y = situ.empty(1000, device=device)
            scale(x, y, float(number))
            np.testing.assert_array_equal(y.to_numpy(), number * np.arange(1000.0))
            assert float((x + y).sum()) == (1 + number) * 499_500.0
            assert y.device == device


def test_arrays_of_two_devices_do_not_mix():
    with virtual_devices("gpu:2") as (first, second):
        x, y = situ.ones(3, device=first), situ.ones(3, device=second)
        with pytest.raises(situ.PlacementError) as caught:
            x + y
        assert first.filter_string in str(caught.value)
        assert second.filter_string in str(caught.value)


def test_memory_is_limited_to_what_was_asked_for():
    with virtual_devices("gpu", memory_bytes=1 << 20) as (device,):
        assert device.memory_bytes == 1 << 20
        before = device.free_memory_bytes
        held = situ.ones(50_000, device=device)
        assert device.free_memory_bytes < before
        with pytest.raises(situ.OutOfMemoryError) as caught:
            situ.ones(100_000, device=device)
        assert device.filter_string in str(caught.value)
        assert float(held.sum()) == 50_000.0
    with virtual_devices("gpu") as (device,):
        assert device.memory_bytes == situ.Device().memory_bytes // 4


def test_reading_device_memory_on_the_host_faults():
    # The address is that of the first element, as other libraries would be given it.
    done = run(
        """
        import ctypes, situ
        from situ._native import add_virtual_devices
        [device] = add_virtual_devices("gpu")
        x = situ.ones(8, device=device, usm_type="device")
        assert x.to_numpy().tolist() == [1.0] * 8
        address = x.__sycl_usm_array_interface__["data"][0]
        print("still here", flush=True)
        ctypes.c_double.from_address(address).value
        """
    )
    assert done.stdout == "still here\n", done.stderr
    assert done.returncode < 0, "the host read device memory"


def test_the_environment_adds_devices():
    done = run(
        "import situ; print([d.filter_string for d in situ.devices('virtual')])",
        SITU_VIRTUAL_DEVICES="gpu:2,cpu:1",
    )
    assert done.stdout == "['virtual:gpu:0', 'virtual:gpu:1', 'virtual:cpu:0']\n", done.stderr


def test_an_environment_that_makes_no_sense_is_named_and_ignored():
    done = run("import situ; print(situ.devices('virtual'))", SITU_VIRTUAL_DEVICES="gpu:lots")
    assert done.stdout == "[]\n"
    assert "SITU_VIRTUAL_DEVICES" in done.stderr
    assert "gpu:lots" in done.stderr


def test_virtual_devices_are_checked_like_all_under_the_reference_device():
    done = run(
        """
        import situ, numpy as np
        x = situ.asarray(np.arange(4.0), device="gpu")
        print((x + x).to_numpy().tolist())
        """,
        SITU_VIRTUAL_DEVICES="gpu",
        SITU_SANITIZE="1",
    )
    assert done.stdout == "[0.0, 2.0, 4.0, 6.0]\n", done.stderr
