"""Calls `situ._numba.init` as soon as a program loads Numba.

Programs that import situ late are covered by the entry point ``numba_extensions``, which Numba
reads before it compiles. That alone is not enough: a call of a Numba function looks at the types of
its arguments first.

Loaded by every ``import situ``, so it imports neither Numba's bridge nor ``importlib.abc`` (15 ms).
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["init_when_loaded"]


def init_when_loaded() -> None:
    """Register situ arrays with Numba now, or when the program imports it."""
    if "numba" in sys.modules:
        _init()
    else:
        sys.meta_path.insert(0, _Finder())


def _init() -> None:
    import_module("situ._numba").init()


class _Finder:
    """Waits on ``sys.meta_path`` until Numba is loaded, then removes itself.

    Not earlier: programs also look for Numba just to know whether it is installed.
    """

    def find_spec(
        self,
        fullname: str,
        path: Any,  # noqa: ANN401
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Find Numba as the other finders do, with a loader that calls `_init` afterwards."""
        del target
        if fullname != "numba":
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loader(spec.loader, self)  # pyright: ignore[reportAttributeAccessIssue]
                return spec
        return None


class _Loader:
    """Loads Numba by its own loader, then registers situ arrays."""

    def __init__(self, loader: Any, finder: _Finder) -> None:  # noqa: ANN401
        self._loader = loader
        self._finder = finder

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave it to the loader."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Load Numba and restore its own loader, as if situ had not been there."""
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)  # pyright: ignore[reportArgumentType]
        _init()
