"""The chart of programs: how many times as fast as each library situ is, by style."""

from situ._bench._charts import logarithmic, range_around, ticks
from situ._bench._libraries import TITLES
from situ._bench._programs._program import STYLES
from situ._bench._programs._results import ProgramResults
from situ._bench._svg import Drawing
from situ._bench._table import times

_WIDTH = 900
_LEFT = 210
_GAP = 40
_ROW = 20
_HEAD = 84
_FOOT = 40


def program_chart(results: ProgramResults) -> str:
    """Draw a row for each program, a shape for each style, and a column for each library."""
    names = list(dict.fromkeys(result.program for result in results.styles))
    others = results.others()
    height = _HEAD + _ROW * len(names) + _FOOT
    spoken = "; ".join(
        f"{found.style} against {TITLES[found.against]}: {times(found.mean)} in the mean, "
        f"{times(found.worst_ratio)} at worst ({found.worst})"
        for found in results.summaries()
    )
    title = "Speed of situ on programs, as a multiple of other libraries'"
    drawing = Drawing(_WIDTH, height, title, f"{len(names)} programs. {spoken}")
    drawing.text(16, 26, title, size=16, is_bold=True)
    drawing.text(16, 44, "to the right is faster; the other library is at 1", kind="faint")
    _legend(drawing)
    for number, name in enumerate(names):
        y = _HEAD + _ROW * (number + 0.5)
        drawing.text(_LEFT - 12, y + 4, name, anchor="end")
    width = (_WIDTH - _LEFT - 20 - _GAP * (len(others) - 1)) / max(len(others), 1)
    for column, other in enumerate(others):
        left = _LEFT + column * (width + _GAP)
        _draw_column(drawing, results, names, other, (left, left + width), height)
    return str(drawing)


def _legend(drawing: Drawing) -> None:
    x = 16.0
    for series, style in enumerate(STYLES):
        drawing.dot(x + 5, 58, series)
        drawing.text(x + 16, 62, style)
        x += 34 + 7.5 * len(style)


def _draw_column(
    drawing: Drawing,
    results: ProgramResults,
    names: list[str],
    other: str,
    ends: tuple[float, float],
    height: int,
) -> None:
    found = [
        (result, ratio) for result in results.styles if (ratio := result.ratio(other)) is not None
    ]
    low, high = range_around(ratio for _, ratio in found)
    at = logarithmic(low, high, *ends)
    drawing.text(sum(ends) / 2, _HEAD - 12, f"x {TITLES[other]}", anchor="middle", is_bold=True)
    for tick in ticks(low, high):
        drawing.line(at(tick), _HEAD - 4, at(tick), height - _FOOT + 4)
        drawing.text(at(tick), height - _FOOT + 20, f"{tick:g}", anchor="middle", kind="faint")
    drawing.line(at(1.0), _HEAD - 4, at(1.0), height - _FOOT + 4, "mark")
    for result, ratio in found:
        y = _HEAD + _ROW * (names.index(result.program) + 0.5)
        drawing.dot(at(ratio), y, STYLES.index(result.style), 4.0)
