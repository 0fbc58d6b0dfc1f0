"""Functions that Numba compiles, called with situ arrays, or with others on devices.

Situ introduces itself when Numba is there or as soon as it is imported. (Programs that do not
import situ until they have arrays are served by the entry point ``numba_extensions``, which Numba
looks at before it compiles. That alone would be too late: a call begins with a look at the types of
its arguments.) Situ then tells Numba a type for its arrays, and answers for
the compiler when a function is called with one: the function runs as if `situ.njit` had made it.
So are arrays of other packages that describe USM memory, such as dpnp's. Calls without such arrays
are Numba's alone.
"""

import sys
from abc import ABC
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from situ import _njit
from situ._native import NjitFunction, ndarray
from situ.exceptions import KernelError, KernelTypeError

__all__ = ["init"]

_is_known = False


class _DescribesMemory(ABC):  # noqa: B024 - it only tells classes apart
    """Whatever class has arrays on devices that are not situ's."""

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        return hasattr(other, "__sycl_usm_array_interface__") and other is not ndarray


def init() -> None:
    """Introduce situ arrays to Numba, once."""
    global _is_known
    if _is_known:
        return
    _is_known = True
    # Numba has no types of its own, and need not be installed.
    dispatcher: Any = import_module("numba.core.dispatcher")
    signatures: Any = import_module("numba.core.sigutils")
    types: Any = import_module("numba.core.types")
    extending: Any = import_module("numba.extending")

    # One type for arrays of whatever dtype and shape: situ itself looks at those.
    situ_array = type("SituArray", (types.Type,), {})(name="situ.ndarray")

    @extending.typeof_impl.register(ndarray)
    @extending.typeof_impl.register(_DescribesMemory)
    def _typeof(value: object, context: object) -> object:  # pyright: ignore[reportUnusedFunction]
        del value, context
        return situ_array

    def has_situ_array(ty: Any) -> bool:  # noqa: ANN401
        if isinstance(ty, types.BaseTuple):
            return any(has_situ_array(item) for item in ty)
        return ty is situ_array

    original = dispatcher.Dispatcher.compile

    def compile(self: Any, sig: Any) -> Any:  # noqa: ANN401
        arguments = signatures.normalize_signature(sig)[0]
        if any(has_situ_array(argument) for argument in arguments):
            return _bridge(self)
        return original(self, sig)

    dispatcher.Dispatcher.compile = compile


def init_when_loaded() -> None:
    """Introduce situ arrays to Numba now, or when the program imports it."""
    if "numba" in sys.modules:
        init()
    else:
        sys.meta_path.insert(0, _Watcher())


class _Watcher(MetaPathFinder):
    """Waits until Numba is loaded, and leaves then.

    Not earlier: programs also look for Numba just to know whether it is installed.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find Numba as others do, with a loader that introduces situ afterwards."""
        del target
        if fullname != "numba":
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Introduction(spec.loader, self)
                return spec
        return None


class _Introduction(Loader):
    """Loads Numba by its own loader, and introduces situ to it."""

    def __init__(self, loader: Loader, watcher: _Watcher) -> None:
        self._loader = loader
        self._watcher = watcher

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave it to the loader."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Load Numba; nobody sees that somebody else did it."""
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        if self._watcher in sys.meta_path:
            sys.meta_path.remove(self._watcher)
        init()


def _bridge(dispatcher: object) -> Any:  # noqa: ANN401
    """Return what runs a function of Numba's on situ arrays."""
    function = _njit.of_dispatcher(dispatcher)
    assert isinstance(function, NjitFunction)

    def call(*arguments: object, **keywords: object) -> object:
        return function(*(_plain(argument) for argument in arguments), **keywords)

    return call


def _plain(argument: object) -> object:
    """Return the default that Numba wraps for an argument that was not given."""
    omitted = import_module("numba.core.dispatcher").OmittedArg
    return getattr(argument, "value", None) if isinstance(argument, omitted) else argument


def numba_error(error: KernelError) -> KernelError:
    """Return an error that is one of Numba's, too, if the program uses Numba."""
    if "numba" not in sys.modules:
        return error
    typing_error: Any = import_module("numba.core.errors").TypingError
    name = "NumbaKernelTypeError" if isinstance(error, KernelTypeError) else "NumbaKernelError"
    base = type(error)
    known = _classes.get(base)
    if known is None:
        members = {"__module__": "situ.exceptions", "__reduce__": _reduce}
        known = _classes[base] = type(name, (base, typing_error), members)
    return known(str(error))


def _reduce(error: KernelError) -> tuple[Any, ...]:
    """Say how to copy or unpickle an error whose class exists only where Numba does."""
    return _restore, (type(error).__bases__[0], str(error))


def _restore(kind: type[KernelError], message: str) -> KernelError:
    return numba_error(kind(message))


_classes: dict[type, Any] = {}
