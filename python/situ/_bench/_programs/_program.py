"""Programs: files of Python that say one computation in several styles.

A file has `KIND`, `SIZES` (`test` and `bench`), `inputs`, which makes the arguments of a size, and
`reference`, the program as NumPy's users write it. `njit` and `parallel` are compiled by Numba and
situ from the same source, and `kernel` launches kernels of situ. `ARRAY = None` says that situ's
arrays cannot run `reference`. Functions whose names begin with an underscore are helpers.
"""

import importlib.util
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

# The order of tables and charts.
STYLES = ("njit", "parallel", "array", "kernel")


class ProgramChoiceError(Exception):
    """There is no such program, folder of programs or library to compare programs with."""


@dataclass(frozen=True)
class Program:
    """One file of the folder."""

    path: Path

    @property
    def name(self) -> str:
        """What the program is called: its file."""
        return self.path.stem

    def load(self) -> ModuleType:
        """Run the file and return a module that nobody else has: its names may be replaced."""
        spec = importlib.util.spec_from_file_location(f"situ_program_{self.name}", self.path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    @cached_property
    def _module(self) -> ModuleType:
        return self.load()

    @property
    def title(self) -> str:
        """What the program computes, in a line."""
        return (self._module.__doc__ or self.name).strip().splitlines()[0]

    @property
    def kind(self) -> str:
        """What kind of computation it is."""
        return self._module.KIND

    def size(self, *, is_quick: bool) -> dict[str, Any]:
        """Return the arguments of `inputs`."""
        return self._module.SIZES["test" if is_quick else "bench"]

    def inputs(self, size: dict[str, Any]) -> tuple[Any, ...]:
        """Return the arguments of the program, of NumPy."""
        return self._module.inputs(**size)

    def reference(self, *arguments: Any) -> Any:
        """Run the program with NumPy."""
        return self._module.reference(*arguments)

    def check(self) -> None:
        """Raise whatever is wrong with the file, if it is not a program."""
        for name in ("KIND", "SIZES", "inputs", "reference"):
            getattr(self._module, name)
        self.size(is_quick=False)
        self.inputs(self.size(is_quick=True))

    def styles(self) -> list[str]:
        """Return the styles that the program is written in, besides NumPy's."""
        is_there = {style: hasattr(self._module, style) for style in STYLES}
        is_there["array"] = getattr(self._module, "ARRAY", ...) is not None
        return [style for style in STYLES if is_there[style]]


def helpers(module: ModuleType) -> dict[str, FunctionType]:
    """Return the functions that others of a program call."""
    return {
        name: value
        for name, value in vars(module).items()
        if name.startswith("_") and isinstance(value, FunctionType)
    }


def find_folder(given: Path | None) -> Path:
    """Return the folder of programs: the one given, or that of the checkout situ runs from."""
    folder = given or Path(__file__).resolve().parents[4] / "benches" / "programs"
    if folder.is_dir() and any(folder.glob("*.py")):
        return folder
    if given is None:
        what = "there are no programs to measure"
        why = "they are part of situ's repository, not of the installed package"
    else:
        what = f"there are no programs in {given}"
        why = "it has no Python files" if folder.is_dir() else "there is no such directory"
    message = (
        f"{what}\n  why:  {why}\n"
        "  help: pass `--programs-from FOLDER` with the folder benches/programs of the repository"
    )
    raise ProgramChoiceError(message)


def programs(folder: Path) -> list[Program]:
    """Return the programs of a folder, in the order of their names."""
    return [Program(path) for path in sorted(folder.glob("*.py")) if path.stem[0] != "_"]
