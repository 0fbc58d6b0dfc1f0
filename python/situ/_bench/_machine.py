"""What a comparison was made on: processor, versions, commit."""

import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Machine:
    """What has to be known to judge a time later."""

    processor: str
    processors: int
    memory_bytes: int
    system: str
    python: str
    # Of the checkout situ runs from; nothing if it is installed.
    commit: str | None

    def __str__(self) -> str:
        """Write a sentence about it."""
        commit = f", commit {self.commit}" if self.commit is not None else ""
        cores = "1 core" if self.processors == 1 else f"{self.processors} cores"
        return f"{self.processor}, {cores}, {self.system}, Python {self.python}{commit}"


def this_machine() -> Machine:
    """Describe the machine and the checkout."""
    return Machine(
        processor_name(),
        len(os.sched_getaffinity(0)),
        os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        f"{platform.system()} {platform.machine()}",
        platform.python_version(),
        commit(),
    )


def processor_name() -> str:
    """Return the processor's name as Linux tells it."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.machine()
    for line in text.splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def commit() -> str | None:
    """Return the commit of the checkout that this file is in, if it is in one."""
    root = Path(__file__).resolve().parents[3]
    if not (root / ".git").exists():
        return None
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() or None
