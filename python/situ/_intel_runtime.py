"""Intel's OpenCL driver for processors, as it comes from PyPI.

``intel-opencl-rt`` needs libraries of ``intel-cmplr-lib-rt`` without saying so; where they are
missing, the loader skips the driver silently. The package registers its driver under a path that
exists nowhere, so somebody has to write the right one down: see ``_opencl_vendors``.

Only the standard library is imported here, so that ``tools/with_drivers.py`` can use this file
before anything is built.
"""

import importlib.metadata
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

DRIVER_PACKAGE = "intel-opencl-rt"
# The package that the driver does not work without, and a library of it that shows it is there.
LIBRARIES_PACKAGE = "intel-cmplr-lib-rt"
# The line that installs both.
INSTALL = f"pip install {DRIVER_PACKAGE} {LIBRARIES_PACKAGE}"
_DRIVER = "libintelocl.so"
_LIBRARY = "libimf.so"
_LOADER = "libOpenCL.so.1"


@dataclass(frozen=True)
class IntelRuntime:
    """What is installed in this Python environment."""

    version: str
    # The driver; nothing if the package is damaged.
    driver: Path | None
    has_libraries: bool
    # An OpenCL loader that comes along. Only the system's rules for libraries lead to it.
    loader: Path | None


def find() -> IntelRuntime | None:
    """Return Intel's driver of this Python environment, if it is installed."""
    try:
        version = importlib.metadata.version(DRIVER_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return None
    return IntelRuntime(
        version,
        file_of(DRIVER_PACKAGE, _DRIVER),
        file_of(LIBRARIES_PACKAGE, _LIBRARY) is not None,
        file_of(DRIVER_PACKAGE, _LOADER),
    )


def is_for_this_machine() -> bool:
    """Whether PyPI has the packages for such a machine."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def file_of(package: str, name: str) -> Path | None:
    """Return a file that a package installed, if package and file are there."""
    try:
        files = importlib.metadata.files(package) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name == name and (path := Path(str(file.locate())).resolve()).exists():
            return path
    return None
