"""The drivers that are registered with the OpenCL loader, as files ``*.icd`` in a directory.

Each such file has one line: the library of a driver. The loader looks into one directory only: the
system's, or the one that ``OCL_ICD_VENDORS`` names. `situ drivers register` makes a directory
with a driver of this Python environment and links to those of the system. The directory belongs to
the environment, and importing situ makes the loader use it.

Only the standard library is imported here, so that ``tools/with_drivers.py`` can use this file
before anything is built. Which drivers start, and what their devices can do, only the loader can
tell.
"""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

# The variables that tell a loader where to look, the stronger first.
VARIABLES = ("OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH")
SYSTEM_DIRECTORY = Path("/etc/OpenCL/vendors")


@dataclass(frozen=True)
class IcdFile:
    """A file that registers a driver."""

    path: Path
    # Why the file cannot be read, or the library that it names.
    library: str | None
    problem: str | None


def read(directory: Path) -> list[IcdFile]:
    """Return the drivers that a directory registers, by name; none if it cannot be read."""
    try:
        paths = sorted(path for path in directory.iterdir() if path.suffix == ".icd")
    except OSError:
        return []
    return [_read_file(path) for path in paths]


def _read_file(path: Path) -> IcdFile:
    try:
        lines = path.read_text().splitlines()
    except FileNotFoundError:
        missing = f"it is a link to {path.readlink()}, which does not exist"
        return IcdFile(path, None, missing)
    except (OSError, UnicodeDecodeError) as error:
        return IcdFile(path, None, f"it cannot be read: {error}")
    library = lines[0].strip() if lines else ""
    if not library:
        return IcdFile(path, None, "it is empty, and should name the library of a driver")
    return IcdFile(path, library, None)


def own_directory() -> Path:
    """Return where drivers of this Python environment are registered, whether or not any are.

    That is inside a virtual or Conda environment, and among the user's own data otherwise.
    """
    if sys.prefix != sys.base_prefix or Path(sys.prefix, "conda-meta").is_dir():
        return Path(sys.prefix, "share", "situ", "opencl-vendors")
    data = os.environ.get("XDG_DATA_HOME", "")
    base = Path(data) if Path(data).is_absolute() else Path.home() / ".local" / "share"
    return base / "situ" / "opencl-vendors"


def chosen_by_user() -> tuple[str, Path] | None:
    """Return the variable by which the loader was told where to look, and its value."""
    for name in VARIABLES:
        value = os.environ.get(name, "")
        if value:
            return name, Path(value)
    return None


def use_own_directory() -> None:
    """Let the loader of this process look into `own_directory`, if that exists.

    A choice of the user is left alone. The loader reads the variable once, when it is first asked
    for drivers; whoever did that before decided for all.
    """
    if chosen_by_user() is None and (directory := own_directory()).is_dir():
        os.environ[VARIABLES[0]] = str(directory)


def system_files() -> list[Path]:
    """Return what the system registers: for everybody, and in a Conda environment.

    Files that name a library which is not there are templates of packages, and left out.
    """
    found: dict[str, Path] = {}
    for directory in (Path(sys.prefix, "etc", "OpenCL", "vendors"), SYSTEM_DIRECTORY):
        for file in read(directory):
            if file.library is None or (
                Path(file.library).is_absolute() and not Path(file.library).exists()
            ):
                continue
            found.setdefault(file.path.name, file.path)
    return list(found.values())


def write(directory: Path, libraries: dict[str, Path], links: list[Path]) -> None:
    """Register drivers in a directory of situ's own, in place of what it had.

    Parameters
    ----------
    directory
        Made if it does not exist. Files other than ``*.icd`` in it stay.
    libraries
        The drivers, by the name of their file without its ending.
    links
        Files of the system that are to be seen as well. They are linked and not copied, because an
        update of the driver changes them.

    Raises
    ------
    OSError
        If the directory or a file cannot be made.
    """
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.glob("*.icd"):
        old.unlink()
    for path in links:
        (directory / path.name).symlink_to(path)
    for name, library in libraries.items():
        file = directory / f"{name}.icd"
        file.unlink(missing_ok=True)
        file.write_text(f"{library}\n")


def remove(directory: Path) -> bool:
    """Remove a directory that `write` made; return whether there was one.

    Raises
    ------
    OSError
        If it cannot be removed.
    """
    if not directory.is_dir():
        return False
    shutil.rmtree(directory)
    return True
