"""Results that nobody measured, for tests of what is made from them."""

from dataclasses import replace

from situ._bench._limits import Limits
from situ._bench._lines import lines
from situ._bench._machine import Machine
from situ._bench._programs._results import ProgramResults, StyleResult
from situ._bench._programs._results import Time as ProgramTime
from situ._bench._results import CellResult, Entrant, Growth, LineResult, Results, Time
from situ._bench._scaling import cells


def results(*, ratio=2.0, peers=(), is_quick=False, has_scaling=True):
    """Return whole results in which situ is `ratio` times as fast as everybody else."""
    names = ["numpy", *peers]
    entrants = [
        Entrant("numpy", "numpy", "2.4.6"),
        Entrant("situ", "situ", "0.1.0", "native:cpu:0", "A processor"),
        *(Entrant(name, name, "1.0") for name in peers),
    ]
    made = Results(
        "2026-11-16T20:00:00+00:00",
        Machine("A processor", 2, 1 << 34, "Linux x86_64", "3.11.7", "abc1234"),
        entrants,
        is_quick,
        is_complete=True,
        limits=Limits(20.0, 19.0, 300.0, 150.0, 0.7),
        peak_memory={"situ": 1.01, "numpy": 1.0},
    )
    for line in lines().values():
        times = {name: Time(0.01 * ratio, 0.001 * ratio, 7) for name in names}
        times["situ"] = Time(0.02, 0.001, 9)
        size = line.chosen_size(is_quick=is_quick)
        made.lines.append(LineResult(line.name, line.title, line.chapter, size, times))
    line = lines()["add-f64"]
    made.growth.append(
        Growth(
            line.name,
            line.title,
            1_000_000,
            100_000_000,
            {"numpy": 1e-9, "situ": 1e-9},
            {"numpy": 1.2e-9, "situ": 1.3e-9},
        )
    )
    for cell in cells(is_quick=is_quick) if has_scaling else []:
        for threads in (1, 2):
            times = {"numpy": 0.001 * ratio * threads, "situ": 0.001}
            made.scaling.append(
                CellResult(cell.operation, cell.layout, cell.elements, threads, times)
            )
    return made


def program_results(*, is_quick=False):
    """Return results of three programs, of which two have times of Numba."""
    whole = results(peers=("numba",), has_scaling=False)
    numpy, situ_, numba = whole.entrants
    made = ProgramResults(
        whole.made_at, whole.machine, [numpy, numba, situ_], is_quick, is_complete=True
    )
    for program, ratio in (("a", 8.0), ("b", 2.0)):
        times = {"numpy": ProgramTime(ratio, 5, ratio), "numba": ProgramTime(2 * ratio, 5, 9.0)}
        times["situ"] = ProgramTime(1.0, 5, 0.5, 0.25)
        for style in ("njit", "array"):
            kept = {name: replace(time) for name, time in times.items()}
            if style == "array":
                del kept["numba"]
            made.styles.append(
                StyleResult(program, f"Program {program}.", "kind", style, {"n": 3}, kept)
            )
    refused = StyleResult(
        "c", "Program c.", "kind", "njit", {"n": 3}, {"numpy": ProgramTime(1, 5, 1)}
    )
    refused.refused["numba"] = "no such function"
    refused.failed["situ"] = "its process ended with signal 11"
    made.styles.append(refused)
    return made
