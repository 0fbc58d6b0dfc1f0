"""``situ doctor``: what was found, what is not used and why, and whether it works."""

import argparse
import importlib.metadata
import os
import platform
import warnings
from typing import Any

from situ._cli import _cache, _devices, _driver_report, _text
from situ._native import (
    build_info,
    devices,
    environment_variables,
    platforms,
    unknown_environment_variables,
    version,
)

HELP = "check the installation"
DESCRIPTION = """\
Say what situ found on this machine, what it does not use and why, and run a kernel on every device.
"""

# Packages that situ works with when they are there.
_OPTIONAL = (
    "intel-opencl-rt",
    "intel-cmplr-lib-rt",
    "numba",
    "dask",
    "dpctl",
    "dpnp",
    "torch",
    "jax",
    "cupy",
    "hypothesis",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("--json", action="store_true", help="the same as JSON")


def examine() -> dict[str, Any]:
    """Look at everything and return it as plain data."""
    with warnings.catch_warnings():
        # What they say about settings and the cache is part of the report.
        warnings.simplefilter("ignore")
        found = devices()
        tests = _self_tests()
        llvm, has_vector_math = build_info()
        report: dict[str, Any] = {
            "versions": _versions(llvm),
            "platforms": [
                {"backend": one.backend, "name": one.name, "version": one.version}
                for one in platforms()
            ],
            "drivers": _driver_report.examine(),
            "devices": [_devices.record(device) for device in found],
            "self_tests": tests,
            "threads": {
                "used": devices("native")[0].compute_units,
                "processors_allowed": len(os.sched_getaffinity(0)),
                "processors": os.cpu_count(),
            },
            "cache": _cache.state(),
            "environment": _environment(),
        }
    report["problems"] = _problems(report, has_vector_math)
    report["works"] = all(test["problem"] is None for test in tests)
    return report


def _versions(llvm: str) -> dict[str, str]:
    versions = {"situ": version(), "LLVM": llvm, "Python": platform.python_version()}
    for package in ("numpy", *_OPTIONAL):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {**versions, "system": platform.platform()}


def _self_tests() -> list[dict[str, Any]]:
    # Imported here because it makes a kernel, which the other commands can do without.
    from situ._cli import _self_test

    return [_self_test.run(device) for device in devices()]


def _environment() -> list[dict[str, Any]]:
    known: list[dict[str, Any]] = [
        {"name": name, "value": value, "problem": problem, "meaning": meaning}
        for name, _, meaning, value, problem in environment_variables()
    ]
    for name, value, nearest in unknown_environment_variables():
        hint = f"; is {nearest} meant?" if nearest is not None else ""
        problem = f"situ reads no such variable{hint}"
        known.append({"name": name, "value": value, "problem": problem, "meaning": None})
    return known


def _problems(report: dict[str, Any], has_vector_math: bool) -> list[str]:
    """Return what is not used and why, one text for each."""
    problems = [
        f"{variable['name']}={variable['value']} is ignored: {_reason(variable['problem'])}"
        for variable in report["environment"]
        if variable["problem"] is not None
    ]
    if report["cache"]["problem"] is not None:
        problems.append(
            f"compile cache {report['cache']['directory']}: {report['cache']['problem']}"
        )
    if report["cache"]["refused_entries"]:
        problems.append(f"compile cache: {_cache.refused_text(report['cache'])}")
    if not has_vector_math:
        problems.append("libmvec.so.1 was not found: math functions are computed one at a time")
    problems.extend(
        f"self-test on {test['device']}: {test['problem']}"
        for test in report["self_tests"]
        if test["problem"] is not None
    )
    return problems


def _reason(problem: str) -> str:
    """Return the reason in a message of three parts, or the message itself."""
    for line in problem.splitlines():
        if line.strip().startswith("why:"):
            return line.split("why:", 1)[1].strip()
    return problem


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    fatal = _driver_report.fatal_problem()
    if fatal is not None:
        # Whatever else there is to say would start the drivers.
        problem = _driver_report.describe_fatal(fatal)
        record = {"works": False, "problems": [problem], "fatal": fatal}
        print(_text.as_json(record) if options.json else f"situ doctor: {problem}")
        return 1
    report = examine()
    print(_text.as_json(report) if options.json else _describe(report))
    return 0 if report["works"] else 1


def _describe(report: dict[str, Any]) -> str:
    sections = [
        ("versions", _text.table(report["versions"].items())),
        ("drivers", _text.indented(_driver_report.describe(report["drivers"]))),
        ("devices (* is the default)", _text.table(_device_rows(report))),
        ("threads", _text.table(_thread_rows(report["threads"]))),
        ("compile cache", _cache.describe(report["cache"])),
        ("environment variables", _text.table(_variable_rows(report["environment"]))),
        ("not used, and why", _text.table([[text] for text in report["problems"]])),
    ]
    verdict = "every device works" if report["works"] else "something does not work: see above"
    written = [f"{title}\n{text}" for title, text in sections if text]
    return "\n\n".join([*written, verdict])


def _device_rows(report: dict[str, Any]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for device, test in zip(report["devices"], report["self_tests"], strict=True):
        failed = test["problem"] is not None
        works = "FAILED" if failed else f"self-test passed in {test['milliseconds']} ms"
        star = "*" if device["is_default"] else " "
        rows.append((star, device["filter_string"], works, device["name"]))
    return rows


def _thread_rows(threads: dict[str, int]) -> list[tuple[str, str]]:
    allowed = f"{threads['processors_allowed']} of {threads['processors']}"
    return [
        ("native device", _text.counted(threads["used"], "thread")),
        ("processors", f"{allowed} may be used by this process"),
    ]


def _variable_rows(variables: list[dict[str, Any]]) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for variable in variables:
        value = variable["value"]
        ignored = "" if variable["problem"] is None else "  (ignored)"
        rows.append((variable["name"], f"{value}{ignored}" if value is not None else "not set"))
    return rows
