"""The processes in which libraries are measured, of which one runs at a time.

A process that has answered is stopped until it is asked again, with all of its threads: those of
OpenBLAS, OpenMP and others spin for a while after a call, and would slow down whoever comes next.
"""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from situ._bench._worker_environment import environment

# What a worker's library prints before it dies is cut to this.
_LAST_WORDS = 300


@dataclass(frozen=True)
class Contender:
    """A library that takes part, and the device it computes on, if it lets us choose."""

    # The name in the table and in the files; `situ` is the device under test.
    name: str
    library: str
    device: str | None = None


class WorkerDiedError(Exception):
    """A library ended its process."""


class Member:
    """The process of one contender."""

    def __init__(self, contender: Contender, folder: Path, threads: int | None) -> None:
        """Start it; `threads` processors are all that it may use."""
        self.contender = contender
        own = folder / contender.name.replace(" ", "-").replace(":", "-")
        own.mkdir(exist_ok=True)
        self._log = own / "log.txt"
        arguments = [contender.library] + ([contender.device] if contender.device else [])
        with self._log.open("wb") as log, _processors(threads):
            self._process = subprocess.Popen(
                [sys.executable, "-m", "situ._bench._worker", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=environment(contender.library, own),
                # Ctrl-C is for the process that compares.
                start_new_session=True,
            )
        self.start = self._answer()

    def ask(self, do: str, limit_s: float | None = None, **request: Any) -> dict[str, Any]:
        """Let the process run, ask it for something, and stop it again when it has answered.

        A process that has not answered after `limit_s` seconds counts as dead.
        """
        assert self._process.stdin is not None
        self._process.send_signal(signal.SIGCONT)
        try:
            self._process.stdin.write(json.dumps({"do": do, **request}) + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise WorkerDiedError(self._last_words()) from error
        return self._answer(limit_s)

    def _answer(self, limit_s: float | None = None) -> dict[str, Any]:
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], limit_s)[0]:
            message = f"it did not end within {limit_s:g} s"
            raise WorkerDiedError(message)
        line = self._process.stdout.readline()
        if not line:
            raise WorkerDiedError(self._last_words())
        self._process.send_signal(signal.SIGSTOP)
        return json.loads(line)

    def _last_words(self) -> str:
        status = self._process.wait()
        ending = f"signal {-status}" if status < 0 else f"status {status}"
        words = self._log.read_text(errors="replace").strip()[-_LAST_WORDS:]
        return f"its process ended with {ending}" + (f": {words}" if words else "")

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.communicate()


class Crew:
    """The processes of all contenders; ends them when it is left."""

    def __init__(self, threads: int | None = None) -> None:
        """Choose how many processors each may use; a process starts when it is first asked."""
        self._threads = threads
        self._folder = tempfile.TemporaryDirectory(prefix="situ-bench-")
        self._members: dict[str, Member] = {}

    def __enter__(self) -> Self:
        """Return the crew."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End every process and remove their files."""
        for member in self._members.values():
            member.end()
        self._folder.cleanup()

    def ask(
        self, contender: Contender, do: str, limit_s: float | None = None, **request: Any
    ) -> dict[str, Any]:
        """Ask a contender; its answer says `failed` if its process died or took too long.

        A process that died is started again for the next question: one line that ends it should not
        cost the others.
        """
        try:
            return self._member(contender).ask(do, limit_s, **request)
        except WorkerDiedError as error:
            self.dismiss(contender)
            return {"failed": str(error)}

    def dismiss(self, contender: Contender) -> None:
        """End a contender's process; the next question starts a new one."""
        if member := self._members.pop(contender.name, None):
            member.end()

    def _member(self, contender: Contender) -> Member:
        member = self._members.get(contender.name)
        if member is None:
            member = Member(contender, Path(self._folder.name), self._threads)
            self._members[contender.name] = member
            if problem := member.start.get("failed"):
                raise WorkerDiedError(problem)
        return member


@contextmanager
def _processors(count: int | None) -> Generator[None]:
    """Let new processes have the first so many processors of this one.

    Every library counts the processors it may use, and starts as many threads.
    """
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(usable)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, usable)
