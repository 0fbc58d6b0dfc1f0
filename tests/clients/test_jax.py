"""Runs the tests with JAX in a process of their own.

A process that has imported JAX cannot fork any more, and other tests do.
"""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

CASES = Path(__file__).with_name("jax_cases.py")


@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="JAX is not there")
def test_jax() -> None:
    """All of them pass, and there are some."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", CASES]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
