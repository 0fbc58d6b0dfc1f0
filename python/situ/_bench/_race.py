"""The order of a comparison: who is measured when, how often, and how results are checked.

The contenders of a line take turns, so that whatever else the machine does meanwhile falls on all
of them. Where situ is close to its bar there are more turns, because the speed of memory on a
shared machine changes within seconds. A library whose result differs from NumPy's has no time.
"""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Protocol

from situ._bench import _bars, _lines, _scaling
from situ._bench._crew import Contender, Crew
from situ._bench._limits import Limits
from situ._bench._lines import Line
from situ._bench._results import (
    REFERENCE,
    SUBJECT,
    CellResult,
    Growth,
    LineResult,
    Results,
    Time,
)
from situ._bench._scaling import Cell

# Within this factor of its bar a line is close.
_CLOSE = 1.2


@dataclass(frozen=True)
class Pace:
    """How long things may take."""

    rounds: int
    turn_s: float
    # More rounds, and seconds, for a line that is close to its bar.
    close_rounds: int
    close_s: float
    cell_rounds: int
    cell_turn_s: float
    growth_sizes: tuple[int, int]


FULL = Pace(5, 0.12, 15, 10.0, 3, 0.02, (1_000_000, 100_000_000))
QUICK = Pace(1, 0.0, 0, 0.0, 1, 0.0, (1_000, 10_000))


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    contenders: Sequence[Contender]
    lines: Sequence[Line]
    has_scaling: bool
    is_quick: bool

    @property
    def pace(self) -> Pace:
        """How long things may take."""
        return QUICK if self.is_quick else FULL

    @property
    def is_whole(self) -> bool:
        """Whether no line was left out."""
        return len(self.lines) == len(_lines.lines())

    def threads(self, processors: int) -> list[int]:
        """Return the numbers of threads of the scaling table: one, and all."""
        return sorted({1, processors})


class Progress(Protocol):
    """Who is told how far a comparison is."""

    def begin(self, steps: int) -> None:
        """Be told how many steps there are."""
        ...

    def step(self, what: str) -> None:
        """Be told what is measured next."""
        ...


def run(plan: Plan, results: Results, progress: Progress) -> None:
    """Measure everything, into `results` as it becomes known: whoever stops it has the rest."""
    cells = _scaling.cells(is_quick=plan.is_quick) if plan.has_scaling else []
    threads = plan.threads(results.machine.processors)
    growth = tuple(_bars.MOVED_BYTES) if plan.is_whole else ()
    extra = 1 + len(growth) + plan.is_whole
    progress.begin(len(plan.lines) + len(cells) * len(threads) + extra)
    with Crew() as crew:
        plan = _present(plan, crew, results)
        progress.step("limits of the machine")
        results.limits = _limits(plan, crew)
        for line in plan.lines:
            progress.step(line.title)
            result = LineResult(
                line.name, line.title, line.chapter, line.chosen_size(is_quick=plan.is_quick)
            )
            _race(plan, crew, result)
            results.lines.append(result)
        for name in growth:
            progress.step(f"cost of an element, {_lines.lines()[name].title}")
            results.growth.append(_growth(plan, crew, _lines.lines()[name]))
        if plan.is_whole:
            progress.step("peak memory of `a + b`")
            results.peak_memory = _peak_memory(plan, crew)
    for count in threads if cells else ():
        with Crew(count) as crew:
            for cell in cells:
                what = f"{cell.operation} {cell.layout}, {cell.elements:,} elements"
                progress.step(f"{what}, {count} of {max(threads)} threads")
                results.scaling.append(_cell(plan, crew, cell, count))
    results.is_complete = plan.is_whole


def _present(plan: Plan, crew: Crew, results: Results) -> Plan:
    """Start every library, and return the plan without those that do not start."""
    present: list[Contender] = []
    for contender in plan.contenders:
        answer = crew.ask(contender, "release")
        if "failed" in answer:
            results.absent[contender.name] = answer["failed"]
        else:
            present.append(contender)
    return replace(plan, contenders=present)


def _pair(plan: Plan) -> list[Contender]:
    return [each for each in plan.contenders if each.name in {SUBJECT, REFERENCE}]


def _limits(plan: Plan, crew: Crew) -> Limits | None:
    for contender in plan.contenders:
        if contender.name == SUBJECT:
            answer = crew.ask(contender, "limits", is_quick=plan.is_quick)
            return None if "failed" in answer else Limits(**answer)
    return None


def _race(plan: Plan, crew: Crew, result: LineResult) -> None:
    """Measure a line by every contender."""
    runners = [each for each in plan.contenders if _is_ready(crew, each, result)]
    _have_turns(plan, crew, runners, result)
    for runner in runners:
        if runner.name in result.times:
            answer = crew.ask(runner, "check")
            if problem := answer.get("failed") or answer.get("difference"):
                result.failed[runner.name] = problem
                del result.times[runner.name]
        crew.ask(runner, "release")


def _is_ready(crew: Crew, contender: Contender, result: LineResult) -> bool:
    answer = crew.ask(contender, "prepare_line", name=result.name, size=result.size)
    if "refused" in answer:
        result.refused[contender.name] = answer["refused"]
    elif "failed" in answer:
        result.failed[contender.name] = answer["failed"]
    else:
        result.times[contender.name] = Time(answer["first_s"], answer["first_s"], 1)
        return True
    return False


def _have_turns(plan: Plan, crew: Crew, runners: list[Contender], result: LineResult) -> None:
    pace = plan.pace
    for number in range(pace.rounds):
        for runner in list(runners):
            _have_turn(crew, runner, pace.turn_s, result, is_first=number == 0)
    end = time.perf_counter() + pace.close_s
    pair = [runner for runner in runners if runner.name in {SUBJECT, REFERENCE}]
    for _ in range(pace.close_rounds):
        if not _is_close(result) or time.perf_counter() > end:
            break
        for runner in pair:
            _have_turn(crew, runner, pace.turn_s, result, is_first=False)


def _have_turn(
    crew: Crew, runner: Contender, length_s: float, result: LineResult, *, is_first: bool
) -> None:
    if runner.name in result.failed:
        return
    answer = crew.ask(runner, "measure", length_s=length_s)
    if "failed" in answer:
        result.failed[runner.name] = answer["failed"]
        del result.times[runner.name]
        return
    found = result.times[runner.name]
    best = answer["best_s"] if is_first else min(found.best_s, answer["best_s"])
    result.times[runner.name] = Time(found.first_s, best, found.calls + answer["calls"])


def _is_close(result: LineResult) -> bool:
    ratio = result.ratio(REFERENCE)
    if ratio is None or result.name not in _bars.SPEED:
        return False
    return 1 / _CLOSE < ratio / _bars.SPEED[result.name] < _CLOSE


def _growth(plan: Plan, crew: Crew, line: Line) -> Growth:
    """Measure a line at two sizes; one contender after the other, because the larger is large."""
    small, large = plan.pace.growth_sizes
    growth = Growth(line.name, line.title, small, large)
    for contender in _pair(plan):
        for size, found in ((small, growth.small_s), (large, growth.large_s)):
            result = LineResult(line.name, line.title, line.chapter, size)
            if _is_ready(crew, contender, result):
                for number in range(plan.pace.rounds):
                    _have_turn(crew, contender, plan.pace.turn_s, result, is_first=number == 0)
            if contender.name in result.times:
                found[contender.name] = result.times[contender.name].best_s / size
            crew.ask(contender, "release")
    return growth


def _peak_memory(plan: Plan, crew: Crew) -> dict[str, float]:
    """Measure in new processes: what a library keeps for later would hide what it needs."""
    found: dict[str, float] = {}
    for contender in plan.contenders:
        crew.dismiss(contender)
        answer = crew.ask(contender, "peak_memory", is_quick=plan.is_quick)
        if "ratio" in answer:
            found[contender.name] = answer["ratio"]
    return found


def _cell(plan: Plan, crew: Crew, cell: Cell, threads: int) -> CellResult:
    pace = plan.pace
    result = CellResult(cell.operation, cell.layout, cell.elements, threads)
    for contender in _pair(plan):
        answer = crew.ask(contender, "prepare_cell", **asdict(cell))
        if problem := answer.get("failed") or answer.get("refused"):
            result.failed[contender.name] = problem
    runners = [each for each in _pair(plan) if each.name not in result.failed]
    for _ in range(pace.cell_rounds):
        for runner in runners:
            answer = crew.ask(runner, "measure", length_s=pace.cell_turn_s)
            if "failed" in answer:
                result.failed[runner.name] = answer["failed"]
                continue
            best = result.times.get(runner.name, answer["best_s"])
            result.times[runner.name] = min(best, answer["best_s"])
    for name in result.failed:
        result.times.pop(name, None)
    for runner in (each for each in runners if each.name in result.times):
        answer = crew.ask(runner, "check")
        if problem := answer.get("failed") or answer.get("difference"):
            result.failed[runner.name] = problem
            del result.times[runner.name]
    return result
