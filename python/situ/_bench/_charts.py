"""The two charts: speed of each line, and ratios over sizes and layouts.

Both have logarithmic axes, on which twice as fast and half as fast are equally far from the line in
the middle.
"""

import math
from collections.abc import Callable, Iterable

from situ._bench import _bars
from situ._bench._lines import short
from situ._bench._results import REFERENCE, SUBJECT, CellResult, LineResult, Results
from situ._bench._scaling import LAYOUTS, OPERATIONS
from situ._bench._svg import SERIES, Drawing
from situ._bench._table import geometric_mean, size_of, thread_count, times, title_of

_WIDTH = 900
_LEFT = 270
_RIGHT = 60
_ROW = 24
_HEAD = 84
_FOOT = 40

_PANEL_WIDTH = 210
_PANEL_HEIGHT = 150
_PANELS_IN_ROW = 4
_GAP = 12

Scale = Callable[[float], float]


def logarithmic(low: float, high: float, start: float, end: float) -> Scale:
    """Return where numbers from `low` to `high` are drawn, from `start` to `end`."""

    def at(value: float) -> float:
        clamped = min(max(value, low), high)
        return start + (end - start) * math.log(clamped / low) / math.log(high / low)

    return at


def range_around(ratios: Iterable[float]) -> tuple[float, float]:
    """Return round numbers around all ratios, with one between them.

    What is beyond a hundredth or a thousand times is drawn at the edge: it would push together what
    matters.
    """
    found = [1.0, *(min(max(ratio, 0.012), 900.0) for ratio in ratios)]
    return 10 ** math.floor(math.log10(min(found) * 0.9)), 10 ** math.ceil(
        math.log10(max(found) * 1.1)
    )


def ticks(low: float, high: float) -> list[float]:
    """Return the round numbers that an axis shows."""
    first, last = round(math.log10(low)), round(math.log10(high))
    steps = (1, 2, 5) if last - first <= 3 else (1,)
    found = [step * 10.0**exponent for exponent in range(first, last) for step in steps]
    return [*found, high]


def speed_chart(results: Results) -> str:
    """Draw how many times as fast as NumPy every library is, at every line."""
    others = [each.name for each in results.entrants if each.name not in {SUBJECT, REFERENCE}]
    others = others[: SERIES - 1]
    low, high = range_around(
        ratio
        for line in results.lines
        for name in [SUBJECT, *others]
        if (ratio := line.ratio(REFERENCE, name)) is not None
    )
    height = _HEAD + _ROW * len(results.lines) + _FOOT
    ratios = [ratio for line in results.lines if (ratio := line.ratio(REFERENCE)) is not None]
    mean = times(geometric_mean(ratios)) if ratios else "not known"
    drawing = Drawing(
        _WIDTH,
        height,
        "Speed as a multiple of NumPy's",
        f"{len(results.lines)} lines; the geometric mean of situ is {mean}. "
        + "; ".join(_spoken(line) for line in results.lines),
    )
    at = logarithmic(low, high, _LEFT, _WIDTH - _RIGHT)
    drawing.text(16, 26, "Speed as a multiple of NumPy's", size=16, is_bold=True)
    drawing.text(16, 44, "longer is faster; NumPy is at 1", kind="faint")
    _legend(drawing, results, others)
    for tick in ticks(low, high):
        drawing.line(at(tick), _HEAD - 8, at(tick), height - _FOOT + 4)
        drawing.text(at(tick), height - _FOOT + 20, f"{tick:g}", anchor="middle", kind="faint")
    drawing.line(at(1.0), _HEAD - 8, at(1.0), height - _FOOT + 4, "mark")
    for number, line in enumerate(results.lines):
        _draw_line(drawing, line, others, at, _HEAD + _ROW * number, is_quick=results.is_quick)
    return str(drawing)


def _spoken(line: LineResult) -> str:
    ratio = line.ratio(REFERENCE)
    text = times(ratio) if ratio is not None else "not measured"
    return f"{_plain(line.title)}, {size_of(line)}: {text}"


def _plain(title: str) -> str:
    return title.replace("`", "")


def _legend(drawing: Drawing, results: Results, others: list[str]) -> None:
    x = 16.0
    for number, name in enumerate([SUBJECT, *others]):
        title = title_of(name, results)
        drawing.dot(x + 5, 58, number)
        drawing.text(x + 16, 62, title)
        x += 34 + 7.5 * len(title)
    if not results.is_quick:
        drawing.line(x + 5, 52, x + 5, 64, "mark")
        drawing.text(x + 14, 62, "bar")


def _draw_line(
    drawing: Drawing, line: LineResult, others: list[str], at: Scale, y: float, *, is_quick: bool
) -> None:
    middle = y + _ROW / 2 - 4
    drawing.text(_LEFT - 12, middle + 4, f"{_plain(line.title)}, {size_of(line)}", anchor="end")
    ratio = line.ratio(REFERENCE)
    if ratio is not None:
        start, end = sorted((at(1.0), at(ratio)))
        drawing.bar(start, middle - 6, max(end - start, 1.0), 12, 0)
    for number, name in enumerate(others, 1):
        other = line.ratio(REFERENCE, name)
        if other is not None:
            drawing.dot(at(other), middle, number)
    if not is_quick and line.name in _bars.SPEED:
        bar = at(_bars.SPEED[line.name])
        drawing.line(bar, middle - 9, bar, middle + 9, "mark")
    drawing.text(
        _WIDTH - _RIGHT + 8, middle + 4, times(ratio) if ratio is not None else "—", is_bold=True
    )


def scaling_chart(results: Results) -> str:
    """Draw NumPy's time over situ's against the size, a panel for each operation."""
    low, high = range_around(
        ratio for cell in results.scaling if (ratio := cell.ratio()) is not None
    )
    rows = math.ceil(len(OPERATIONS) / _PANELS_IN_ROW)
    threads = sorted({cell.threads for cell in results.scaling})
    drawing = Drawing(
        _PANELS_IN_ROW * (_PANEL_WIDTH + _GAP) + 2 * _GAP,
        _HEAD + rows * (_PANEL_HEIGHT + 3 * _GAP) + _GAP,
        "Speed as a multiple of NumPy's, by size, layout and threads",
        "A panel for each operation, with the number of elements from left to right and the "
        "ratio upwards. The table below has the numbers.",
    )
    title = "Speed as a multiple of NumPy's, by number of elements"
    drawing.text(16, 26, title, size=16, is_bold=True)
    lines = ", ".join(
        f"{'solid' if count == max(threads) else 'dashed'}: {thread_count(count)}"
        for count in reversed(threads)
    )
    drawing.text(16, 44, f"{lines}; the rule in the middle is NumPy", kind="faint")
    x = 16.0
    for number, layout in enumerate(LAYOUTS):
        drawing.dot(x + 5, 58, number)
        drawing.text(x + 16, 62, layout)
        x += 34 + 7.5 * len(layout)
    for number, operation in enumerate(OPERATIONS):
        cells = [cell for cell in results.scaling if cell.operation == operation]
        left = _GAP + (number % _PANELS_IN_ROW) * (_PANEL_WIDTH + _GAP)
        top = _HEAD + (number // _PANELS_IN_ROW) * (_PANEL_HEIGHT + 3 * _GAP)
        _draw_panel(drawing, operation, cells, left, top, (low, high), max(threads, default=1))
    return str(drawing)


def _draw_panel(
    drawing: Drawing,
    operation: str,
    cells: list[CellResult],
    left: float,
    top: float,
    ends: tuple[float, float],
    most_threads: int,
) -> None:
    low, high = ends
    bottom = top + _PANEL_HEIGHT - 18
    at_y = logarithmic(low, high, bottom, top + 20)
    start, end = left + 34, left + _PANEL_WIDTH - 12
    drawing.text(left + 34, top + 12, OPERATIONS[operation].title, is_bold=True)
    for tick in _powers(low, high):
        drawing.line(start - 4, at_y(tick), end + 4, at_y(tick), "mark" if tick == 1 else "rule")
        drawing.text(start - 8, at_y(tick) + 4, f"{tick:g}", size=10, anchor="end", kind="faint")
    sizes = sorted({cell.elements for cell in cells})
    if not sizes:
        return
    at_x = logarithmic(sizes[0], max(sizes[-1], 2 * sizes[0]), start, end)
    for size in sizes:
        drawing.text(at_x(size), bottom + 16, short(size), size=10, anchor="middle", kind="faint")
    for threads in sorted({cell.threads for cell in cells}):
        is_dashed = threads < most_threads
        for series, layout in enumerate(LAYOUTS):
            points = [
                (at_x(cell.elements), at_y(ratio))
                for cell in sorted(cells, key=lambda cell: cell.elements)
                if cell.threads == threads and cell.layout == layout
                if (ratio := cell.ratio()) is not None
            ]
            drawing.way(points, series, is_dashed=is_dashed)
            for x, y in [] if is_dashed else points:
                drawing.dot(x, y, series, 3.0)


def _powers(low: float, high: float) -> list[float]:
    return [
        10.0**exponent for exponent in range(round(math.log10(low)), round(math.log10(high)) + 1)
    ]
