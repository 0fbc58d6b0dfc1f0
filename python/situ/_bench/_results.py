"""What a comparison found out, and the file it is kept in.

The file is JSON with the name and the version of its form. `from_json` refuses other versions; what
it does not need, such as the judgements on bars, is written for other programs.
"""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from situ._bench import _bars
from situ._bench._bars import Bar
from situ._bench._limits import Limits
from situ._bench._lines import short
from situ._bench._machine import Machine

SCHEMA = "situ-bench"
VERSION = 1

SUBJECT = "situ"
REFERENCE = "numpy"


@dataclass
class Entrant:
    """A library that took part."""

    name: str
    library: str
    version: str | None
    # Selector and name of the device, for libraries that let one choose.
    device: str | None = None
    device_name: str | None = None


@dataclass
class Time:
    """How long a line took a library: its first call, and the shortest of the others."""

    first_s: float
    best_s: float
    calls: int


@dataclass
class LineResult:
    """What became of a line."""

    name: str
    title: str
    chapter: str
    size: int
    times: dict[str, Time] = field(default_factory=dict[str, Time])
    # Why a library cannot do this work.
    refused: dict[str, str] = field(default_factory=dict[str, str])
    # What went wrong: an error, or a result that differs from NumPy's.
    failed: dict[str, str] = field(default_factory=dict[str, str])

    def ratio(self, other: str, one: str = SUBJECT) -> float | None:
        """Return the time of another library over that of one, if both have one."""
        if other not in self.times or one not in self.times:
            return None
        return self.times[other].best_s / self.times[one].best_s


@dataclass
class CellResult:
    """What became of a cell of the scaling table: seconds by library."""

    operation: str
    layout: str
    elements: int
    threads: int
    times: dict[str, float] = field(default_factory=dict[str, float])
    failed: dict[str, str] = field(default_factory=dict[str, str])

    def ratio(self) -> float | None:
        """Return NumPy's time over situ's."""
        if self.times.keys() >= {SUBJECT, REFERENCE}:
            return self.times[REFERENCE] / self.times[SUBJECT]
        return None


@dataclass
class Growth:
    """How the time of an element grows with their number: its time at each size, by library."""

    name: str
    title: str
    # Seconds for an element, at the smaller size and at the larger.
    small: int
    large: int
    small_s: dict[str, float] = field(default_factory=dict[str, float])
    large_s: dict[str, float] = field(default_factory=dict[str, float])

    def of(self, entrant: str) -> float | None:
        """Return the larger size's time for an element over the smaller's."""
        if entrant in self.small_s and entrant in self.large_s:
            return self.large_s[entrant] / self.small_s[entrant]
        return None


@dataclass
class Judgement:
    """A bar, and what was measured."""

    name: str
    title: str
    against: str
    measured: float
    bar: Bar

    @property
    def is_met(self) -> bool:
        """Whether the bar is met."""
        return self.bar.is_met_by(self.measured)


@dataclass
class Results:
    """Everything that a comparison found out so far."""

    made_at: str
    machine: Machine
    entrants: list[Entrant]
    # Tiny sizes: whether it works, not how fast.
    is_quick: bool
    is_complete: bool = False
    limits: Limits | None = None
    # Libraries that did not start, and why.
    absent: dict[str, str] = field(default_factory=dict[str, str])
    lines: list[LineResult] = field(default_factory=list[LineResult])
    scaling: list[CellResult] = field(default_factory=list[CellResult])
    growth: list[Growth] = field(default_factory=list[Growth])
    peak_memory: dict[str, float] = field(default_factory=dict[str, float])

    def judgements(self) -> list[Judgement]:
        """Compare what was measured with the bars, which are for full sizes."""
        return [] if self.is_quick else list(self._judgements())

    def _judgements(self) -> Iterator[Judgement]:
        for line in self.lines:
            bars = {REFERENCE: _bars.speed_bar(line.name), "dpnp": _bars.AGAINST_DPNP}
            for against, bar in bars.items():
                if (ratio := line.ratio(against)) is not None:
                    yield Judgement(line.name, line.title, against, ratio, bar)
        for growth in self.growth:
            own, numpy = growth.of(SUBJECT), growth.of(REFERENCE)
            if own is not None and numpy is not None:
                sizes = f"{short(growth.large)} over {short(growth.small)}"
                title = f"cost of an element, {growth.title}, {sizes}"
                bar = _bars.growth_bar(numpy, self._memory_growth(growth))
                yield Judgement(f"growth-{growth.name}", title, REFERENCE, own, bar)
        if SUBJECT in self.peak_memory:
            title = "peak memory of `a + b`, over inputs and result"
            peak = self.peak_memory[SUBJECT]
            yield Judgement("peak-memory", title, "", peak, _bars.PEAK_MEMORY)

    def _memory_growth(self, growth: Growth) -> float:
        """Return what the time of an element grows to at the speed of a plain copy."""
        if self.limits is None:
            return 1.0
        copy_s = _bars.MOVED_BYTES[growth.name] / self.limits.host_copy_gb_per_s / 1e9
        return copy_s / growth.small_s[SUBJECT]

    def problems(self) -> list[str]:
        """Return what went wrong, a line for each."""
        absent = [f"{name} did not start: {problem}" for name, problem in self.absent.items()]
        lines = [
            f"{line.title}: {name}: {problem}"
            for line in self.lines
            for name, problem in line.failed.items()
        ]
        cells = [
            f"{cell.operation}, {cell.layout}, {cell.elements} elements, {cell.threads} threads: "
            f"{name}: {problem}"
            for cell in self.scaling
            for name, problem in cell.failed.items()
        ]
        return absent + lines + cells

    def has_wrong_results(self) -> bool:
        """Whether situ failed at anything."""
        results: list[LineResult | CellResult] = [*self.lines, *self.scaling]
        return SUBJECT in self.absent or any(SUBJECT in result.failed for result in results)

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        bars = [
            {
                "name": judgement.name,
                "against": judgement.against,
                "measured": judgement.measured,
                "bar": str(judgement.bar),
                "is_met": judgement.is_met,
            }
            for judgement in self.judgements()
        ]
        return {
            "schema": SCHEMA,
            "version": VERSION,
            **dataclasses.asdict(self),
            "bars": bars,
        }


class OtherSchemaError(ValueError):
    """A file is not what this version of situ writes."""


def from_json(data: Any) -> Results:
    """Return the results that `to_json` wrote."""
    fields = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    if fields.get("schema") != SCHEMA:
        message = "the file has no results of `situ bench`"
        raise OtherSchemaError(message)
    if fields["version"] != VERSION:
        message = f"the file has version {fields['version']}, and this situ reads {VERSION}"
        raise OtherSchemaError(message)
    limits = fields["limits"]
    return Results(
        made_at=fields["made_at"],
        machine=Machine(**fields["machine"]),
        entrants=[Entrant(**entrant) for entrant in fields["entrants"]],
        is_quick=fields["is_quick"],
        is_complete=fields["is_complete"],
        limits=Limits(**limits) if limits is not None else None,
        absent=fields["absent"],
        lines=[_line(line) for line in fields["lines"]],
        scaling=[CellResult(**cell) for cell in fields["scaling"]],
        growth=[Growth(**growth) for growth in fields["growth"]],
        peak_memory=fields["peak_memory"],
    )


def _line(data: dict[str, Any]) -> LineResult:
    fields = dict(data)
    times = {name: Time(**time) for name, time in fields.pop("times").items()}
    return LineResult(**fields, times=times)
