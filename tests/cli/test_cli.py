"""The command ``situ``: in this process where that is enough, as users run it where it is not."""

import subprocess
import sys
from pathlib import Path

import pytest
from cli.command import run

import situ
from situ._cli import main


def test_without_arguments_the_commands_are_listed(capsys):
    assert main([]) == 0
    said = capsys.readouterr().out
    for command in ("devices", "doctor", "drivers", "cache", "bench", "exit status"):
        assert command in said


def test_the_version_is_that_of_the_package(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"situ {situ.__version__}\n"


@pytest.mark.parametrize("arguments", [["dance"], ["cache", "burn"], ["devices", "--loud"]])
def test_commands_that_make_no_sense_end_with_status_2(arguments, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert "usage: situ" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["devices", "doctor", "drivers", "cache", "bench"])
def test_every_command_has_help(command, capsys):
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])
    assert "--json" in capsys.readouterr().out


def test_the_installed_command_is_the_same(tmp_path):
    command = Path(sys.executable).parent / "situ"
    if not command.exists():
        pytest.skip("situ is not installed as a package here")
    done = subprocess.run([command, "--version"], capture_output=True, text=True)
    assert done.stdout == f"situ {situ.__version__}\n"
    again = run("--version", cache=tmp_path)
    assert again.stdout == done.stdout


def test_a_reader_that_has_seen_enough_is_no_error():
    done = subprocess.run(
        f"{sys.executable} -m situ devices --json | head -1",
        shell=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "[\n"
    assert done.stderr == ""
