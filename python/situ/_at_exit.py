"""What happens to pending work when the interpreter ends: it is waited for, but not for ever."""

import atexit
import sys

from situ import _native

__all__ = ["register"]

_PATIENCE_SECONDS = 30.0


def register() -> None:
    """Have pending work waited for before the interpreter goes away."""
    atexit.register(_wait)


def _wait() -> None:
    if not _native.wait_at_exit(_PATIENCE_SECONDS):
        message = (
            f"situ: work was still running {_PATIENCE_SECONDS:g} s after the program's end; "
            "it is given up\n"
        )
        sys.stderr.write(message)
