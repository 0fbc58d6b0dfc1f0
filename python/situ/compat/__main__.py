"""``python -m situ.compat``: run a program written for the peers.

The program sees what it would see if Python had been started with it: its own arguments, its own
folder first on the path, and in a traceback its own lines only.
"""

import linecache
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, ModuleType

from situ import compat

_USAGE = """\
usage: python -m situ.compat script.py [argument ...]
       python -m situ.compat -m module [argument ...]
       python -m situ.compat -c code [argument ...]

Runs a program for which dpctl, dpnp, numba_dpex and numba_dppy are situ's own.
"""


def main(arguments: list[str]) -> int:
    """Run the program that the arguments name; return the exit status."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_USAGE, end="", file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    first, rest = arguments[0], arguments[1:]
    if first in ("-m", "-c") and not rest:
        print(f"situ.compat: `{first}` needs an argument\n{_USAGE}", end="", file=sys.stderr)
        return 2
    if first == "-m":
        sys.argv = rest
        sys.path[0] = str(Path.cwd())
        return _run(lambda: runpy.run_module(rest[0], run_name="__main__", alter_sys=True))
    if first == "-c":
        sys.argv = ["-c", *rest[1:]]
        sys.path[0] = ""
        return _run(lambda: _execute(_compiled(rest[0], "<situ.compat -c>"), None))
    if first.startswith("-") and first != "-":
        print(f"situ.compat: there is no option `{first}`\n{_USAGE}", end="", file=sys.stderr)
        return 2
    try:
        text = Path(first).read_bytes()
    except OSError as error:
        print(f"situ.compat: cannot open {first!r}: {error.strerror}", file=sys.stderr)
        return 2
    sys.argv = arguments
    sys.path[0] = str(Path(first).resolve().parent)
    return _run(lambda: _execute(compile(text, first, "exec", dont_inherit=True), first))


def _compiled(code: str, name: str) -> CodeType:
    """Compile code that is in no file, so that kernels and tracebacks find its lines."""
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    return compile(code, name, "exec", dont_inherit=True)


def _execute(code: CodeType, file: str | None) -> None:
    """Run code as the main program."""
    program = ModuleType("__main__")
    program.__dict__["__builtins__"] = __builtins__
    if file is not None:
        program.__file__ = file
    sys.modules["__main__"] = program
    exec(code, program.__dict__)


def _run(program: Callable[[], object]) -> int:
    """Run a program with the peers' modules; report its exception as Python itself would."""
    compat.install()
    try:
        program()
    except Exception as error:
        traceback = error.__traceback__
        # Frames of this file and of those that it uses come first.
        own = {__file__, runpy.__file__, "<frozen runpy>"}
        while traceback is not None and traceback.tb_frame.f_code.co_filename in own:
            traceback = traceback.tb_next
        sys.excepthook(type(error), error.with_traceback(traceback), traceback)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
