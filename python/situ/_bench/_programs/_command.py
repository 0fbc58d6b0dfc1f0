"""What ``situ bench --programs`` does with its options: plan, measure, show, write."""

import argparse
import difflib
from collections.abc import Sequence
from datetime import UTC, datetime

from situ._bench import _libraries, _machine, _progress
from situ._bench._crew import Contender
from situ._bench._programs import _chart, _program, _race, _table
from situ._bench._programs._program import Program, ProgramChoiceError
from situ._bench._programs._results import SUBJECT, ProgramResults
from situ._bench._results import REFERENCE, Entrant
from situ._cli import _text
from situ._native import Device

_PEER = "numba"


def plan(options: argparse.Namespace) -> tuple[_race.Plan, ProgramResults]:
    """Return what the options ask for."""
    present = _program.programs(_program.find_folder(options.programs_from))
    chosen = _chosen(present, options.programs or [])
    _check_other_options(options)
    for program in chosen:
        _check_program(program)
    device = Device(options.device[0]) if options.device else Device()
    names = [REFERENCE, _PEER] if _has_peer(options.against) else [REFERENCE]
    contenders = [Contender(name, name) for name in names]
    contenders.append(Contender(SUBJECT, SUBJECT, device.filter_string))
    results = ProgramResults(
        datetime.now(UTC).isoformat(timespec="seconds"),
        _machine.this_machine(),
        [_entrant(contender, device) for contender in contenders],
        options.quick,
    )
    is_whole = len(chosen) == len(present)
    return _race.Plan(contenders, chosen, options.quick, is_whole, options.time_limit), results


def _check_other_options(options: argparse.Namespace) -> None:
    """Refuse options that would do nothing."""
    several = len(options.device or []) > 1
    for option, is_given in (
        ("--lines", options.lines is not None),
        ("--scaling", options.scaling),
        ("a second `--device`", several),
    ):
        if is_given:
            message = f"{option} does nothing with `--programs`\n  help: leave it out"
            raise ProgramChoiceError(message)


def _check_program(program: Program) -> None:
    """Refuse a file that is not a program, before the minutes of measuring."""
    try:
        program.check()
    except Exception as error:
        message = (
            f"{program.path} is not a program that can be measured\n"
            f"  why:  {type(error).__name__}: {error}\n"
            "  help: benches/README.md of the repository says what such a file needs"
        )
        raise ProgramChoiceError(message) from error


def _has_peer(against: str | None) -> bool:
    """Return whether Numba takes part: it does if it is installed, or is asked for."""
    if against is None:
        return _libraries.is_installed(_PEER)
    wanted = [word.strip().lower() for word in against.split(",") if word.strip()]
    for name in wanted:
        if name not in {REFERENCE, _PEER}:
            message = (
                f"programs cannot be compared with `{name}`\n"
                "  why:  they have loops over elements and write arrays in place\n"
                f"  help: choose of {REFERENCE}, {_PEER}"
            )
            raise ProgramChoiceError(message)
    if _PEER in wanted and not _libraries.is_installed(_PEER):
        message = f"`{_PEER}` is not installed\n  help: pip install {_PEER}"
        raise ProgramChoiceError(message)
    return _PEER in wanted


def _chosen(present: list[Program], names: Sequence[str]) -> list[Program]:
    """Return the programs with these names; none is all of them."""
    known = {program.name: program for program in present}
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean `{close[0]}`?" if close else f"they are {', '.join(known)}"
            message = f"there is no program `{name}`\n  help: {hint}"
            raise ProgramChoiceError(message)
    return [program for program in present if not names or program.name in names]


def _entrant(contender: Contender, device: Device) -> Entrant:
    version = _libraries.installed_version(contender.library)
    if contender.name != SUBJECT:
        return Entrant(contender.name, contender.library, version)
    return Entrant(SUBJECT, SUBJECT, version, device.filter_string, device.name)


def run(options: argparse.Namespace, plan: _race.Plan, results: ProgramResults) -> int:
    """Measure, show and write; return the exit status."""
    progress = _progress.for_terminal()
    is_interrupted = False
    try:
        _race.run(plan, results, progress)
    except KeyboardInterrupt:
        is_interrupted = True
    progress.end()
    show(results)
    if is_interrupted:
        print("\ninterrupted: this is what was measured so far")
    if options.json is not None:
        options.json.write_text(_text.as_json(results.to_json()) + "\n", encoding="utf-8")
    if options.svg is not None and results.styles:
        options.svg.write_text(_chart.program_chart(results), encoding="utf-8")
    return 130 if is_interrupted else int(results.is_failure())


def show(results: ProgramResults) -> None:
    """Print everything that was measured."""
    print(results.machine)
    for entrant in results.entrants:
        device = f" on {entrant.device} ({entrant.device_name})" if entrant.device else ""
        print(f"  {_libraries.TITLES[entrant.library]} {entrant.version}{device}")
    for rows in (_table.programs(results), _table.summaries(results), _table.bars(results)):
        if rows:
            print("\n" + _text.table(rows, indent=""))
    if problems := results.problems():
        print("\nwent wrong:\n" + "\n".join(f"  {problem}" for problem in problems))
