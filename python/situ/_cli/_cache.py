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
    directory, limit_bytes, problem, entries, size_bytes = cache_state()
    return {
        "directory": directory,
        "limit_bytes": limit_bytes,
        "problem": problem,
        "entries": entries,
        "size_bytes": size_bytes,
    }


def describe(state: dict[str, Any]) -> str:
    """Write the state of the cache for people."""
    if state["directory"] is None:
        return _text.table([("place", "none: kernels are compiled again in every process")])
    rows = [("place", state["directory"])]
    if state["problem"] is not None:
        rows.append(("not used", state["problem"]))
    else:
        used, limit = _text.size(state["size_bytes"]), _text.size(state["limit_bytes"])
        programs = _text.counted(state["entries"], "program")
        rows.append(("content", f"{programs}, {used} of at most {limit}"))
    return _text.table(rows)


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    actions = {None: _show, "list": _list, "clear": _clear}
    return actions[options.action](options.json)


def _show(as_json: bool) -> int:
    found = state()
    print(_text.as_json(found) if as_json else "compile cache\n" + describe(found))
    return 0 if found["problem"] is None else 1


def _list(as_json: bool) -> int:
    programs = [
        {"key": key, "size_bytes": size_bytes, "last_used": last_used, "kernels": kernels}
        for key, size_bytes, last_used, kernels in cached_programs()
    ]
    if as_json:
        print(_text.as_json(programs))
        return 0
    now = time.time()
    rows = [
        (
            key[:12],
            _text.size(size_bytes),
            _text.age(now - last_used),
            "(damaged; will be compiled again)" if kernels is None else ", ".join(kernels),
        )
        for key, size_bytes, last_used, kernels in cached_programs()
    ]
    if rows:
        print(_text.table([("KEY", "SIZE", "LAST USED", "KERNELS"), *rows], indent=""))
    else:
        print("the compile cache is empty")
    return 0


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
    else:
        programs = _text.counted(entries, "program")
        print(f"removed {programs} ({_text.size(size_bytes)}) from {before['directory']}")
    return 0 if before["problem"] is None else 1
