"""``situ drivers``: what became of every driver, and how to get one without being root."""

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from situ import _intel_runtime, _opencl_vendors
from situ._cli import _driver_report, _text

HELP = "explain every driver, or register one"
DESCRIPTION = """\
Say which drivers there are, which file each is in, which of its devices can be used and why others
cannot; and which drivers are registered but did not start.

`register` makes Intel's OpenCL driver for processors known to the OpenCL loader. It needs no root:

    pip install intel-opencl-rt intel-cmplr-lib-rt
    situ drivers register

The drivers of the system stay visible. situ finds what was registered by itself, in this Python
environment; for other programs, a line for the shell is printed. `unregister` undoes it.
"""


class _Refused(Exception):
    """Nothing was done; the message says why."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("action", nargs="?", choices=["register", "unregister"], help="what to do")
    parser.add_argument(
        "--directory",
        type=Path,
        help="where to register (default: a directory of this Python environment, which situ finds "
        "by itself)",
    )
    parser.add_argument("--json", action="store_true", help="the same as JSON")


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    if options.action is None:
        if options.directory is not None:
            print("situ drivers: --directory goes with register and unregister", file=sys.stderr)
            return 2
        return _list(options.json)
    actions = {"register": _register, "unregister": _unregister}
    directory = _opencl_vendors.own_directory()
    if options.directory is not None:
        directory = options.directory.absolute()
    try:
        return actions[options.action](directory, options.json)
    except _Refused as refusal:
        print(f"situ drivers: {refusal}", file=sys.stderr)
        return 1


def _list(as_json: bool) -> int:
    fatal = _driver_report.fatal_problem()
    if fatal is not None:
        problem = f"situ drivers: {_driver_report.describe_fatal(fatal)}"
        print(_text.as_json({"fatal": fatal}) if as_json else problem)
        return 1
    reports = _driver_report.examine()
    print(_text.as_json(reports) if as_json else _driver_report.describe(reports))
    return 0 if _accepted(reports) and not any(one.get("not_started") for one in reports) else 1


def _accepted(reports: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the devices that can be used."""
    return [
        device
        for report in reports
        for driver in report["drivers"]
        for device in driver["devices"]
        if device["filter_string"] is not None
    ]


def _register(directory: Path, as_json: bool) -> int:
    runtime, driver = _intel_driver()
    links = _opencl_vendors.system_files()
    try:
        _opencl_vendors.write(directory, {"intel": driver}, links)
    except _opencl_vendors.NotOurDirectoryError:
        raise _Refused(_not_ours(directory)) from None
    except OSError as error:
        message = (
            f"cannot register drivers in {directory}\n"
            f"  why:  {error.strerror}: {error.filename}\n"
            "  help: name a directory of your own with --directory"
        )
        raise _Refused(message) from None
    # The loader of this process has decided already.
    reports = _reports_with(directory)
    found = {
        "directory": str(directory),
        "driver": str(driver),
        "version": runtime.version,
        "linked": [str(path) for path in links],
        "devices": _accepted(reports),
        "problem": _problem_of(reports, driver),
    }
    print(_text.as_json(found) if as_json else _describe_registration(found, runtime, directory))
    return 0 if found["problem"] is None else 1


def _intel_driver() -> tuple[_intel_runtime.IntelRuntime, Path]:
    """Return Intel's driver, which can be loaded."""
    runtime = _intel_runtime.find()
    if runtime is None:
        advice = _intel_runtime.INSTALL
        if not _intel_runtime.is_for_this_machine():
            advice = "Intel has it for x86-64 Linux only; use a driver of the system, such as PoCL"
        message = (
            "there is no driver to register\n"
            f"  why:  {_intel_runtime.DRIVER_PACKAGE} is not installed in {sys.prefix}\n"
            f"  help: {advice}"
        )
        raise _Refused(message)
    if runtime.driver is None:
        message = (
            f"{_intel_runtime.DRIVER_PACKAGE} {runtime.version} is damaged\n"
            "  why:  its file libintelocl.so is not there\n"
            f"  help: pip install --force-reinstall {_intel_runtime.DRIVER_PACKAGE}"
        )
        raise _Refused(message)
    problem = _driver_report.load_problem(str(runtime.driver))
    if problem is not None:
        message = (
            f"{_intel_runtime.DRIVER_PACKAGE} {runtime.version} cannot be loaded\n"
            f"  why:  {problem}\n"
            f"  help: {_advice_for_intel(runtime)}"
        )
        raise _Refused(message)
    return runtime, runtime.driver


def _advice_for_intel(runtime: _intel_runtime.IntelRuntime) -> str:
    if not runtime.has_libraries:
        package = _intel_runtime.LIBRARIES_PACKAGE
        return f"pip install {package} (the driver needs it, and does not say so)"
    return (
        f"pip install --upgrade {_intel_runtime.DRIVER_PACKAGE} {_intel_runtime.LIBRARIES_PACKAGE}"
    )


def _reports_with(directory: Path) -> list[dict[str, Any]]:
    """Return what a new process sees whose loader uses a directory."""
    program = (
        "import json; from situ._native import driver_reports; print(json.dumps(driver_reports()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=_opencl_vendors.environment_with(directory),
        capture_output=True,
        text=True,
        check=False,
    )
    return json.loads(done.stdout) if done.returncode == 0 else []


def _problem_of(reports: list[dict[str, Any]], driver: Path) -> dict[str, Any] | None:
    """Return why the driver that was registered gives no device, if it does not."""
    for report in reports:
        if report["backend"] != "opencl":
            continue
        if report["problem"] is not None:
            return {"problem": report["problem"], "help": report["help"]}
        for one in report["drivers"]:
            if one["file"] is not None and Path(one["file"]) == driver:
                return next((device for device in one["devices"] if device["problem"]), None)
    return {
        "problem": "the OpenCL loader does not show it, for a reason that it does not tell",
        "help": "please report it with the output of `situ doctor`",
    }


def _describe_registration(
    found: dict[str, Any], runtime: _intel_runtime.IntelRuntime, directory: Path
) -> str:
    rows = [
        ("driver", found["driver"]),
        ("directory", found["directory"]),
        ("with", ", ".join(found["linked"]) or "no driver of the system: there is none"),
    ]
    lines = [f"registered Intel's OpenCL driver {runtime.version}", _text.table(rows), ""]
    if found["problem"] is not None:
        lines += [
            "it does not work yet",
            f"  why:  {found['problem']['problem']}",
            f"  help: {found['problem']['help']}",
        ]
        is_about_the_loader = found["problem"]["problem"].startswith("the OpenCL loader")
        if is_about_the_loader and runtime.loader is not None:
            others = "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
            lines += [
                "  or:   use the loader that came with the driver, by this line in your shell:",
                f"        export LD_LIBRARY_PATH={shlex.quote(str(runtime.loader.parent))}{others}",
            ]
        return "\n".join(lines)
    devices = [(device["filter_string"], device["name"]) for device in found["devices"]]
    lines += ["devices of drivers now", _text.table(devices), "", *_shell_lines(directory)]
    return "\n".join(lines)


def _shell_lines(directory: Path) -> list[str]:
    """Return what the user has to do so that programs use a directory."""
    export = f"  export {_opencl_vendors.VARIABLES[0]}={shlex.quote(str(directory))}"
    chosen = _opencl_vendors.chosen()
    if chosen is not None and chosen[1] != directory:
        return [
            f"{chosen[0]} is set to {chosen[1]}, which is used instead. Unset it, or:",
            export,
        ]
    if directory == _opencl_vendors.own_directory():
        return [
            "situ uses this directory by itself in this Python environment. For other programs:",
            export,
        ]
    return ["Put this line into your shell, or its start-up file:", export]


def _unregister(directory: Path, as_json: bool) -> int:
    try:
        removed = _opencl_vendors.remove(directory)
    except _opencl_vendors.NotOurDirectoryError:
        raise _Refused(_not_ours(directory)) from None
    except OSError as error:
        message = f"cannot remove {directory}\n  why:  {error.strerror}: {error.filename}"
        raise _Refused(message) from None
    if as_json:
        print(_text.as_json({"directory": str(directory), "removed": removed}))
    elif removed:
        print(f"removed {directory}; the OpenCL loader uses the drivers of the system again")
    else:
        print(f"nothing is registered in {directory}")
    return 0


def _not_ours(directory: Path) -> str:
    return (
        f"cannot change {directory}\n"
        "  why:  drivers are registered there that situ did not register\n"
        "  help: name another directory with --directory"
    )
