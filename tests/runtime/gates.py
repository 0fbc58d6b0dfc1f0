"""Host tasks that tests hold back, and programs that tests run in a process of their own."""

import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import situ

PATIENCE_SECONDS = 60


class Gate:
    """A host task that does not end before the gate is opened."""

    def __init__(self, queue: situ.Queue) -> None:
        self._opened = threading.Event()
        self.event = queue.host_task(self._stand)

    def _stand(self) -> None:
        if not self._opened.wait(PATIENCE_SECONDS):
            message = "nobody opened the gate"
            raise TimeoutError(message)

    def open(self) -> None:
        """Let the host task end."""
        self._opened.set()


@contextmanager
def gate_on(queue: situ.Queue) -> Iterator[Gate]:
    """Hold a queue back; the gate is open at the end of the block, whatever happens in it."""
    gate = Gate(queue)
    try:
        yield gate
    finally:
        gate.open()


def run_program(
    directory: Path, program: str, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own, which is killed if it hangs."""
    script = directory / "program.py"
    script.write_text(textwrap.dedent(program))
    return subprocess.run(
        [sys.executable, script, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
