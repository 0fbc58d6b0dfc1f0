"""What these benchmarks have in common: timing, and the table they print.

Timing and the description of the machine are those of `situ bench`.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import situ
from situ._bench._machine import this_machine
from situ._bench._timing import best_seconds, seconds

__all__ = ["Row", "best_seconds", "describe_run", "print_table", "race_apart", "seconds"]

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


def describe_run() -> str:
    """Say what was measured on, so that the table can be judged later."""
    return f"{this_machine()}; situ {situ.__version__}, NumPy {np.__version__}"


def print_table(rows: Sequence[Row]) -> None:
    """Print the rows as Markdown, below what they were measured on."""
    print(describe_run() + "\n")
    print("| what | measured | bar | met | details |\n|---|---|---|---|---|")
    for row in rows:
        met = "yes" if row.is_met else "no"
        met = "" if row.bar == "—" else met
        print(f"| {row.name} | {row.measured} | {row.bar} | {met} | {row.details} |")
    print()
