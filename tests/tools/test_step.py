"""tools/step.sh says what is done, how far it is, how long it took and what is next."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CARGO = "    Building [===>     ] 57/131: faer, situ-ir   \\r   Compiling faer v0.24.4\\n"


def run_step(
    *arguments: str, plan: str = "lint|extension module|docs"
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "STEP_PLAN": plan, "STEP_STARTED": "0"}
    return subprocess.run(
        ["tools/step.sh", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )


def test_steps_are_numbered_and_the_next_one_is_named() -> None:
    done = run_step("extension module", "true")
    assert done.returncode == 0
    assert "== extension module (step 2 of 3)\n" in done.stdout
    assert re.search(
        r"== extension module: ok \(\d+ s; \d+ min \d\d s so far; next: docs\)", done.stdout
    )


def test_the_last_step_has_no_next() -> None:
    assert "next" not in run_step("docs", "true").stdout


def test_steps_outside_of_the_plan_are_not_numbered() -> None:
    done = run_step("virtual environment", "true")
    assert "== virtual environment\n" in done.stdout
    assert "next" not in done.stdout


def test_output_and_status_are_passed_on() -> None:
    done = run_step("docs", "bash", "-c", "echo out; echo '   Expected 3' >&2; exit 7")
    assert done.returncode == 7
    assert "\nout\n" in done.stdout
    assert "   Expected 3\n" in done.stderr
    assert "== docs: FAILED with status 7" in done.stderr


def test_remarks_of_cargo_are_left_out_and_errors_are_not() -> None:
    done = run_step("docs", "bash", "-c", f"printf '{CARGO}error: no such crate\\n' >&2")
    assert done.stderr == "error: no such crate\n"


def test_what_cargo_fetches_is_progress() -> None:
    bars = "       Fetch [=====>    ] 92 complete; 2 pending   \\r" * 3
    done = run_step("docs", "bash", "-c", f"printf '{bars}\\n' >&2")
    assert done.stderr == ""


def test_what_a_talking_command_says_is_left_as_it_is() -> None:
    done = run_step("--talks", "docs", "bash", "-c", f"printf '{CARGO}' >&2")
    assert "Compiling faer" in done.stderr


def test_terminals_see_the_crate_and_the_time() -> None:
    command = f"tools/step.sh docs bash -c \"printf '{CARGO}' >&2\""
    done = subprocess.run(
        ["script", "--quiet", "--return", "--command", command, "/dev/null"],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "80"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    assert done.returncode == 0
    assert re.search(rb"\r   57 of 131 crates: faer, situ-ir \(\d s\)\x1b\[K", done.stdout)


@pytest.mark.parametrize("target", ["demo", "check", "test"])
def test_the_plan_has_every_step_of_a_target(target: str) -> None:
    printed = subprocess.run(
        ["make", "--dry-run", "--always-make", target], cwd=ROOT, capture_output=True, text=True
    )
    assert printed.returncode == 0, printed.stderr
    steps = re.findall(r'tools/step.sh (?:--talks )?"([^"]*)"', printed.stdout)
    assert any(step.startswith("extension module") for step in steps)
    # A step is found by its name.
    assert len(steps) == len(set(steps)) == printed.stdout.count("tools/step.sh ")
