"""The step limit of the reference device ends endless loops with an error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("endless_steps.py")

# It only keeps a failure from taking for ever.
PATIENCE_SECONDS = 120


# Without SITU_SANITIZE, njit functions run their own loops on the native device.
@pytest.mark.parametrize(
    ("case", "setting"),
    [
        ("kernel", "device"),
        ("groups", "device"),
        ("kernel", "sanitize"),
        ("groups", "sanitize"),
        ("njit", "sanitize"),
        ("prange", "sanitize"),
    ],
)
def test_an_endless_loop_fails_at_the_limit(case, setting):
    environment = {**os.environ, "SITU_STEP_LIMIT": "20000"}
    if setting == "sanitize":
        environment["SITU_SANITIZE"] = "1"
    done = subprocess.run(
        [sys.executable, str(PROGRAM), case, setting],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "F007" in done.stdout
    assert "goes on after 20000 rounds" in done.stdout
    assert "SITU_STEP_LIMIT" in done.stdout
    assert done.stdout.endswith("usable\n")


def test_a_limit_that_is_no_number_is_reported():
    done = subprocess.run(
        [sys.executable, "-c", "import situ; situ.zeros(3, device='reference')"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        env={**os.environ, "SITU_STEP_LIMIT": "many"},
        check=True,
    )
    assert "SITU_STEP_LIMIT" in done.stderr
