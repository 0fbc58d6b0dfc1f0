"""What benchmarks have in common: timing, and the table they print."""

import math
import os
import platform
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import situ

ROOT = Path(__file__).resolve().parents[2]

# Long enough for the threads of the other side to go to sleep.
PAUSE_SECONDS = 0.2
# How long a race may take, and one side's turn in it.
BUDGET_SECONDS = 20.0
TURN_SECONDS = 2.0


@dataclass
class Row:
    """One line of the table."""

    name: str
    measured: str
    bar: str
    is_met: bool
    details: str


def best_seconds(*functions: Callable[[], object], repeats: int = 15) -> list[float]:
    """Return each function's shortest of `repeats` runs, after one that warms up.

    The functions take turns, so that whatever else the machine does meanwhile falls on all of them.
    """
    rounds = [[seconds(function) for function in functions] for _ in range(repeats + 1)]
    return [min(times) for times in zip(*rounds[1:], strict=True)]


def race_apart(
    first: Callable[[], object], second: Callable[[], object], repeats: int
) -> tuple[float, float]:
    """Return the shortest times of two calls, many of the one and then many of the other.

    This is for libraries whose threads keep the cores busy for a while after each call, and would
    be in the way of whoever comes next: OpenBLAS, and Numba's OpenMP. It happens several times, so
    that both see the machine at its best.
    """

    def alone(call: Callable[[], object]) -> float:
        time.sleep(PAUSE_SECONDS)
        end = time.perf_counter() + TURN_SECONDS
        best = math.inf
        for _ in range(repeats):
            best = min(best, seconds(call))
            if time.perf_counter() > end:
                break
        return best

    shortest = [math.inf, math.inf]
    end = time.perf_counter() + BUDGET_SECONDS
    for _ in range(4):
        shortest = [
            min(best, alone(call)) for best, call in zip(shortest, (first, second), strict=True)
        ]
        if time.perf_counter() > end:
            break
    return shortest[0], shortest[1]


def seconds(function: Callable[[], object]) -> float:
    """Time one call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def describe_run() -> str:
    """Say what was measured on, so that the table can be judged later."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    cores = len(os.sched_getaffinity(0))
    return (
        f"{processor_name()}, {cores} cores; situ {situ.__version__} ({commit or 'no commit'}), "
        f"NumPy {np.__version__}, Python {platform.python_version()}"
    )


def processor_name() -> str:
    """Return the processor's name as Linux tells it."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def print_table(rows: Sequence[Row]) -> None:
    """Print the rows as Markdown, below what they were measured on."""
    print(describe_run() + "\n")
    print("| what | measured | bar | met | details |\n|---|---|---|---|---|")
    for row in rows:
        met = "yes" if row.is_met else "no"
        met = "" if row.bar == "—" else met
        print(f"| {row.name} | {row.measured} | {row.bar} | {met} | {row.details} |")
    print()
