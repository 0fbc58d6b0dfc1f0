"""`make test` compiles once: all that it builds has one profile and the same features."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def commands(target: str) -> list[str]:
    printed = subprocess.run(
        ["make", "--dry-run", "--always-make", target],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    steps = printed.stdout.replace("\\\n", " ").splitlines()
    return [step for step in steps if re.search(r"maturin|build_wheel|cargo (test|clippy)", step)]


def test_tests_share_one_compilation() -> None:
    found = commands("test")
    python = [step for step in found if "cargo" not in step]
    rust = [step for step in found if "cargo" in step]
    # The extension module and the wheel; clippy and the Rust tests.
    assert len(python) == len(rust) == 2
    assert all("--profile dev" in step for step in python)
    assert all("--features llvm-static,situ-ir/arbitrary" in step for step in python)
    # `cargo test` and clippy have the profile `dev` and situ-ir/arbitrary without being told.
    assert all("--workspace" in step for step in rust)
    assert all("--features situ-python/llvm-static" in step for step in rust)
    assert not any("RUSTFLAGS" in step or "--release" in step for step in found)


def test_the_wheel_is_a_release_build_like_the_extension_module() -> None:
    for target in ("build", "wheel"):
        (step,) = commands(target)
        assert "--release --locked --features llvm-static" in step
        assert "tools/release_flags.sh" in step


def test_all_tests_include_those_of_the_release_wheel() -> None:
    wheels = [step for step in commands("test-all") if "build_wheel" in step]
    assert sum("--release" in step for step in wheels) == 1
    assert sum("--profile dev" in step for step in wheels) == 1
