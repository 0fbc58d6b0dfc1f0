"""What became of every driver: the loaders, the drivers that started, their devices, the others.

A loader says nothing about drivers that it could not start. So the files that register drivers are
read here as well, and a library that did not come up is loaded once more, in a process of its own,
to hear what the system has against it.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from situ import _intel_runtime, _opencl_vendors
from situ._native import driver_reports

# A driver that takes longer to load hangs.
_PATIENCE_SECONDS = 60

# The loader finds everything else through this function, so every driver has it.
_DRIVER_FUNCTION = "clGetExtensionFunctionAddress"

# Loads a library as a loader does, and says what is wrong with it.
_LOAD = f"""
import ctypes, sys
try:
    library = ctypes.CDLL(sys.argv[1])
except OSError as error:
    sys.exit(str(error))
if not hasattr(library, "{_DRIVER_FUNCTION}"):
    sys.exit("it is no OpenCL driver, because it has no function {_DRIVER_FUNCTION}")
"""

# Starts all drivers.
_START = "from situ._native import driver_reports; driver_reports()"

# Libraries of Intel's driver that come in a package of their own.
_INTEL_LIBRARIES = ("libimf.so", "libintlc.so", "libirng.so", "libsvml.so")


def examine() -> list[dict[str, Any]]:
    """Start all drivers and return what is known about each, as plain data."""
    reports = driver_reports()
    for report in reports:
        if report["backend"] == "opencl":
            report.update(_registration(report))
    return reports


def fatal_problem() -> dict[str, Any] | None:
    """Return which driver ends every process that starts it, if one does.

    It is found out in other processes, so that this one can tell.
    """
    done = _start_drivers(None)
    if done.returncode >= 0:
        return None
    for file in _opencl_vendors.read(_place()[1]):
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / file.path.name).symlink_to(file.path.absolute())
            alone = _start_drivers(_opencl_vendors.environment_with(Path(directory)))
        if alone.returncode < 0:
            return _fatal(str(file.path), alone)
    return _fatal(None, done)


def _start_drivers(environment: Mapping[str, str] | None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _START],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def _fatal(file: str | None, done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    said = done.stderr.strip().splitlines()
    return {"file": file, "signal": -done.returncode, "said": said[-1] if said else None}


def describe_fatal(problem: dict[str, Any]) -> str:
    """Write what `fatal_problem` found for people."""
    driver = f"the driver of {problem['file']}" if problem["file"] is not None else "a driver"
    said = f", after saying: {problem['said']}" if problem["said"] is not None else ""
    return (
        "the drivers cannot be started\n"
        f"  why:  {driver} ends the process with signal {problem['signal']}{said}\n"
        "  help: set SITU_OPENCL=off and SITU_SYCL_LIBRARY=off to work without drivers; update the "
        "driver, or remove the file that registers it"
    )


def _place() -> tuple[str | None, Path]:
    """Return where the loader looks, and the variable that says so."""
    return _opencl_vendors.chosen() or (None, _opencl_vendors.SYSTEM_DIRECTORY)


def _registration(report: dict[str, Any]) -> dict[str, Any]:
    """Return where OpenCL drivers are registered, and which of them did not start."""
    variable, place = _place()
    if place == _opencl_vendors.own_directory():
        registered_by = "situ drivers register"
    else:
        registered_by = variable or "the system"
    started = [driver["file"] for driver in report["drivers"] if driver["file"] is not None]
    not_started = [] if report["loader"] is None else list(_not_started(place, started))
    if report["loader"] is not None and variable is not None and not place.exists():
        not_started.append(
            {
                "file": str(place),
                "library": None,
                "problem": f"{variable} names it, and it does not exist: there are no drivers",
                "help": f"unset {variable}, or let it name a directory with files *.icd",
            }
        )
    return {
        "registered_in": str(place),
        "registered_by": registered_by,
        "not_started": not_started,
        "not_linked": _not_linked(place) if registered_by == "situ drivers register" else [],
        "not_registered": _not_registered(place),
    }


def _not_started(place: Path, started: list[str]) -> Iterator[dict[str, Any]]:
    for file in _opencl_vendors.read(place):
        if file.library is None:
            problem, advice = file.problem, "install the driver again, or remove the file"
        elif _is_among(file.library, started):
            continue
        else:
            problem, advice = explain(file.library)
        yield {
            "file": str(file.path),
            "library": file.library,
            "problem": problem,
            "help": advice,
        }


def _is_among(library: str, files: Iterable[str]) -> bool:
    """Whether a library is one of these files; a name without a directory means any such file."""
    name = Path(library)
    return any(Path(file).name == name.name or Path(file) == name.resolve() for file in files)


def _not_linked(place: Path) -> list[str]:
    """Return the drivers of the system that were installed after the directory was made."""
    return [
        str(file) for file in _opencl_vendors.system_files() if not (place / file.name).exists()
    ]


def _not_registered(place: Path) -> str | None:
    """Return Intel's driver of this Python environment, if it is there and no file names it."""
    runtime = _intel_runtime.find()
    if runtime is None or runtime.driver is None:
        return None
    driver = str(runtime.driver)
    is_registered = any(file.library == driver for file in _opencl_vendors.read(place))
    return None if is_registered else driver


def explain(library: str) -> tuple[str, str]:
    """Return why a driver that is registered does not start, and what can be done."""
    problem = load_problem(library)
    if problem is None:
        return (
            f"{library} can be loaded, but offers nothing: it finds no hardware that it is for",
            "if the machine has such hardware, see that your user may use it (on Linux: member of "
            "the groups `render` and `video`)",
        )
    if any(name in problem for name in _INTEL_LIBRARIES):
        return problem, f"pip install {_intel_runtime.LIBRARIES_PACKAGE}"
    return problem, "install the driver again, or remove the file that registers it"


def load_problem(library: str) -> str | None:
    """Return what the system has against loading a driver, found out in a process of its own."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", _LOAD, library],
            capture_output=True,
            text=True,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{library} does not come back from being loaded"
    if done.returncode == 0:
        return None
    if done.returncode < 0:
        return f"{library} ends the process with signal {-done.returncode} when it is loaded"
    return done.stderr.strip().splitlines()[-1]


def describe(reports: list[dict[str, Any]]) -> str:
    """Write the reports for people."""
    return "\n".join(line for report in reports for line in _backend_lines(report))


def _backend_lines(report: dict[str, Any]) -> Iterator[str]:
    if report["loader"] is None:
        yield f"{report['backend']}: not used"
        yield from _reason(report, "  ")
        return
    version = f" ({report['version']})" if report["version"] is not None else ""
    yield f"{report['backend']}: {report['loader']}{version}"
    if "registered_in" in report:
        yield f"  registered in {report['registered_in']} (by {report['registered_by']})"
    for driver in report["drivers"]:
        yield from _driver_lines(driver)
    if report.get("not_registered") is not None:
        yield f"  not registered: {report['not_registered']}"
        yield "    why:  the loader does not look into Python environments by itself"
        yield "    help: situ drivers register"
    elif "registered_in" in report and not report["drivers"] and not report["not_started"]:
        yield "  no driver is registered"
        yield f"    help: {_intel_runtime.INSTALL}, then: situ drivers register"
    for missing in report.get("not_started", []):
        yield f"  did not start: {missing['file']}"
        yield from _reason(missing, "    ")
    for file in report.get("not_linked", []):
        yield f"  not seen: {file}"
        yield "    why:  it was installed after `situ drivers register`"
        yield "    help: run `situ drivers register` again"


def _driver_lines(driver: dict[str, Any]) -> Iterator[str]:
    yield f"  {driver['name']} ({driver['version']})"
    if driver["file"] is not None:
        yield f"    in {driver['file']}"
    if driver["problem"] is not None:
        yield "    does not list its devices"
        yield from _reason(driver, "      ")
    elif not driver["devices"]:
        yield "    has no devices: it finds no hardware that it is for"
    for device in driver["devices"]:
        if device["filter_string"] is not None:
            yield f"    {device['filter_string']}  {device['name']}"
        else:
            yield f"    refused: {device['name']}"
            yield from _reason(device, "      ")


def _reason(record: dict[str, Any], indent: str) -> Iterator[str]:
    yield f"{indent}why:  {record['problem']}"
    yield f"{indent}help: {record['help']}"
