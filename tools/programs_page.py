"""Writes docs/performance/programs.md from the file of `make bench-programs`.

`tools/make_performance_page.py` calls it; the chart and the page are one set of files with its own.
"""

import json
from pathlib import Path

from situ._bench import _libraries
from situ._bench._programs import _chart, _results, _table
from situ._bench._programs._results import ProgramResults
from situ._bench._table import as_markdown

_INTRODUCTION = """\
# Programs

Users write programs, not single calls. `make bench-programs` runs those of `benches/programs`, in
the styles in which users write them, and writes this page; `situ bench --programs NAME` measures
one of them.

| style | what runs |
| --- | --- |
| njit | slices, dots and whole arrays in loops, compiled by `numba.njit` and `situ.njit` |
| parallel | loops with `prange`, compiled by `numba.njit(parallel=True)` and `situ.njit` |
| array | the NumPy program as it is, with situ in the place of `np` |
| kernel | kernels of situ; Numba stands in with the loops of *parallel* |

NumPy always runs the NumPy program. All results are compared with its results first. Libraries
take turns, each in a process of its own, and the median of many calls counts. Programs that write
their arguments get fresh copies, which are not timed. First calls, which compile, are apart:
*cached* is the first call of a second process, which finds what the first one left on disk."""


def page_and_chart(folder: Path) -> dict[Path, str]:
    """Return the files about programs as they should be."""
    source = folder / "programs.json"
    page = folder / "programs.md"
    if not source.exists():
        return {page: f"{_INTRODUCTION}\n\nNothing has been measured yet.\n"}
    results = _results.from_json(json.loads(source.read_text(encoding="utf-8")))
    text = "\n\n".join([_INTRODUCTION, *_measured(results)])
    return {page: f"{text}\n", folder / "programs.svg": _chart.program_chart(results)}


def _measured(results: ProgramResults) -> list[str]:
    libraries = ", ".join(
        f"{_libraries.TITLES[entrant.library]} {entrant.version}" for entrant in results.entrants
    )
    provenance = f"Measured on {results.made_at[:10]}: {results.machine}; {libraries}."
    if results.is_quick:
        provenance += " **With tiny arrays (`--quick`): whether it works, not how fast it is.**"
    paragraphs = [
        provenance,
        "![Speed of situ on every program and style as a multiple of NumPy's and Numba's; the "
        "table has the numbers](programs.svg)",
    ]
    if rows := _table.summaries(results):
        paragraphs += [
            "The other library's time over situ's: more is better for situ.",
            as_markdown(rows),
        ]
    if rows := _table.bars(results):
        paragraphs.append(as_markdown(rows))
    paragraphs += ["## Every program", as_markdown(_table.programs(results))]
    if problems := results.problems():
        paragraphs += ["## Problems", "\n".join(f"- {problem}" for problem in problems)]
    return paragraphs
