"""What ``situ bench`` does with its options: plan, measure, show, write."""

import argparse
import difflib
import sys
from datetime import UTC, datetime
from pathlib import Path

from situ._bench import _charts, _libraries, _lines, _machine, _progress, _race, _table
from situ._bench._crew import Contender
from situ._bench._lines import Line
from situ._bench._programs import _command as _program_command
from situ._bench._programs._program import ProgramChoiceError
from situ._bench._results import REFERENCE, SUBJECT, Entrant, Results
from situ._cli import _text
from situ._native import Device
from situ.exceptions import DeviceError

_PEERS = [name for name in _libraries.NAMES if name not in {SUBJECT, REFERENCE}]


class _UsageError(Exception):
    """The options make no sense."""


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    try:
        for file in (options.json, options.svg):
            _check_writable(file)
        if options.programs is not None or options.programs_from is not None:
            return _program_command.run(options, *_program_command.plan(options))
        plan, results = _plan(options)
    except (_UsageError, ProgramChoiceError, DeviceError) as error:
        print(f"situ bench: {error}", file=sys.stderr)
        return 2
    return _run_lines(options, plan, results)


def _run_lines(options: argparse.Namespace, plan: _race.Plan, results: Results) -> int:
    progress = _progress.for_terminal()
    is_interrupted = False
    try:
        _race.run(plan, results, progress)
    except KeyboardInterrupt:
        is_interrupted = True
    progress.end()
    _show(results)
    if is_interrupted:
        print("\ninterrupted: this is what was measured so far")
    _write(options, results)
    return 130 if is_interrupted else int(results.has_wrong_results())


def _plan(options: argparse.Namespace) -> tuple[_race.Plan, Results]:
    contenders = [
        Contender(REFERENCE, REFERENCE),
        *_devices(options.device),
        *(Contender(name, name) for name in _chosen_peers(options.against)),
    ]
    entrants = [_entrant(contender) for contender in contenders]
    made_at = datetime.now(UTC).isoformat(timespec="seconds")
    results = Results(made_at, _machine.this_machine(), entrants, options.quick)
    chosen = _chosen_lines(options.lines)
    return _race.Plan(contenders, chosen, options.scaling, options.quick), results


def _devices(selectors: list[str] | None) -> list[Contender]:
    found = [Device(selector) for selector in selectors] if selectors else [Device()]
    names = list(dict.fromkeys(device.filter_string for device in found))
    first, *others = names
    return [
        Contender(SUBJECT, SUBJECT, first),
        *(Contender(f"{SUBJECT} on {name}", SUBJECT, name) for name in others),
    ]


def _chosen_peers(against: str | None) -> list[str]:
    if against is None:
        return [name for name in _PEERS if _libraries.is_installed(name)]
    wanted = [word.strip().lower() for word in against.split(",") if word.strip()]
    for name in wanted:
        if name not in {*_PEERS, REFERENCE}:
            close = difflib.get_close_matches(name, [REFERENCE, *_PEERS], 1)
            hint = f"did you mean `{close[0]}`?" if close else f"choose of {', '.join(_PEERS)}"
            message = (
                f"there is no library `{name}` to compare with\n"
                f"  why:  situ knows how to ask numpy, {', '.join(_PEERS)}\n  help: {hint}"
            )
            raise _UsageError(message)
        if not _libraries.is_installed(name):
            packages = "dpnp intel-opencl-rt intel-cmplr-lib-rt" if name == "dpnp" else name
            message = f"`{name}` is not installed\n  help: pip install {packages}"
            raise _UsageError(message)
    return [name for name in _PEERS if name in wanted]


def _chosen_lines(words: str | None) -> list[Line]:
    lines = list(_lines.lines().values())
    if words is None:
        return lines
    wanted = [word.strip() for word in words.split(",") if word.strip()]
    chosen = [line for line in lines if any(word in line.name for word in wanted)]
    if not chosen:
        names = ", ".join(line.name for line in lines)
        message = f"no line has `{words}` in its name\n  help: the lines are {names}"
        raise _UsageError(message)
    return chosen


def _entrant(contender: Contender) -> Entrant:
    version = _libraries.installed_version(contender.library)
    name = Device(contender.device).name if contender.device is not None else None
    return Entrant(contender.name, contender.library, version, contender.device, name)


def _check_writable(file: Path | None) -> None:
    """Find out before the minutes of measuring, not after, that a file cannot be written."""
    if file is None:
        return
    if file.is_dir():
        message = f"cannot write {file}\n  why:  it is a directory\n  help: name a file in it"
        raise _UsageError(message)
    if not file.parent.is_dir():
        message = f"cannot write {file}\n  why:  there is no directory {file.parent}"
        raise _UsageError(message)


def _show(results: Results) -> None:
    """Print everything that was measured."""
    print(results.machine)
    for entrant in results.entrants:
        device = f" on {entrant.device} ({entrant.device_name})" if entrant.device else ""
        print(f"  {_libraries.TITLES[entrant.library]} {entrant.version}{device}")
    for rows in _tables(results):
        if rows:
            print("\n" + _text.table([[_plain(cell) for cell in row] for row in rows], indent=""))
    for text in (_table.verdict(results), _table.against_dpnp(results)):
        if text is not None:
            print(f"\n{_plain(text)}")
    if problems := results.problems():
        print("\nwent wrong:\n" + "\n".join(f"  {_plain(problem)}" for problem in problems))


def _tables(results: Results) -> list[_table.Rows]:
    tables = [
        _table.limits(results),
        _table.speed(results) if results.lines else [],
        _table.other_bars(results),
    ]
    for count in sorted({cell.threads for cell in results.scaling}):
        head, *rows = _table.scaling(results, count)
        tables.append([[f"x NumPy, {_table.thread_count(count)}", *head[1:]], *rows])
    return tables


def _plain(text: str) -> str:
    return text.replace("`", "")


def _write(options: argparse.Namespace, results: Results) -> None:
    if options.json is not None:
        options.json.write_text(_text.as_json(results.to_json()) + "\n", encoding="utf-8")
    if options.svg is not None and results.lines:
        options.svg.write_text(_charts.speed_chart(results), encoding="utf-8")
        if results.scaling:
            second = options.svg.with_stem(options.svg.stem + "-scaling")
            second.write_text(_charts.scaling_chart(results), encoding="utf-8")
