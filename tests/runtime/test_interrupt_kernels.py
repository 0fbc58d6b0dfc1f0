"""Ctrl-C stops endless kernels wherever they run, and the queue stays usable.

Each case is a process of its own: a kernel that does not stop could not be got rid of otherwise.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from places import driver_devices
from runtime import endless

PROGRAM = Path(__file__).with_name("endless.py")
IN_A_THREAD = Path(__file__).with_name("endless_in_a_thread.py")
COMPILATION = Path(__file__).with_name("long_compilation.py")

# Far longer than needed: it only keeps a failure from taking for ever.
PATIENCE_SECONDS = 120

CASES = [name for name in vars(endless.Case) if name not in {"warm_up", "check_queue"}]
CASES = [name for name in CASES if not name.startswith("__")]
if find_spec("numba") is None:
    CASES.remove("numba_njit")


# A virtual device is the only GPU.
VIRTUAL = {"SITU_VIRTUAL_DEVICES": "gpu:1", "SITU_OPENCL": "off", "SITU_SYCL_LIBRARY": "off"}


def run(*arguments: str, program: Path = PROGRAM, **environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, str(program), *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "UnseenFailure" not in done.stderr
    return done.stdout.split("\n")[:-1]


def assert_interrupted(lines: list[str]) -> None:
    """Check that each repeat was interrupted, and at least one by the first signal."""
    assert len(lines) == endless.REPEATS
    assert set(lines) <= {"interrupted", "interrupted again"}
    assert "interrupted" in lines


# The host does not reach the memory of a virtual GPU.
NEEDS_HOST_ACCESS = {"asarray", "njit_elements"}


@pytest.mark.parametrize("device", ["native", "reference"])
@pytest.mark.parametrize("case", CASES)
def test_an_endless_kernel_is_interrupted(case, device):
    assert_interrupted(run(case, device))


@pytest.mark.parametrize("case", [case for case in CASES if case not in NEEDS_HOST_ACCESS])
def test_an_endless_kernel_of_a_virtual_device_is_interrupted(case):
    assert_interrupted(run(case, "gpu", **VIRTUAL))


@pytest.mark.parametrize("case", ["inline", "queue_wait", "to_numpy"])
@pytest.mark.parametrize("properties", ["in_order", "enable_profiling"])
def test_queues_of_all_sorts_are_interrupted(case, properties):
    assert_interrupted(run(case, "native", properties))


@pytest.mark.parametrize("device", driver_devices())
def test_a_kernel_that_cannot_be_stopped_does_not_hold_the_wait(device):
    (note,) = run("driver", device)
    assert "kernel `spin`" in note
    assert "still runs" in note


@pytest.mark.parametrize("device", ["native", "reference"])
@pytest.mark.parametrize("case", ["launch", "submit", "wait", "barrier", "array"])
def test_a_kernel_that_another_thread_runs_is_interrupted(case, device):
    main, other, usable = run(case, device, program=IN_A_THREAD)
    assert main == "main: interrupted"
    assert other == "other: kernel `spin` was stopped before its end"
    assert usable == "the queue is usable"


def test_a_busy_reference_device_does_not_hold_other_queues():
    main, other = run("other_queue", "reference", program=IN_A_THREAD)
    assert main == "main: interrupted"
    assert other == "other: goes on"


@pytest.mark.parametrize("how", ["kernel", "njit"])
def test_a_compilation_is_interrupted(how, tmp_path):
    (line,) = run(how, program=COMPILATION, SITU_CACHE_DIR=str(tmp_path))
    assert line.startswith("the wait for the compilation of `big")
