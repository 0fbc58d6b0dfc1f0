"""Running programs in a process of their own, because the peers' modules are one for a process."""

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
# Looking for drivers takes a while, and most programs here use none.
WITHOUT_DRIVERS = {"SITU_OPENCL": "off", "SITU_SYCL_LIBRARY": "off"}


def run(
    *arguments: str | Path, variables: dict[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run Python with arguments, without drivers unless variables are given."""
    command = [sys.executable, *map(str, arguments)]
    environment = os.environ | (WITHOUT_DRIVERS if variables is None else variables)
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd)


def output(*arguments: str | Path, variables: dict[str, str] | None = None) -> str:
    """Return what Python prints for a program that ends well."""
    done = run(*arguments, variables=variables)
    assert done.returncode == 0, done.stderr
    return done.stdout
