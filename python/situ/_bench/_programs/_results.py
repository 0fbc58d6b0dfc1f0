"""What a comparison of programs found out, and the file it is kept in."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from situ._bench._bars import Bar
from situ._bench._machine import Machine
from situ._bench._programs import _bars
from situ._bench._results import Entrant, OtherSchemaError
from situ._bench._table import geometric_mean

SCHEMA = "situ-bench-programs"
VERSION = 1

SUBJECT = "situ"


@dataclass
class Time:
    """How long a program took a library: the median of its calls, and its first call."""

    median_s: float
    calls: int
    first_s: float
    # The first call of another process, with what this one has left on disk.
    cached_first_s: float | None = None


@dataclass
class StyleResult:
    """What became of a program in one style."""

    program: str
    title: str
    kind: str
    style: str
    size: dict[str, Any]
    times: dict[str, Time] = field(default_factory=dict[str, Time])
    # Why a library does not take part: it cannot compile the program, or has no such style.
    refused: dict[str, str] = field(default_factory=dict[str, str])
    # An error, a crash, or no end.
    failed: dict[str, str] = field(default_factory=dict[str, str])
    # How a result differs from NumPy's.
    wrong: dict[str, str] = field(default_factory=dict[str, str])

    def ratio(self, other: str) -> float | None:
        """Return another library's time over situ's, if both have one."""
        if self.times.keys() >= {other, SUBJECT}:
            return self.times[other].median_s / self.times[SUBJECT].median_s
        return None


@dataclass
class Summary:
    """All programs of a style against a library: the mean of ratios, and the worst program."""

    style: str
    against: str
    mean: float
    worst: str
    worst_ratio: float
    programs: int


@dataclass
class Judgement:
    """A bar for a style, and what was measured."""

    title: str
    measured: float
    bar: Bar
    # Only reported; nobody promised it.
    is_information: bool

    @property
    def is_met(self) -> bool:
        """Whether the bar is met."""
        return self.bar.is_met_by(self.measured)


@dataclass
class ProgramResults:
    """Everything that a comparison of programs found out so far."""

    made_at: str
    machine: Machine
    entrants: list[Entrant]
    # Tiny sizes and one call: whether it works, not how fast.
    is_quick: bool
    # Every program of the folder was measured to the end.
    is_complete: bool = False
    styles: list[StyleResult] = field(default_factory=list[StyleResult])

    def others(self) -> list[str]:
        """Return the libraries that situ is compared with."""
        return [entrant.name for entrant in self.entrants if entrant.name != SUBJECT]

    def summaries(self) -> list[Summary]:
        """Return the means of every style against every library."""
        found: list[Summary] = []
        for style in dict.fromkeys(result.style for result in self.styles):
            for against in self.others():
                ratios = {
                    result.program: ratio
                    for result in self.styles
                    if result.style == style and (ratio := result.ratio(against)) is not None
                }
                if ratios:
                    worst = min(ratios, key=lambda name: ratios[name])
                    mean = geometric_mean(list(ratios.values()))
                    found.append(Summary(style, against, mean, worst, ratios[worst], len(ratios)))
        return found

    def judgements(self) -> list[Judgement]:
        """Compare what was measured with the bars, which are for full sizes."""
        return [] if self.is_quick else list(self._judgements())

    def _judgements(self) -> Iterator[Judgement]:
        for found in self.summaries():
            bars = _bars.BARS.get((found.style, found.against))
            if bars is None:
                continue
            title = f"{found.style} against {found.against}"
            yield Judgement(f"{title}, mean", found.mean, bars.mean, bars.is_information)
            if bars.least is not None:
                worst = f"{title}, worst ({found.worst})"
                yield Judgement(worst, found.worst_ratio, bars.least, bars.is_information)

    def problems(self) -> list[str]:
        """Return what went wrong, a line for each."""
        return [
            f"{result.program}, {result.style}: {name}: {word}{problem}"
            for result in self.styles
            for found, word in (
                (result.wrong, "wrong result: "),
                (result.failed, ""),
                (result.refused, "refused: "),
            )
            for name, problem in found.items()
        ]

    def is_failure(self) -> bool:
        """Whether any result is wrong, or situ failed at anything."""
        return any(
            result.wrong or SUBJECT in result.failed or SUBJECT in result.refused
            for result in self.styles
        )

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        bars = [
            {
                "title": judgement.title,
                "measured": judgement.measured,
                "bar": str(judgement.bar),
                "is_met": judgement.is_met,
                "is_information": judgement.is_information,
            }
            for judgement in self.judgements()
        ]
        return {
            "schema": SCHEMA,
            "version": VERSION,
            **dataclasses.asdict(self),
            "summaries": [dataclasses.asdict(summary) for summary in self.summaries()],
            "bars": bars,
        }


def from_json(data: Any) -> ProgramResults:
    """Return the results that `to_json` wrote."""
    fields = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    if fields.get("schema") != SCHEMA:
        message = "the file has no results of `situ bench --programs`"
        raise OtherSchemaError(message)
    if fields["version"] != VERSION:
        message = f"the file has version {fields['version']}, and this situ reads {VERSION}"
        raise OtherSchemaError(message)
    return ProgramResults(
        made_at=fields["made_at"],
        machine=Machine(**fields["machine"]),
        entrants=[Entrant(**entrant) for entrant in fields["entrants"]],
        is_quick=fields["is_quick"],
        is_complete=fields["is_complete"],
        styles=[_style(result) for result in fields["styles"]],
    )


def _style(data: dict[str, Any]) -> StyleResult:
    fields = dict(data)
    times = {name: Time(**time) for name, time in fields.pop("times").items()}
    return StyleResult(**fields, times=times)
