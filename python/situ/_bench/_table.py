"""Tables of results: rows of text, which a terminal or a page puts in columns."""

import math
from collections.abc import Sequence

from situ._bench import _bars
from situ._bench._libraries import TITLES
from situ._bench._lines import lines
from situ._bench._results import REFERENCE, SUBJECT, Judgement, LineResult, Results
from situ._bench._scaling import LAYOUTS, OPERATIONS

Rows = list[list[str]]

_MISSING = "—"


def duration(seconds: float) -> str:
    """Write a time with the unit that suits it.

    Examples
    --------
    >>> duration(3.2e-7), duration(0.00123), duration(0.5), duration(12)
    ('320 ns', '1.23 ms', '500 ms', '12 s')
    """
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def times(ratio: float) -> str:
    """Write a ratio.

    Examples
    --------
    >>> times(12.345), times(1.234), times(0.05), times(0.00127)
    ('12.3', '1.23', '0.05', '0.0013')
    """
    if ratio >= 10:
        return f"{ratio:.1f}"
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.2g}"


def size_of(line: LineResult) -> str:
    """Return how large the arrays of a line were."""
    return lines()[line.name].size_text(line.size)


def thread_count(count: int) -> str:
    """Write a number of threads."""
    return "1 thread" if count == 1 else f"{count} threads"


def title_of(name: str, results: Results) -> str:
    """Return what people call an entrant."""
    if name == SUBJECT or name not in TITLES:
        entrants = {entrant.name: entrant for entrant in results.entrants}
        several = sum(entrant.library == SUBJECT for entrant in results.entrants) > 1
        return f"situ on {entrants[name].device}" if several else "situ"
    return TITLES[name]


def geometric_mean(ratios: Sequence[float]) -> float:
    """Return the mean of ratios, in which twice and half make one.

    Examples
    --------
    >>> geometric_mean([0.5, 2.0])
    1.0
    """
    return math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))


def speed(results: Results) -> Rows:
    """Return the table of lines: times, and how many times as fast situ is as each other."""
    others = [entrant.name for entrant in results.entrants if entrant.name != SUBJECT]
    names = [title_of(name, results) for name in others]
    head = ["what", "size", "situ", "first call", "NumPy", *(f"x {name}" for name in names)]
    rows = [head if results.is_quick else [*head, "bar", "met"]]
    for line in results.lines:
        row = [line.title, size_of(line), *_times(line), *(_against(line, name) for name in others)]
        rows.append(row if results.is_quick else [*row, *_verdict(line)])
    if len(results.lines) > 1:
        rows.append(_mean_row(results, others, len(rows[0])))
    return rows


def _times(line: LineResult) -> list[str]:
    own, numpy = line.times.get(SUBJECT), line.times.get(REFERENCE)
    return [
        duration(own.best_s) if own is not None else _absence(line, SUBJECT),
        duration(own.first_s) if own is not None else _MISSING,
        duration(numpy.best_s) if numpy is not None else _absence(line, REFERENCE),
    ]


def _against(line: LineResult, other: str) -> str:
    ratio = line.ratio(other)
    return times(ratio) if ratio is not None else _absence(line, other)


def _absence(line: LineResult, name: str) -> str:
    return "failed" if name in line.failed else _MISSING


def _verdict(line: LineResult) -> list[str]:
    bar = _bars.speed_bar(line.name)
    ratio = line.ratio(REFERENCE)
    return [str(bar), _MISSING if ratio is None else _mark(bar.is_met_by(ratio))]


def _mark(is_met: bool) -> str:
    return "yes" if is_met else "no"


def _mean_row(results: Results, others: list[str], width: int) -> list[str]:
    row = ["geometric mean", "", "", "", ""]
    for other in others:
        ratios = [ratio for line in results.lines if (ratio := line.ratio(other)) is not None]
        row.append(times(geometric_mean(ratios)) if ratios else _MISSING)
    return row + [""] * (width - len(row))


def other_bars(results: Results) -> Rows:
    """Return the table of bars that are not a line's against NumPy."""
    chosen = [each for each in results.judgements() if _is_other(each)]
    if not chosen:
        return []
    rows = [["what", "measured", "bar", "met"]]
    for each in chosen:
        rows.append([each.title, times(each.measured), str(each.bar), _mark(each.is_met)])
    return rows


def _is_other(judgement: Judgement) -> bool:
    return judgement.name not in _bars.SPEED


def against_dpnp(results: Results) -> str | None:
    """Say on how many lines situ is ahead of dpnp, and where it is not."""
    judged = [each for each in results.judgements() if each.against == "dpnp"]
    if not judged:
        return None
    behind = ", ".join(
        f"{each.title} ({times(each.measured)})" for each in judged if not each.is_met
    )
    ahead = sum(each.is_met for each in judged)
    return f"ahead of dpnp on {ahead} of {len(judged)} lines" + (
        f"; not on {behind}" * bool(behind)
    )


def limits(results: Results) -> Rows:
    """Return the table of limits."""
    found = results.limits
    if found is None:
        return []
    rows = [
        ["limit", "measured"],
        ["copy on the host, all threads", f"{found.host_copy_gb_per_s:.1f} GB/s"],
        ["copy by a kernel on the device", f"{found.device_copy_gb_per_s:.1f} GB/s"],
        ["multiply-adds, float32", f"{found.fma_float32_gflop_per_s:.0f} GFLOP/s"],
    ]
    if found.fma_float64_gflop_per_s is not None:
        rows.append(["multiply-adds, float64", f"{found.fma_float64_gflop_per_s:.0f} GFLOP/s"])
    rows.append(["empty launch and wait, from Python", f"{found.empty_launch_us:.2f} µs"])
    return rows


def scaling(results: Results, threads: int) -> Rows:
    """Return NumPy's time over situ's for each operation and layout, a column for each size."""
    cells = [cell for cell in results.scaling if cell.threads == threads]
    if not cells:
        return []
    sizes = sorted({cell.elements for cell in cells})
    found = {(cell.operation, cell.layout, cell.elements): cell for cell in cells}
    rows = [["operation", "layout", *(f"{size:,}" for size in sizes)]]
    for operation, described in OPERATIONS.items():
        for layout in LAYOUTS:
            row = [found.get((operation, layout, size)) for size in sizes]
            ratios = [cell.ratio() if cell is not None else None for cell in row]
            texts = [times(ratio) if ratio is not None else _MISSING for ratio in ratios]
            rows.append([f"`{described.title}`", layout, *texts])
    return rows


def verdict(results: Results) -> str | None:
    """Say how many bars are met."""
    judged = results.judgements()
    if not judged:
        return None
    met = sum(each.is_met for each in judged)
    return f"{met} of {len(judged)} bars met"


def as_markdown(rows: Rows) -> str:
    """Write rows as a table of Markdown; the first is its head."""
    head, *body = rows
    body = [["**no**" if cell == "no" else cell for cell in row] for row in body]
    table = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in table)
