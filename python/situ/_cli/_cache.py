"""``situ cache``: the compiled kernels that are kept between processes."""

import argparse
import time
from typing import Any

from situ._cli import _text
from situ._native import cache_state, cached_programs, clear_cache

HELP = "show, list or clear the compiled kernels kept on disk"
DESCRIPTION = """\
Show where compiled kernels are kept between processes and how much there is.

`list` names the kernels, the most recently used first. `clear` removes them all, which costs
nothing but the time to compile them again.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("action", nargs="?", choices=["list", "clear"], help="what to do")
    parser.add_argument("--json", action="store_true", help="the same as JSON")


def state() -> dict[str, Any]:
    """Return where the cache is and how much is in it, as plain data."""
    directory, limit_bytes, problem, entries, size_bytes, refused = cache_state()
    reason, remedy = (None, None) if problem is None else problem
    return {
        "directory": directory,
        "limit_bytes": limit_bytes,
        "problem": reason,
        "help": remedy,
        "entries": entries,
        "size_bytes": size_bytes,
        "refused_entries": refused,
    }


def describe(state: dict[str, Any]) -> str:
    """Write the state of the cache for people."""
    if state["directory"] is None:
        return _text.table([("place", "none: kernels are compiled again in every process")])
    rows = [("place", state["directory"])]
    if state["problem"] is not None:
        rows.append(("not used", state["problem"]))
        rows.append(("help", state["help"]))
    else:
        used, limit = _text.size(state["size_bytes"]), _text.size(state["limit_bytes"])
        programs = _text.counted(state["entries"], "program")
        rows.append(("content", f"{programs}, {used} of at most {limit}"))
        if state["refused_entries"]:
            rows.append(("refused", refused_text(state)))
    return _text.table(rows)


def refused_text(state: dict[str, Any]) -> str:
    """Write how many files of the cache are refused, and what to do."""
    files = _text.counted(state["refused_entries"], "file")
    return f"{files} that others may have written: see `situ cache list`"


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    actions = {None: _show, "list": _list, "clear": _clear}
    return actions[options.action](options.json)


def _show(as_json: bool) -> int:
    found = state()
    print(_text.as_json(found) if as_json else "compile cache\n" + describe(found))
    return 0 if found["problem"] is None and not found["refused_entries"] else 1


def _list(as_json: bool) -> int:
    found = state()
    if found["problem"] is not None:
        print(_text.as_json([]) if as_json else "compile cache\n" + describe(found))
        return 1
    programs: list[dict[str, Any]] = [
        {
            "key": key,
            "size_bytes": size_bytes,
            "last_used": last_used,
            "kernels": kernels,
            "problem": problem,
        }
        for key, size_bytes, last_used, kernels, problem in cached_programs()
    ]
    if as_json:
        print(_text.as_json(programs))
        return 0
    now = time.time()
    rows = [
        (
            program["key"][:12],
            _text.size(program["size_bytes"]),
            _text.age(now - program["last_used"]),
            _content(program),
        )
        for program in programs
    ]
    if rows:
        print(_text.table([("KEY", "SIZE", "LAST USED", "KERNELS"), *rows], indent=""))
    else:
        print("the compile cache is empty")
    return 0


def _content(program: dict[str, Any]) -> str:
    if program["problem"] is not None:
        return f"(refused: it {program['problem']})"
    if program["kernels"] is None:
        return "(damaged; will be compiled again)"
    return ", ".join(program["kernels"])


def _clear(as_json: bool) -> int:
    before = state()
    entries, size_bytes = clear_cache()
    if as_json:
        removed = {"directory": before["directory"], "removed_entries": entries}
        print(_text.as_json({**removed, "removed_bytes": size_bytes}))
    elif before["directory"] is None:
        print("there is no compile cache to clear")
    elif before["problem"] is not None:
        print(f"nothing removed from {before['directory']}\n  why:  {before['problem']}")
        print(f"  help: {before['help']}")
    else:
        programs = _text.counted(entries, "program")
        print(f"removed {programs} ({_text.size(size_bytes)}) from {before['directory']}")
    return 0 if before["problem"] is None else 1
