"""How far a comparison is: a bar on a terminal, a line for each tenth elsewhere."""

import shutil
import sys
import time
from typing import TextIO

_BAR = 24


class Bar:
    """A line that is written over again."""

    def __init__(self, out: TextIO | None = None) -> None:
        """Write to standard error, so that the table can go to a file."""
        self._out = out if out is not None else sys.stderr
        self._steps = 1
        self._done = -1
        self._start = time.monotonic()

    def begin(self, steps: int) -> None:
        """Be told how many steps there are."""
        self._steps, self._start = steps, time.monotonic()

    def step(self, what: str) -> None:
        """Show what is measured next."""
        self._done += 1
        share = self._done / self._steps
        filled = round(share * _BAR)
        bar = "█" * filled + "░" * (_BAR - filled)
        width = shutil.get_terminal_size().columns - 1
        text = f"{bar} {share:4.0%} {self._left(share)} {what.replace('`', '')}"
        self._out.write("\r\x1b[K" + text[:width])
        self._out.flush()

    def _left(self, share: float) -> str:
        """Return the time that is left, if that can be said."""
        passed = time.monotonic() - self._start
        if share < 0.02 or passed < 2:
            return "     "
        minutes, seconds = divmod(round(passed / share - passed), 60)
        return f"{minutes:2d}:{seconds:02d}"

    def end(self) -> None:
        """Clear the line."""
        self._out.write("\r\x1b[K")
        self._out.flush()


class Lines:
    """Plain lines, for logs: a tenth of the steps each."""

    def __init__(self, out: TextIO | None = None) -> None:
        """Write to standard error."""
        self._out = out if out is not None else sys.stderr
        self._steps = 1
        self._done = -1

    def begin(self, steps: int) -> None:
        """Be told how many steps there are."""
        self._steps = steps

    def step(self, what: str) -> None:
        """Write a line if another tenth is done."""
        self._done += 1
        if self._done * 10 // self._steps != (self._done - 1) * 10 // self._steps:
            text = f"{self._done} of {self._steps}: {what.replace('`', '')}"
            print(text, file=self._out, flush=True)

    def end(self) -> None:
        """Do nothing: lines stay."""


def for_terminal() -> Bar | Lines:
    """Return what suits standard error."""
    return Bar() if sys.stderr.isatty() else Lines()
