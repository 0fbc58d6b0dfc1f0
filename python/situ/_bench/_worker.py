"""The process in which one library is measured: it does what it reads, and answers.

A request is a line of JSON with the name of a method of `Worker`; so is an answer, which has
`refused` for work the library cannot do and `failed` for work that went wrong. Whoever asks stops
the process between requests (`_crew`), so nothing here may run meanwhile.
"""

import ctypes
import dataclasses
import gc
import json
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any, TextIO

from situ._bench import _libraries, _limits, _lines, _peak_memory, _task
from situ._bench._libraries import NotForThisLibraryError
from situ._bench._programs import _contestants
from situ._bench._programs._program import Program
from situ._bench._programs._trial import Trial
from situ._bench._scaling import Cell
from situ._bench._task import Task
from situ._bench._timing import Timer, seconds
from situ._native import Device

_PR_SET_PDEATHSIG = 1


class Worker:
    """A library, and the work that it is asked to do."""

    def __init__(self, library: str, device: str | None) -> None:
        """Import the library."""
        self._name = library
        self._library = _libraries.opened(library, device)
        self._device = device
        self._task: Task | None = None
        self._timer: Timer | None = None
        self._trial: Trial | None = None

    def prepare_line(self, name: str, size: int) -> dict[str, Any]:
        """Make the arrays of a line and call it for the first time."""
        self.release()
        return self._prepared(_task.for_line(_lines.lines()[name], size, self._library))

    def prepare_cell(self, operation: str, layout: str, elements: int) -> dict[str, Any]:
        """Make the arrays of a cell of the scaling table and call it for the first time."""
        self.release()
        return self._prepared(_task.for_cell(Cell(operation, layout, elements), self._library))

    def _prepared(self, task: Task) -> dict[str, Any]:
        first = seconds(task.run)
        self._task, self._timer = task, Timer(task.run)
        return {"first_s": first}

    def measure(self, length_s: float) -> dict[str, Any]:
        """Have a turn of about so many seconds."""
        assert self._timer is not None
        return dataclasses.asdict(self._timer.turn(length_s))

    def prepare_program(self, file: str, style: str, size: dict[str, Any]) -> dict[str, Any]:
        """Call a program in a style for the first time, and compare its result with NumPy's."""
        self._trial = Trial(Program(Path(file)), style, self._name, self._library)
        _contestants.warm_up(style, self._name)
        first, difference = self._trial.first_call(size)
        return {"first_s": first, "difference": difference}

    def measure_program(self, length_s: float, warm_up: bool) -> dict[str, Any]:
        """Call the program for about so many seconds."""
        assert self._trial is not None
        return {"samples": self._trial.samples(length_s, warm_up=warm_up)}

    def check(self) -> dict[str, Any]:
        """Compare the result with NumPy's."""
        assert self._task is not None
        return {"difference": self._task.difference()}

    def release(self) -> dict[str, Any]:
        """Let go of the arrays."""
        self._task = self._timer = None
        gc.collect()
        return {}

    def limits(self, is_quick: bool) -> dict[str, Any]:
        """Measure what the machine and the device can do at most."""
        device = Device(self._device) if self._device is not None else Device()
        return dataclasses.asdict(_limits.measure(device, is_quick=is_quick))

    def peak_memory(self, is_quick: bool) -> dict[str, Any]:
        """Measure how much memory `a + b` needs."""
        return {"ratio": _peak_memory.peak_ratio(self._library, is_quick=is_quick)}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do what a request says."""
        try:
            return getattr(self, request.pop("do"))(**request)
        except (NotForThisLibraryError, *self._library.refusals) as error:
            return {"refused": first_line(error)}
        except Exception as error:
            # Whatever a library raises is the answer; the others go on.
            return {"failed": f"{type(error).__name__}: {first_line(error)}"}


def first_line(error: Exception) -> str:
    """Return what an error says in short, fit to be published."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    # Numba begins with which of its steps failed, and then says why.
    lines = [line for line in lines if not line.startswith("Failed in nopython")]
    # A compiler's message begins with the function's name; what it found is a line of its own.
    lines[1:] = [line for line in lines[1:] if line.startswith("error[")][:1]
    # Where modules are on this machine is nobody's business: answers are published.
    text = ": ".join(lines) or type(error).__name__
    return re.sub(r" from '[^']*'", "", text)


def _private_output() -> TextIO:
    """Return where answers go, and let everything that libraries print go to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def main(library: str, device: str | None) -> None:
    """Answer requests until there are no more."""
    # The process may be stopped when the one that asks dies, and would never find out.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    answers = _private_output()
    try:
        worker = Worker(library, device)
        start: dict[str, Any] = {"threads": len(os.sched_getaffinity(0))}
    except Exception as error:
        worker = None
        start = {"failed": f"{type(error).__name__}: {first_line(error)}"}
    print(json.dumps(start), file=answers, flush=True)
    if worker is None:
        return
    for line in sys.stdin:
        print(json.dumps(worker.answer(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
