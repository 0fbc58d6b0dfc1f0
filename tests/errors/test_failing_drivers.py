"""Drivers that fail: the class of the exception, what it says, and that everything else goes on.

A loader that makes mistakes on demand stands between situ and the drivers; the Rust tests have it,
too, and ``faulty.c`` says what it can do.
"""

import subprocess
from pathlib import Path

import pytest
from places import driver_devices
from runtime.gates import run_program

SOURCE = Path(__file__).parents[2] / "crates/situ-runtime/tests/faulty_driver/faulty.c"

PREAMBLE = """
import os
import numpy as np
import situ

@situ.kernel
def triple(x):
    i = situ.get_global_id(0)
    x[i] = x[i] * 3

def told(attempt, *arguments, **keywords):
    try:
        attempt(*arguments, **keywords)
    except Exception as error:
        return error
    return None

def works(device):
    x = situ.asarray(np.arange(4.0), device=device)
    triple(x)
    return x.to_numpy().tolist() == [0, 3, 6, 9]

device = situ.Device("opencl")
"""


@pytest.fixture(scope="session")
def faulty_loader(tmp_path_factory):
    """Return the loader that makes mistakes, compiled by the system's compiler."""
    if not any(name.startswith("opencl:") for name in driver_devices()):
        pytest.skip("there is no OpenCL driver to stand in front of")
    library = tmp_path_factory.mktemp("faulty") / "libfaulty.so"
    options = ["-shared", "-fPIC", "-o", library, SOURCE, "-Wl,--no-as-needed", "-l:libOpenCL.so.1"]
    subprocess.run(["cc", *options], check=True)
    return library


@pytest.fixture
def run(faulty_loader, tmp_path):
    """Return a function that runs a program with faults and returns what it prints."""

    def run(program, **environment):
        settings = {"SITU_OPENCL": str(faulty_loader), "SITU_CACHE_DIR": "off", **environment}
        indented = "\n".join(line.removeprefix("        ") for line in program.splitlines())
        done = run_program(tmp_path, PREAMBLE + indented, **settings)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_without_faults_everything_works(run):
    assert run("print(works(device), works('native'))") == "True True\n"


@pytest.mark.parametrize(
    ("status", "class_name", "advice"),
    [
        (-5, "DeviceError", "too little memory or too few registers"),
        (-4, "OutOfMemoryError", "too little memory or too few registers"),
        (-6, "OutOfMemoryError", "too little memory or too few registers"),
        (-2, "DeviceError", "the driver has lost the device"),
        (-30, "DeviceError", "please report it with the output of `situ doctor`"),
    ],
)
def test_a_launch_that_the_driver_refuses(run, status, class_name, advice):
    said = run(
        """
        error = told(works, device)
        print(type(error).__name__, isinstance(error, situ.SituError))
        print(error)
        print(works("native"), works("reference"))
        """,
        FAULTY=f"launch={status}",
    )
    first, *_, last = said.splitlines()
    assert first == f"{class_name} True"
    assert "clEnqueueNDRangeKernel failed for `triple` on opencl:cpu:0" in said
    assert f"({status})" in said
    assert advice in said
    assert "program.py" in said
    assert last == "True True"


def test_a_queue_goes_on_after_a_failed_launch(run):
    said = run(
        """
        queue = situ.Queue(device)
        x = situ.asarray(np.arange(4.0), queue=queue)
        print(type(told(lambda: queue.submit(triple, 4, x).wait())).__name__)
        queue.submit(triple, 4, x).wait()
        print(x.to_numpy().tolist())
        """,
        FAULTY="launch=-5@1",
    )
    assert said.splitlines() == ["DeviceError", "[0.0, 3.0, 6.0, 9.0]"]


def test_a_program_that_the_compiler_refuses_is_shown_with_its_log_and_the_users_line(run):
    said = run(
        """
        error = told(works, device)
        print(type(error).__name__)
        print(error)
        print(works("native"))
        """,
        FAULTY="build=-11",
        FAULTY_LOG="1:2:3: error: the moon is in the wrong place",
    )
    first, *_, last = said.splitlines()
    assert first == "DeviceError"
    assert "cannot compile `triple` for opencl:cpu:0" in said
    assert "the moon is in the wrong place" in said
    assert "SITU_TRACE=code" in said
    assert last == "True"


def test_a_kernel_that_needs_what_the_device_has_not_is_refused_before_it_is_compiled(run):
    said = run(
        """
        @situ.kernel
        def precise(x):
            i = situ.get_global_id(0)
            x[i] = x[i] + np.float64(0.1)

        print(sorted({"fp64"} & device.aspects))
        x = situ.asarray(np.arange(4, dtype="float32"), device=device)
        error = told(precise, x)
        print(type(error).__name__)
        print(error)
        triple(x)
        print(x.to_numpy().tolist())
        """,
        FAULTY="hide=cl_khr_fp64",
    )
    lines = said.splitlines()
    assert lines[:2] == ["[]", "KernelError"]
    assert "it uses float64, which the device does not have" in said
    assert "x[i] = x[i] + np.float64(0.1)" in said
    assert "use float32" in said
    assert lines[-1] == "[0.0, 3.0, 6.0, 9.0]"


def test_data_that_the_device_cannot_compute_with(run):
    said = run(
        """
        error = told(situ.asarray, np.arange(4, dtype="float64"), device=device)
        print(type(error).__name__)
        print(error)
        """,
        FAULTY="hide=cl_khr_fp64",
    )
    assert said.startswith("DTypeError\nopencl:cpu:0 has no float64\n")


def test_memory_of_a_kind_that_a_device_has_not(run):
    said = run(
        """
        error = told(situ.zeros, 4, device=device, usm_type="shared")
        print(type(error).__name__)
        print(error)
        print(situ.zeros(4, device=device, usm_type="device").to_numpy().tolist())
        """,
        FAULTY="hide=cl_intel_unified_shared_memory svm=1",
    )
    lines = said.splitlines()
    assert lines[:2] == ["DeviceError", "opencl:cpu:0 has no shared memory"]
    assert "the device has `device`" in said
    assert lines[-1] == "[0.0, 0.0, 0.0, 0.0]"


def test_memory_that_the_driver_does_not_give(run):
    said = run(
        """
        error = told(situ.zeros, 10_000_000, device=device)
        print(type(error).__name__)
        print(error)
        """,
        FAULTY="allocate=-4",
    )
    assert said.startswith(
        "OutOfMemoryError\nout of memory: cannot allocate 76.3 MiB (80000000 bytes) of device"
    )


def test_devices_without_unified_memory_are_refused_with_the_reason(faulty_loader, tmp_path):
    done = run_program(
        tmp_path,
        """
        import situ
        from situ._native import driver_reports
        print(situ.devices("opencl"))
        (report,) = [one for one in driver_reports() if one["backend"] == "opencl"]
        for driver in report["drivers"]:
            for device in driver["devices"]:
                print(device["problem"], device["help"])
        try:
            situ.Device("opencl")
        except situ.DeviceError as error:
            print(error)
        """,
        SITU_OPENCL=str(faulty_loader),
        FAULTY="hide=cl_intel_unified_shared_memory svm=0",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[]\nit has neither the extension")
    assert "a newer driver" in done.stdout
    assert "there is no device `opencl`" in done.stdout
