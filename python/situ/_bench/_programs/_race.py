"""The order of a comparison of programs: who runs which style when, and for how long.

Each style of a program has processes of its own: one for each library, which starts with an empty
compile cache, and a second one of situ that finds what the first has left on disk. Libraries take
turns, so that whatever else the machine does meanwhile falls on all of them. A library that ends
its process, hangs or refuses costs its own cell of the table.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from situ._bench._crew import Contender, Crew
from situ._bench._programs._program import Program
from situ._bench._programs._results import SUBJECT, ProgramResults, StyleResult, Time
from situ._bench._race import Progress


@dataclass(frozen=True)
class Pace:
    """How long things may take."""

    rounds: int
    turn_s: float
    # A library that has run for so long has no more turns.
    most_s: float


FULL = Pace(5, 0.1, 3.0)
QUICK = Pace(1, 0.0, 0.0)


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    contenders: Sequence[Contender]
    programs: Sequence[Program]
    is_quick: bool
    # Whether `programs` are all of the folder.
    is_whole: bool
    # How long a library may take for one request: a first call, or a turn.
    limit_s: float

    @property
    def pace(self) -> Pace:
        """How long things may take."""
        return QUICK if self.is_quick else FULL


def run(plan: Plan, results: ProgramResults, progress: Progress) -> None:
    """Measure everything, into `results` as it becomes known: whoever stops it has the rest."""
    tasks = [(program, style) for program in plan.programs for style in program.styles()]
    progress.begin(len(tasks))
    for program, style in tasks:
        progress.step(f"{program.name}, {style}")
        results.styles.append(_measured(plan, program, style))
    results.is_complete = plan.is_whole


def _measured(plan: Plan, program: Program, style: str) -> StyleResult:
    size = program.size(is_quick=plan.is_quick)
    result = StyleResult(program.name, program.title, program.kind, style, size)
    contenders = [each for each in plan.contenders if (each.name, style) != ("numba", "array")]
    with Crew() as crew:
        runners = [each for each in contenders if _is_ready(plan, crew, each, program, result)]
        _have_turns(plan, crew, runners, result)
        for runner in runners:
            if runner.name == SUBJECT and runner.name in result.times:
                crew.dismiss(runner)
                answer = _ask_for_first_call(plan, crew, runner, program, result)
                result.times[SUBJECT].cached_first_s = answer.get("first_s")
    return result


def _ask_for_first_call(
    plan: Plan, crew: Crew, runner: Contender, program: Program, result: StyleResult
) -> dict[str, Any]:
    return crew.ask(
        runner,
        "prepare_program",
        limit_s=plan.limit_s,
        file=str(program.path),
        style=result.style,
        size=result.size,
    )


def _is_ready(
    plan: Plan, crew: Crew, runner: Contender, program: Program, result: StyleResult
) -> bool:
    answer = _ask_for_first_call(plan, crew, runner, program, result)
    for problem, found in (
        ("refused", result.refused),
        ("failed", result.failed),
        ("difference", result.wrong),
    ):
        if (text := answer.get(problem)) is not None:
            found[runner.name] = text
            return False
    result.times[runner.name] = Time(answer["first_s"], 1, answer["first_s"])
    return True


def _have_turns(plan: Plan, crew: Crew, runners: list[Contender], result: StyleResult) -> None:
    samples: dict[str, list[float]] = {runner.name: [] for runner in runners}
    for _ in range(plan.pace.rounds):
        for runner in runners:
            if runner.name in result.failed or sum(samples[runner.name]) > plan.pace.most_s > 0:
                continue
            answer = crew.ask(
                runner,
                "measure_program",
                limit_s=plan.limit_s,
                length_s=plan.pace.turn_s,
                warm_up=not plan.is_quick,
            )
            if (problem := answer.get("failed") or answer.get("refused")) is not None:
                result.failed[runner.name] = problem
                del result.times[runner.name]
            else:
                samples[runner.name] += answer["samples"]
    for name, time in result.times.items():
        time.median_s, time.calls = statistics.median(samples[name]), len(samples[name])
