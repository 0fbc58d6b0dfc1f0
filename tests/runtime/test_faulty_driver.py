"""Drivers that fail, as Python's users see it.

The loader that fails on demand is that of the Rust tests. A process has one loader, so each test
runs a program of its own with it.
"""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from places import driver_devices

SOURCE = Path(__file__).parents[2] / "crates/situ-runtime/tests/faulty_driver/faulty.c"

pytestmark = pytest.mark.skipif(
    not any(name.startswith("opencl") for name in driver_devices()),
    reason="there is no OpenCL driver",
)

# What every program starts with. Kernels are read from their file.
PRELUDE = """
import numpy as np
import situ

DEVICES = situ.devices("opencl")

@situ.kernel
def count(out):
    i = situ.get_global_id(0)
    out[i] = i

@situ.kernel
def halve(x):
    i = situ.get_global_id(0)
    x[i] = x[i] / 2

def assert_native_works():
    x = situ.ones(100, device="native")
    assert float(situ.sum(x)) == 100
"""


@pytest.fixture(scope="module")
def loader(tmp_path_factory):
    library = tmp_path_factory.mktemp("loader") / "libfaulty.so"
    command = ["cc", "-shared", "-fPIC", "-o", library, SOURCE]
    subprocess.run([*command, "-Wl,--no-as-needed", "-l:libOpenCL.so.1"], check=True)
    return library


@pytest.fixture
def run(loader, tmp_path):
    """Return a function that runs a program with faults and returns what it prints."""

    def run(faults, program, **variables):
        script = tmp_path / "program.py"
        script.write_text(PRELUDE + textwrap.dedent(program), encoding="utf-8")
        environment = {"SITU_OPENCL": str(loader), "SITU_CACHE_DIR": "off", "FAULTY": faults}
        result = subprocess.run(
            [sys.executable, script],
            env=os.environ | environment | variables,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    return run


def test_without_faults_everything_works(run):
    said = run(
        "",
        """
        assert DEVICES
        for device in DEVICES:
            out = situ.empty(100, dtype="int64", device=device)
            count(out)
            np.testing.assert_array_equal(out.to_numpy(), np.arange(100))
        print("done")
        """,
    )
    assert said == "done\n"


@pytest.mark.parametrize("status", [-2, -5, -36, -9999])
def test_a_device_that_is_lost_is_an_error_with_kernel_and_line(run, status):
    said = run(
        f"launch={status}",
        """
        for device in DEVICES:
            out = situ.empty(100, dtype="int64", device=device)
            for _ in range(3):
                try:
                    count(out)
                    out.queue.wait()
                    raise SystemExit("it should have failed")
                except situ.DeviceError as error:
                    print(error)
            assert_native_works()
        """,
    )
    for part in ["for `count` on opencl:", f"({status})" if status != -9999 else "-9999", "help:"]:
        assert part in said
    # The line of the call, where it was not raised by the call itself.
    assert "program.py:" in said


@pytest.mark.parametrize("status", [-4, -6])
def test_a_launch_without_memory_is_out_of_memory(run, status):
    said = run(
        f"launch={status}",
        """
        for device in DEVICES:
            out = situ.empty(100, dtype="int64", device=device)
            try:
                count(out)
                out.queue.wait()
                raise SystemExit("it should have failed")
            except situ.OutOfMemoryError as error:
                print(error)
        """,
    )
    assert "clEnqueueNDRangeKernel failed for `count` on opencl:" in said
    assert "help: the device has too little memory" in said


def test_a_queue_goes_on_after_a_launch_that_failed(run):
    said = run(
        "launch=-5@1",
        """
        queue = situ.Queue(DEVICES[0])
        out = situ.empty(3, dtype="int64", queue=queue)
        try:
            queue.submit(count, 3, out).wait()
            raise SystemExit("it should have failed")
        except situ.DeviceError:
            queue.submit(count, 3, out).wait()
        print(out.to_numpy().tolist())
        """,
    )
    assert said == "[0, 1, 2]\n"


def test_memory_that_cannot_be_had_is_out_of_memory(run):
    run(
        "allocate=-4",
        """
        for device in DEVICES:
            try:
                situ.empty(1000, device=device)
                raise SystemExit("it should have failed")
            except situ.OutOfMemoryError as error:
                assert device.filter_string in str(error)
        assert_native_works()
        """,
    )


def test_a_program_that_does_not_build_shows_the_line_of_the_kernel(run):
    said = run(
        "",
        """
        for device in DEVICES:
            try:
                count(situ.empty(100, dtype="int64", device=device))
                raise SystemExit("it should have failed")
            except situ.DeviceError as error:
                print(error)
        assert_native_works()
        """,
        FAULTY_CODE="get_global_id(0)=>get_global_idea(0)",
    )
    assert "get_global_idea" in said
    assert "program.py:" in said


def test_the_log_of_the_compiler_is_shown(run):
    said = run(
        "build=-11",
        """
        try:
            count(situ.empty(100, dtype="int64", device=DEVICES[0]))
            raise SystemExit("it should have failed")
        except situ.DeviceError as error:
            print(error)
        """,
        FAULTY_LOG="1:2:3: error: the moon is in the wrong place",
    )
    assert "cannot compile `count` for opencl:cpu:0: the driver's compiler refuses it" in said
    assert "the moon is in the wrong place" in said
    assert "SITU_TRACE=code" in said


def test_a_kernel_that_needs_double_precision_is_refused_where_there_is_none(run):
    said = run(
        "hide=cl_khr_fp64",
        """
        @situ.kernel
        def precise(x):
            i = situ.get_global_id(0)
            x[i] = x[i] + np.float64(0.1)

        for device in DEVICES:
            try:
                precise(situ.ones(3, device=device))
                raise SystemExit("it should have failed")
            except situ.KernelError as error:
                print(error)
        """,
    )
    assert "it uses float64, which the device does not have" in said
    assert "x[i] = x[i] + np.float64(0.1)" in said
    assert "help: use float32" in said


def test_a_device_without_double_precision_adapts(run):
    said = run(
        "hide=cl_khr_fp64",
        """
        for device in DEVICES:
            assert not device.has_aspect("fp64")
            x = situ.ones(3, device=device)
            assert x.dtype == np.float32
            halve(x)
            assert "double" not in halve.inspect("opencl")
            np.testing.assert_array_equal((x + 1).to_numpy(), np.float32([1.5, 1.5, 1.5]))
            assert float(situ.sum(x)) == 1.5
            try:
                situ.asarray(np.ones(3), device=device)
                raise SystemExit("it should have failed")
            except situ.DTypeError as error:
                print(error)
        """,
    )
    assert 'dtype="float32"' in said


def test_a_device_with_memory_of_its_own_only(run):
    said = run(
        "hide=cl_intel_unified_shared_memory svm=1",
        """
        for device in DEVICES:
            x = situ.asarray([1.0, 2.0], device=device)
            assert x.usm_type == "device"
            np.testing.assert_array_equal((x * 2).to_numpy(), [2, 4])
            for usm_type in ("shared", "host"):
                try:
                    situ.ones(3, device=device, usm_type=usm_type)
                    raise SystemExit("it should have failed")
                except situ.DeviceError as error:
                    print(error)
            try:
                np.asarray(x)
                raise SystemExit("it should have failed")
            except situ.HostAccessError:
                pass
        """,
    )
    assert "has no shared memory" in said
    assert "has no host memory" in said


def test_devices_without_memory_that_kernels_can_address_are_refused(run):
    said = run(
        "hide=cl_intel_unified_shared_memory svm=0",
        """
        from situ._native import driver_reports

        assert DEVICES == []
        for driver in driver_reports()[0]["drivers"]:
            for device in driver["devices"]:
                print(device["problem"], device["help"])
        try:
            situ.Device("opencl")
            raise SystemExit("it should have failed")
        except situ.DeviceError:
            pass
        assert_native_works()
        """,
    )
    assert said.startswith("it has neither the extension")
    assert "a newer driver" in said
