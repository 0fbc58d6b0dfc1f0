"""Writes the measured part of docs/performance.md, and its charts, from the files of `make bench`.

It also writes docs/performance/programs.md, from programs.json of `make bench-programs`.

    .venv/bin/python tools/make_performance_page.py [--check]

The files are docs/performance/results.json of `make bench` and docs/performance/peers.json of
`make bench-peers`; the part between the two marks of the page is theirs. With `--check` nothing is
written, and the exit status is 1 if the page or a chart is not what the files say.
"""

import json
import sys
from pathlib import Path

from programs_page import page_and_chart

from situ._bench import _charts, _libraries, _results, _table
from situ._bench._results import REFERENCE, SUBJECT, Results

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "performance.md"
FOLDER = ROOT / "docs" / "performance"
BEGIN = "<!-- measured: written by tools/make_performance_page.py -->"
END = "<!-- end of what was measured -->"


def read(name: str) -> Results | None:
    """Return the results of a file, if it is there."""
    path = FOLDER / name
    if not path.exists():
        return None
    return _results.from_json(json.loads(path.read_text(encoding="utf-8")))


def provenance(results: Results) -> str:
    """Say what was measured, where and with what."""
    libraries = ", ".join(
        f"{_libraries.TITLES[entrant.library]} {entrant.version}" for entrant in results.entrants
    )
    text = f"Measured on {results.made_at[:10]}: {results.machine}; {libraries}."
    if results.is_quick:
        text += " **With tiny arrays (`--quick`): whether it works, not how fast it is.**"
    return text


def own_part(results: Results) -> list[str]:
    """Return the paragraphs about `make bench`."""
    paragraphs = [
        "## Beside NumPy",
        provenance(results),
        "What the machine can do at most, measured in the same run:",
        _table.as_markdown(_table.limits(results)),
        "![Speed of every line as a multiple of NumPy's; the table has the numbers]"
        "(performance/speed.svg)",
        "Times are those of the shortest of many calls; *first call* is the one that compiles, "
        "with nothing on disk. A column `x NumPy` has NumPy's time over situ's: more is better.",
        _table.as_markdown(_table.speed(results)),
    ]
    if rows := _table.other_bars(results):
        paragraphs += [other_bars_text(results), _table.as_markdown(rows)]
    if (text := _table.verdict(results)) is not None:
        paragraphs.append(f"In short: {text}.")
    if results.scaling:
        paragraphs += scaling_part(results)
    return paragraphs


def other_bars_text(results: Results) -> str:
    """Explain what is not a ratio to NumPy."""
    numpy = ", ".join(
        f"{_table.times(grown)} for {growth.title}"
        for growth in results.growth
        if (grown := growth.of(REFERENCE)) is not None
    )
    return (
        "Memory, and what an element costs among many. Where NumPy's cost of an element grows, "
        f"memory is farther away, and situ's may grow as much: NumPy's is {numpy}. The same "
        "goes for what moves its bytes as fast as the plain copy above, however quick it is in "
        "caches."
    )


def scaling_part(results: Results) -> list[str]:
    """Return the paragraphs about sizes, layouts and threads."""
    paragraphs = [
        "## Sizes, layouts, threads",
        "NumPy's time over situ's, for matrices of float64 from 10 to 10 million elements. The "
        "first operand is contiguous, every second column of another matrix, a transposed matrix, "
        "or a row that is broadcast; the others are contiguous. With one thread both libraries may "
        "use one processor.",
        "![NumPy's time over situ's by size, layout and threads; the tables have the numbers]"
        "(performance/scaling.svg)",
    ]
    for threads in sorted({cell.threads for cell in results.scaling}):
        paragraphs += [
            f"With {_table.thread_count(threads)}:",
            _table.as_markdown(_table.scaling(results, threads)),
        ]
    return paragraphs


def peers_part(results: Results) -> list[str]:
    """Return the paragraphs about `make bench-peers`."""
    paragraphs = [
        "## Beside other libraries",
        f"`make bench-peers`, the same lines. {provenance(results)} A column has the time of the "
        "library over situ's: more is better for situ. Numba compiles the same functions with "
        "`parallel=True`, JAX with `jit`; a dash says that a library cannot do the work.",
        "![Speed of situ, Numba, dpnp and JAX as multiples of NumPy's; the table has the numbers]"
        "(performance/peers.svg)",
        _table.as_markdown(_table.speed(results)),
    ]
    if (text := _table.against_dpnp(results)) is not None:
        paragraphs.append(f"In short: {text}.")
    if first := first_calls(results):
        paragraphs += ["First calls, which compile:", first]
    return paragraphs


def first_calls(results: Results) -> str:
    """Return a table of what a first call costs each library."""
    others = [each.name for each in results.entrants if each.name not in {SUBJECT, REFERENCE}]
    names = [SUBJECT, *others]
    rows = [["what", *(_table.title_of(name, results) for name in names)]]
    for line in results.lines:
        found = [line.times.get(name) for name in names]
        cells = [_table.duration(time.first_s) if time is not None else "—" for time in found]
        rows.append([line.title, *cells])
    return _table.as_markdown(rows) if others else ""


def wanted_files() -> dict[Path, str]:
    """Return the page and the charts as they should be."""
    own, peers = read("results.json"), read("peers.json")
    paragraphs: list[str] = []
    files = page_and_chart(FOLDER)
    if own is not None:
        paragraphs += own_part(own)
        files[FOLDER / "speed.svg"] = _charts.speed_chart(own)
        if own.scaling:
            files[FOLDER / "scaling.svg"] = _charts.scaling_chart(own)
    if peers is not None:
        paragraphs += peers_part(peers)
        files[FOLDER / "peers.svg"] = _charts.speed_chart(peers)
    if not paragraphs:
        paragraphs = ["Nothing has been measured yet."]
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    text = "\n\n".join(paragraphs)
    files[PAGE] = f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"
    return files


def main() -> int:
    """Write the files, or with `--check` tell which would change."""
    wanted = wanted_files()
    if "--check" not in sys.argv[1:]:
        for path, text in wanted.items():
            path.write_text(text, encoding="utf-8")
        return 0
    present = {path: path.read_text(encoding="utf-8") for path in wanted if path.exists()}
    charts = set(FOLDER.glob("*.svg"))
    wrong = [path for path, text in wanted.items() if present.get(path) != text]
    wrong += sorted(charts - wanted.keys())
    for path in wrong:
        print(f"{path.relative_to(ROOT)}: not what the results say; run this without --check")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
