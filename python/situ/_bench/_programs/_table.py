"""Tables of programs: rows of text, which a terminal or a page puts in columns."""

from situ._bench._libraries import TITLES
from situ._bench._programs._results import SUBJECT, ProgramResults, StyleResult
from situ._bench._table import Rows, duration, times

_MISSING = "—"


def programs(results: ProgramResults) -> Rows:
    """Return a row for each style of each program: times, and how many times as fast situ is."""
    others = results.others()
    head = ["program", "kind", "style", *(TITLES[name] for name in others), "situ"]
    head += [f"x {TITLES[name]}" for name in others]
    firsts = [name for name in others if name != "numpy"] + [SUBJECT]
    head += [f"first, {TITLES[name]}" for name in firsts] + ["first, situ cached"]
    rows = [head]
    for result in results.styles:
        row = [result.program, result.kind, result.style]
        row += [_time(result, name) for name in [*others, SUBJECT]]
        row += [_ratio(result, name) for name in others]
        row += [_first(result, name) for name in firsts] + [_cached(result)]
        rows.append(row)
    return rows


def _time(result: StyleResult, name: str) -> str:
    if name in result.wrong:
        return "wrong result"
    if name in result.failed:
        return "failed"
    if name in result.refused:
        return "refused"
    return duration(result.times[name].median_s) if name in result.times else _MISSING


def _ratio(result: StyleResult, name: str) -> str:
    ratio = result.ratio(name)
    return times(ratio) if ratio is not None else _MISSING


def _first(result: StyleResult, name: str) -> str:
    return duration(result.times[name].first_s) if name in result.times else _MISSING


def _cached(result: StyleResult) -> str:
    time = result.times.get(SUBJECT)
    if time is None or time.cached_first_s is None:
        return _MISSING
    return duration(time.cached_first_s)


def summaries(results: ProgramResults) -> Rows:
    """Return the mean of every style against every library, and its worst program."""
    rows = [["style", "against", "programs", "geometric mean", "worst", "worst program"]]
    for found in results.summaries():
        rows.append(
            [
                found.style,
                TITLES[found.against],
                str(found.programs),
                times(found.mean),
                times(found.worst_ratio),
                found.worst,
            ]
        )
    return rows if len(rows) > 1 else []


def bars(results: ProgramResults) -> Rows:
    """Return the table of bars."""
    rows = [["bar", "measured", "wanted", "met"]]
    for judgement in results.judgements():
        met = "yes" if judgement.is_met else "no"
        if judgement.is_information:
            met += " (for information)"
        rows.append([judgement.title, times(judgement.measured), str(judgement.bar), met])
    return rows if len(rows) > 1 else []
