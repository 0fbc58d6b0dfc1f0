"""Functions that Numba compiles, called with situ arrays, or with others on devices.

`init` registers a Numba type for situ arrays and takes over the compiler when a function is called
with one: the function then runs as if `situ.njit` had made it. The same goes for arrays of other
packages that describe USM memory, such as dpnp's. Calls without such arrays are left to Numba.
``_numba_hook`` calls `init` once Numba is loaded.
"""

import sys
from abc import ABC
from importlib import import_module
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
    """Register situ arrays with Numba, once."""
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
