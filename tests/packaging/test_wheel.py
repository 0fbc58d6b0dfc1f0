"""The wheel stands on its own: no LLVM, no compiler, no PATH, no environment.

`make test-packaging` builds a wheel that shares the compilation of the other tests, and
`make test-wheel` the one that is published. ``TESTED_WHEELS`` is the folder of the wheel.
Everything runs in a child process, because this process already has the developer's build of situ.
"""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging

ROOT = Path(__file__).resolve().parents[2]
FIRST_STEPS = Path(__file__).with_name("first_steps.py")


@pytest.fixture(scope="session")
def wheel() -> Path:
    folder = os.environ.get("TESTED_WHEELS", "dist")
    wheels = sorted((ROOT / folder).glob("*.whl"))
    assert len(wheels) == 1, f"expected one wheel in {folder}/, found {wheels}; run `make wheel`"
    return wheels[0]


@pytest.fixture(scope="session")
def empty_python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of a new environment that holds the wheel and NumPy only."""
    folder = tmp_path_factory.mktemp("wheel") / "venv"
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    subprocess.run([*pip, "install", "--quiet", "--only-binary=:all:", str(wheel)], check=True)
    return python


def run(python: Path, *arguments: str, cwd: Path) -> str:
    """Run `python` with an empty environment, PATH included; return what it printed."""
    done = subprocess.run(
        [str(python), *arguments], cwd=cwd, env={"PATH": ""}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_tag_says_abi3_and_which_systems(wheel: Path) -> None:
    tag = re.fullmatch(r"situ-[\d.]+-cp311-abi3-(.+)\.whl", wheel.name)
    assert tag, wheel.name
    assert tag.group(1).startswith("manylinux_"), "a plain linux tag promises nothing"


def test_first_steps_run_with_nothing_around(empty_python: Path, tmp_path: Path) -> None:
    assert run(empty_python, str(FIRST_STEPS), cwd=tmp_path) == "first steps: ok\n"


def test_no_shared_llvm_is_loaded(empty_python: Path, tmp_path: Path) -> None:
    code = "import pathlib, situ; print(pathlib.Path('/proc/self/maps').read_text())"
    assert "libLLVM" not in run(empty_python, "-c", code, cwd=tmp_path)


def test_the_header_of_the_c_interface_is_inside(empty_python: Path, tmp_path: Path) -> None:
    code = "import pathlib, situ; print((pathlib.Path(situ.get_include()) / 'situ.h').read_text())"
    header = (ROOT / "python" / "situ" / "include" / "situ.h").read_text(encoding="utf-8")
    assert run(empty_python, "-c", code, cwd=tmp_path) == f"{header}\n"


def test_extras_are_those_of_the_readme(empty_python: Path, tmp_path: Path) -> None:
    code = "import importlib.metadata as m; print(*m.metadata('situ').get_all('Provides-Extra'))"
    extras = run(empty_python, "-c", code, cwd=tmp_path).split()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert sorted(extras) == sorted(re.findall(r"^\| `situ\[(\w+)\]`", readme, re.MULTILINE))
