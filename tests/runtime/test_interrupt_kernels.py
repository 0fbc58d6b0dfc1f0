"""Ctrl-C stops endless kernels wherever they run, and the queue stays usable.

Each case is a process of its own: a kernel that does not stop could not be got rid of otherwise.
"""

import subprocess
import sys
from pathlib import Path

import endless
import pytest
from places import driver_devices

PROGRAM = Path(__file__).with_name("endless.py")

# Far longer than needed: it only keeps a failure from taking for ever.
PATIENCE_SECONDS = 120

CASES = [name for name in vars(endless.Case) if name not in {"warm_up", "check_queue"}]
CASES = [name for name in CASES if not name.startswith("__")]


def run(*arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "UnseenFailure" not in done.stderr
    return done.stdout.split("\n")[:-1]


@pytest.mark.parametrize("device", ["native", "reference", "virtual"])
@pytest.mark.parametrize("case", CASES)
def test_an_endless_kernel_is_interrupted(case, device):
    assert run(case, device) == ["interrupted"] * endless.REPEATS


@pytest.mark.parametrize("case", ["inline", "queue_wait", "later_work"])
@pytest.mark.parametrize("properties", ["in_order", "enable_profiling"])
def test_queues_of_all_sorts_are_interrupted(case, properties):
    assert run(case, "native", properties) == ["interrupted"] * endless.REPEATS
