"""`make demo` installs the wheel of dist/ if it was made from the sources as they are."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    "Cargo.lock",
    "Cargo.toml",
    "crates/one/Cargo.toml",
    "crates/one/build.rs",
    "crates/one/src/lib.rs",
    "pyproject.toml",
    "python/situ/__init__.py",
]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a project of few files with a wheel that matches them."""
    for source in SOURCES:
        (tmp_path / source).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / source).write_text(source)
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/.built").write_text(run(tmp_path, "tools/wheel_sources.sh", "hash"))
    return tmp_path


def run(directory: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=directory, capture_output=True, check=True, text=True)
    return done.stdout


def uses_wheel(directory: Path) -> bool:
    printed = run(directory, "make", "--dry-run", "--always-make", "demo")
    assert ("maturin develop" in printed) != ("dist/*.whl" in printed)
    assert ("--quick-build" in printed) != ("dist/*.whl" in printed)
    return "dist/*.whl" in printed


def test_a_wheel_of_the_same_sources_is_installed(checkout: Path) -> None:
    assert uses_wheel(checkout)


@pytest.mark.parametrize("source", SOURCES)
def test_a_wheel_of_other_sources_is_not(checkout: Path, source: str) -> None:
    (checkout / source).write_text("changed")
    assert not uses_wheel(checkout)


def test_a_module_built_in_place_is_kept(checkout: Path) -> None:
    (checkout / "python/situ/_native.abi3.so").touch()
    assert not uses_wheel(checkout)
