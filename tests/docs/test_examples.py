"""What we tell users to type works: README and site examples, and the programs in examples/.

Each runs in a process of its own, as a user would run it, with warnings as errors. Kernels are read
from their source, so a Markdown example is written to a file first.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PROGRAMS = sorted((ROOT / "examples").glob("*.py"))
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks() -> list[object]:
    """Return every Python block of every page, named after the line it starts at."""
    found: list[object] = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in _BLOCK.finditer(text):
            line = text.count("\n", 0, block.start()) + 1
            found.append(pytest.param(block.group(1), id=f"{page.relative_to(ROOT)}:{line}"))
    return found


def run(program: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(program)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("block", blocks())
def test_example_in_a_page_runs(block: str, tmp_path: Path) -> None:
    program = tmp_path / "example.py"
    program.write_text(block, encoding="utf-8")
    run(program)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_example_program_runs(program: Path) -> None:
    assert run(program)


def test_tour_shows_each_of_its_stops() -> None:
    output = run(ROOT / "examples" / "tour.py")
    assert "native:cpu" in output
    assert "error[K" in output, "the tour ends without its helpful error"
    assert "NumPy" in output
    assert "@@@@" in output, "the set is not there"
