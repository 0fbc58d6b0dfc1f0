"""Functions that Numba compiles, called with situ arrays.

Numba asks every extension that names itself in the entry point ``numba_extensions`` to introduce
itself before it compiles anything. Situ then tells Numba a type for its arrays, and answers for
the compiler when a function is called with one: the function runs as if `situ.njit` had made it.
Calls without situ arrays are Numba's alone.
"""

import sys
from typing import Any

from situ import _njit
from situ._native import NjitFunction, ndarray
from situ.exceptions import KernelError, KernelTypeError

__all__ = ["init"]

_is_known = False


def init() -> None:
    """Introduce situ arrays to Numba, once."""
    global _is_known
    if _is_known:
        return
    _is_known = True
    from numba.core import dispatcher, sigutils, types
    from numba.extending import typeof_impl

    class SituArray(types.Type):
        """An array of situ's, of whatever dtype and shape: situ itself looks at those."""

        def __init__(self) -> None:
            super().__init__(name="situ.ndarray")

    situ_array = SituArray()

    @typeof_impl.register(ndarray)
    def _typeof(value: ndarray, context: object) -> SituArray:  # noqa: ARG001
        return situ_array

    base: Any = dispatcher.Dispatcher
    original = base.compile

    def has_situ_array(ty: object) -> bool:
        if isinstance(ty, types.BaseTuple):
            return any(has_situ_array(item) for item in ty)
        return ty is situ_array

    def compile(self: Any, sig: Any) -> Any:  # noqa: ANN401
        arguments, _ = sigutils.normalize_signature(sig)
        if any(has_situ_array(argument) for argument in arguments):
            return _bridge(self)
        return original(self, sig)

    base.compile = compile


def init_if_loaded() -> None:
    """Introduce situ arrays to Numba if the program has imported it already."""
    if "numba" in sys.modules:
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
    from numba.core.dispatcher import OmittedArg

    return argument.value if isinstance(argument, OmittedArg) else argument


def numba_error(error: KernelError) -> KernelError:
    """Return an error that is one of Numba's, too, if the program uses Numba."""
    if "numba" not in sys.modules:
        return error
    from numba.core.errors import TypingError

    name = "NumbaKernelTypeError" if isinstance(error, KernelTypeError) else "NumbaKernelError"
    base = type(error)
    known = _classes.get(base)
    if known is None:
        known = _classes[base] = type(name, (base, TypingError), {"__module__": "situ.exceptions"})
    made = known(str(error))
    return made


_classes: dict[type, Any] = {}
