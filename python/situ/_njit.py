"""The decorator that makes njit functions, and what their machine asks of Python.

The functions are read from their source; everything after that happens in the compiled module,
which comes back here for what only Python knows: which function of situ's stands for one of NumPy's
and how arguments are bound to parameters.
"""

import inspect
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType, ModuleType
from typing import Any, Literal, cast, overload

import numpy as np
import numpy.typing as npt

from situ import _native
from situ._host_data import Visit
from situ._kernel import check_options, definition, labelled
from situ._native import NjitFunction, ndarray
from situ.exceptions import KernelTypeError

__all__ = ["jit", "njit", "prange"]

_OPTIONS = ("boundscheck", "cache", "error_model", "fastmath", "inline", "nogil", "parallel")

# Reductions that an expression can end in.
_REDUCTIONS = {"all", "any", "max", "mean", "min", "prod", "sum"}

# Functions that make arrays from nothing; they do so where the function's arguments are.
_CREATION = {
    "arange",
    "array",
    "asarray",
    "empty",
    "eye",
    "full",
    "identity",
    "linspace",
    "ones",
    "tri",
    "zeros",
}


def _nothing() -> None:
    """Stand for the function where a decorator is called with options only."""


@overload
def njit(function: Callable[..., Any], /) -> NjitFunction: ...
@overload
def njit(
    *,
    fastmath: bool = False,
    boundscheck: bool = False,
    error_model: Literal["numpy"] = "numpy",
    cache: bool = False,
    nogil: bool = True,
    parallel: bool = True,
    inline: str = "never",
) -> Callable[[Callable[..., Any]], NjitFunction]: ...
def njit(
    function: Callable[..., Any] = _nothing, /, **options: Any
) -> NjitFunction | Callable[[Callable[..., Any]], NjitFunction]:
    """Compile a function that uses arrays, and run it where they are.

    Array expressions become kernels on the device of their arrays, as few as possible; loops over
    `prange` become kernels, too; everything that works with numbers and elements becomes machine
    code of the host. No array is copied between devices: compute follows data.

    Parameters
    ----------
    function : function
        Takes arrays, numbers and tuples, and returns any of these. It may call functions of NumPy
        and situ (those of NumPy mean situ's if an argument is a situ array), `math`,
        kernels and other njit functions.
    fastmath : bool, default False
        Let compiled loops compute sums and products of floats in another order than they are
        written, so that several are computed at once. That rounds differently; NaN and infinity
        keep their meaning.
    boundscheck : bool, default False
        Raise an exception for elements outside of an array, as ``SITU_BOUNDS=1`` does for all
        functions. Such a function runs more slowly: its array statements are not compiled into its
        loops.
    error_model : {"numpy"}
        Division by zero gives infinity, NaN or, of integers, 0, and raises nothing.
    cache, nogil, parallel, inline
        Accepted as Numba has them. Compiled code is always cached on disk and runs without the GIL,
        and arrays are always worked on by all cores.

    Returns
    -------
    NjitFunction
        Called with situ arrays, it returns situ arrays on the same device; called with NumPy
        arrays, it runs on the host and returns NumPy arrays. ``f.inspect()`` tells which lines run
        where and ``f.py_func`` is the Python function.

    Raises
    ------
    KernelError
        When the source cannot be found; at the first call, for Python that cannot be compiled.

    Examples
    --------
    >>> import numpy as np
    >>> import situ
    >>> @situ.njit
    ... def distance(x, y):
    ...     return np.sqrt(np.sum((x - y) ** 2))
    >>> x = situ.asarray(np.array([1.0, 2.0]))
    >>> distance(x, 3 * x)
    4.47213595499958
    """
    check_options("njit", options, _OPTIONS)
    _check_error_model(options.get("error_model", "numpy"))

    def make(function: Callable[..., Any]) -> NjitFunction:
        fastmath = bool(options.get("fastmath", False))
        boundscheck = bool(options.get("boundscheck", False))
        made = NjitFunction(
            *definition(function, "njit"), fastmath=fastmath, boundscheck=boundscheck
        )
        return labelled(made, function)

    return make if function is _nothing else make(function)


jit = njit


def _check_error_model(model: object) -> None:
    if model == "numpy":
        return
    why = (
        "division by zero raises nothing here"
        if model == "python"
        else 'Numba has "python" and "numpy"'
    )
    message = (
        f"`situ.njit` has no error model {model!r}\n"
        f"  why:  {why}\n"
        '  help: use `error_model="numpy"`, and test divisors that may be zero, e.g. '
        "`if n == 0: raise ZeroDivisionError`"
    )
    raise KernelTypeError(message)


class prange:
    """Loop like `range`, with rounds that may run at the same time.

    In an njit function a loop over it becomes a kernel. In plain Python it is `range`.

    Parameters
    ----------
    *bounds : int
        As those of `range`: the end, or the start and the end, or the start, the end and the step.

    Examples
    --------
    >>> import situ
    >>> list(situ.prange(3))
    [0, 1, 2]
    """

    def __new__(cls, *bounds: int) -> Any:  # noqa: ANN401 - it is `range` to Python
        """Return a `range`."""
        return range(*bounds)


def bound_arguments(
    function: FunctionType, arguments: tuple[object, ...], keywords: dict[str, object] | None
) -> list[object]:
    """Return arguments in the order of the parameters, defaults included."""
    bound = inspect.signature(function).bind(*arguments, **(keywords or {}))
    bound.apply_defaults()
    return list(bound.arguments.values())


class _HostVisit:
    """NumPy arrays that are arguments of a call, or items of them, as arrays of the native device.

    Attributes
    ----------
    arguments : list
        The arguments with situ arrays for those of NumPy.
    """

    def __init__(self, name: str, arguments: Sequence[tuple[str, object]]) -> None:
        leaves: list[tuple[str, object]] = []
        for label, argument in arguments:
            _add_leaves(label, argument, leaves)
        self._visit = Visit(name, leaves, _native.find_queue("native"))
        self._names = [name for name, _ in leaves]
        brought = iter(self._visit.arguments)
        self.arguments = [_rebuilt(argument, brought) for _, argument in arguments]

    def end(self) -> None:
        """Give back what was written to copies of arrays."""
        writable = [
            name
            for name in self._names
            if any(
                name in guest.names and guest.host.flags.writeable for guest in self._visit.copies()
            )
        ]
        if writable:
            self._visit.give_back(writable)


def _add_leaves(name: str, argument: object, leaves: list[tuple[str, object]]) -> None:
    """Add what an argument is made of, from left to right."""
    if isinstance(argument, tuple | list):
        for position, item in enumerate(cast("Sequence[object]", argument)):
            _add_leaves(f"{name}[{position}]", item, leaves)
    else:
        leaves.append((name, argument))


def _rebuilt(argument: object, leaves: Iterator[object]) -> object:
    """Return an argument with other leaves."""
    if isinstance(argument, tuple | list):
        return tuple(_rebuilt(item, leaves) for item in cast("Sequence[object]", argument))
    return next(leaves)


def visit(name: str, arguments: Sequence[tuple[str, object]]) -> _HostVisit:
    """Bring the NumPy arrays among arguments to the native device."""
    return _HostVisit(name, arguments)


def on_host(x: ndarray) -> ndarray:
    """Return an array of the native device over memory that the host can reach."""
    host: npt.NDArray[Any] = np.asarray(x)
    shared = _native.share_dlpack(host, device=_native.find_queue("native"))
    assert isinstance(shared, ndarray)
    return shared


def of_dispatcher(function: object) -> NjitFunction | None:
    """Return a function that Numba compiles as one of situ's; `None` if it is something else."""
    if not _is_dispatcher(function):
        return None
    known = _functions.get(id(function))
    if known is None:
        python: Any = getattr(function, "py_func", None)
        options: dict[str, Any] = getattr(function, "targetoptions", None) or {}
        fastmath = bool(options.get("fastmath"))
        boundscheck = bool(options.get("boundscheck"))
        made = NjitFunction(*definition(python, "njit"), fastmath=fastmath, boundscheck=boundscheck)
        made = labelled(made, python)
        # The dispatcher is kept, so that its id stays its own.
        known = _functions[id(function)] = (function, made)
    return known[1]


_functions: dict[int, tuple[object, NjitFunction]] = {}


def _is_dispatcher(function: object) -> bool:
    module = str(type(function).__module__)
    return module.startswith("numba.") and hasattr(function, "py_func")


def classified(function: object) -> tuple[str, str, object]:
    """Return what a function is to the machine, its name there, and situ's function for it."""
    name = str(getattr(function, "__name__", type(function).__name__))
    module = str(getattr(function, "__module__", "") or "")
    if name == "prange":
        return "prange", name, function
    dispatched = of_dispatcher(function)
    if dispatched is not None:
        return "njit", name, dispatched
    if module == "builtins":
        return "builtin", name, function
    if module in ("situ.private", "situ.local"):
        return "kernel memory", f"{module}.{name}", function
    if module in ("math", "cmath"):
        return "numbers", name, function
    found = _situ_function(function, module, name)
    if found is None:
        kind = "a class" if isinstance(function, type) else "a Python function"
        return "unknown", f"{kind}, `{name}`", function
    own = str(getattr(found, "__name__", name))
    home = str(getattr(found, "__module__", ""))
    if home == "situ._elementwise":
        return "elementwise", own, found
    if own in _REDUCTIONS and home == "situ._statistical":
        return "reduction", own, found
    is_creation = own in _CREATION and home.startswith("situ.")
    return ("creation" if is_creation else "library"), own, found


def _situ_function(function: object, module: str, name: str) -> object | None:
    """Return situ's function for one of NumPy's, or itself for one of situ's."""
    import situ

    if module == "situ" or module.startswith("situ."):
        return function
    namespace: ModuleType = situ
    if isinstance(function, np.ufunc):
        return getattr(situ, name, None)
    if module.startswith("numpy.linalg"):
        namespace = situ.linalg
    elif module.startswith("numpy.fft"):
        namespace = situ.fft
    elif module != "numpy" and not module.startswith("numpy."):
        return None
    return getattr(namespace, name, None)
