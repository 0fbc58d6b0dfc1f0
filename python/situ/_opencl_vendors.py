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
import sys
from pathlib import Path
from typing import NamedTuple

# The variables that tell a loader where to look, the stronger first.
VARIABLES = ("OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH")
SYSTEM_DIRECTORY = Path("/etc/OpenCL/vendors")

# How PoCL makes code of small work-groups: by loops over their work-items, as of large ones. Of its
# own choice it writes out each work-item, and then, at least up to version 3.1, some kernels with
# barriers end the process now and then ("Could not find a dominating alternative variable").
POCL_METHOD = ("POCL_WORK_GROUP_METHOD", "loopvec")

# A file in directories that situ made, without which nothing in them is ever removed.
_MARK = "made-by-situ.txt"
_MARK_TEXT = """\
`situ drivers register` made this directory: the drivers that the OpenCL loader is to use.
`situ drivers unregister` removes it.
"""


class IcdFile(NamedTuple):
    """A file that registers a driver: it names a library, or there is a problem with it."""

    path: Path
    library: str | None
    problem: str | None


class NotOurDirectoryError(Exception):
    """A directory has drivers that situ did not register, so it must not be changed."""


def read(place: Path) -> list[IcdFile]:
    """Return the drivers that a directory registers, by name, or the one that a file registers."""
    if place.is_file():
        return [_read_file(place)]
    try:
        paths = sorted(path for path in place.iterdir() if path.suffix == ".icd")
    except OSError:
        return []
    return [_read_file(path) for path in paths]


def _read_file(path: Path) -> IcdFile:
    try:
        lines = path.read_text().splitlines()
    except FileNotFoundError:
        missing = f"the file is a link to {path.readlink()}, which does not exist"
        return IcdFile(path, None, missing)
    except OSError as error:
        return IcdFile(path, None, f"the file cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        return IcdFile(path, None, "the file is not text, and should name the library of a driver")
    library = lines[0].strip() if lines else ""
    if not library:
        return IcdFile(path, None, "the file is empty, and should name the library of a driver")
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


def chosen() -> tuple[str, Path] | None:
    """Return the variable that tells the loader where to look, and its value."""
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
    if chosen() is None and (directory := own_directory()).is_dir():
        os.environ[VARIABLES[0]] = str(directory)


def keep_pocl_alive() -> None:
    """Let PoCL compile in the way that does not end the process, unless the user chose a way."""
    os.environ.setdefault(*POCL_METHOD)


def environment_with(directory: Path) -> dict[str, str]:
    """Return the environment for a process whose loader is to look into a directory."""
    return {**os.environ, VARIABLES[0]: str(directory)}


def system_files() -> list[Path]:
    """Return what the system registers: for everybody, and in a Conda environment.

    Files that name a library which is not there are templates of packages, and left out.
    """
    found: dict[str, Path] = {}
    for directory in (Path(sys.prefix, "etc", "OpenCL", "vendors"), SYSTEM_DIRECTORY):
        for file in read(directory):
            if file.library is not None and _may_exist(file.library):
                found.setdefault(file.path.name, file.path)
    return list(found.values())


def _may_exist(library: str) -> bool:
    """Whether a library is there; a name without a directory is searched for by the system."""
    return "/" not in library or Path(library).exists()


def write(directory: Path, libraries: dict[str, Path], links: list[Path]) -> None:
    """Register drivers in a directory of situ's own, in place of what it had.

    Parameters
    ----------
    directory
        Made if it does not exist.
    libraries
        The drivers, by the name of their file without its ending.
    links
        Files of the system that are to be seen as well. They are linked and not copied, because an
        update of the driver changes them.

    Raises
    ------
    NotOurDirectoryError
        If drivers are registered there that situ did not register.
    OSError
        If the directory or a file cannot be made.
    """
    directory.mkdir(parents=True, exist_ok=True)
    mark = directory / _MARK
    if not mark.exists():
        if any(directory.glob("*.icd")):
            raise NotOurDirectoryError(directory)
        mark.write_text(_MARK_TEXT)
    files = {f"{name}.icd": f"{library}\n" for name, library in libraries.items()}
    linked = {path.name: path for path in links if path.name not in files}
    for old in directory.glob("*.icd"):
        if old.name not in files and old.name not in linked:
            old.unlink()
    for name, target in linked.items():
        path = directory / name
        if not path.is_symlink() or path.readlink() != target:
            path.unlink(missing_ok=True)
            path.symlink_to(target)
    for name, text in files.items():
        path = directory / name
        # What is right already is not touched: another process may be reading it.
        if path.is_symlink() or not path.exists() or path.read_text() != text:
            path.unlink(missing_ok=True)
            path.write_text(text)


def remove(directory: Path) -> bool:
    """Remove what `write` made; return whether there was anything.

    Raises
    ------
    NotOurDirectoryError
        If the drivers there were not registered by situ.
    OSError
        If it cannot be removed.
    """
    mark = directory / _MARK
    if not mark.exists():
        if any(directory.glob("*.icd")):
            raise NotOurDirectoryError(directory)
        return False
    for file in directory.glob("*.icd"):
        file.unlink()
    mark.unlink()
    if not any(directory.iterdir()):
        directory.rmdir()
    return True
