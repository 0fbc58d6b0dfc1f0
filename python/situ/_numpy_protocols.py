"""NumPy's functions on situ arrays: ``np.sin(x)`` is `situ.sin`, and runs where ``x`` is.

NumPy hands over every call that has a situ array among its arguments (``__array_ufunc__``,
``__array_function__``). The function of the same name does the work; arguments that only NumPy's
has are refused if they would change the result. Where there is no such function the call is
refused, with the line that converts: data is never copied to the host silently.
"""

import difflib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from situ import _methods, _native
from situ._native import ndarray
from situ.exceptions import PlacementError

__all__ = ["array_function", "array_ufunc"]

Function = Callable[..., Any]

# What reductions and accumulations by a ufunc are called.
_REDUCTIONS = {
    "add": "sum",
    "logical_and": "all",
    "logical_or": "any",
    "maximum": "max",
    "minimum": "min",
    "multiply": "prod",
}
_ACCUMULATIONS = {"add": "cumsum", "multiply": "cumprod"}
_METHODS = {"accumulate": _ACCUMULATIONS, "reduce": _REDUCTIONS}

# Options of ufuncs, and of functions that make arrays, that say nothing about values.
_ABOUT_MEMORY = {"order", "subok"}

# Functions that make arrays from nothing, for `like=`.
_CREATION = {
    "arange",
    "array",
    "asarray",
    "empty",
    "eye",
    "full",
    "identity",
    "ones",
    "tri",
    "zeros",
}

# Functions that make arrays with the dtype and place of another one.
_LIKE = {"empty_like", "full_like", "ones_like", "zeros_like"}

# What parameters of NumPy's functions are called here.
_RENAMED = {"a_max": "max", "a_min": "min", "ddof": "correction"}

_WHY = (
    "  why:  NumPy's functions run on the device of a situ array, and data is never copied to\n"
    "        the host silently"
)


def array_ufunc(
    x: ndarray,
    ufunc: np.ufunc,
    method: str,
    /,
    *inputs: object,
    **options: Any,  # noqa: ANN401 - whatever NumPy was given
) -> object:
    """Apply a ufunc of NumPy, or one of its methods, to arrays; NumPy calls this.

    Parameters
    ----------
    x
        The array that was found among the arguments.
    ufunc
        The function.
    method
        ``"__call__"``, ``"reduce"``, ``"accumulate"`` or ``"outer"``.
    *inputs
        Its operands.
    **options
        Its keywords.

    Returns
    -------
    ndarray
        The result; ``NotImplemented`` if an operand is of a library that has its own way, such as
        an array made of arrays.
    """
    if any(_has_own_way(operand) for operand in inputs):
        return NotImplemented
    name = f"numpy.{ufunc.__name__}"
    _refuse_host_arrays(name, [*inputs, *options.values()])
    options = {name: value for name, value in options.items() if name not in _ABOUT_MEMORY}
    out = options.pop("out", None)
    if out is not None and any(each is not None for each in out):
        options["out"] = out[0] if len(out) == 1 else out
    if method in _METHODS:
        function = _ufunc_method(ufunc, method)
        return _call(function, f"{name}.{method}", inputs, {"axis": 0, **options})
    if method == "outer":
        left, right = inputs
        inputs = (_column(left, right), right)
    elif method != "__call__":
        raise _unsupported(".".join([name, method]), ())
    return _call(_counterpart_of_ufunc(ufunc), name, inputs, options)


def array_function(
    x: ndarray,
    function: Function,
    types: Sequence[type],
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any],
    /,
) -> object:
    """Apply a function of NumPy to arrays; NumPy calls this.

    Parameters
    ----------
    x
        The array that was found among the arguments.
    function
        The function.
    types
        The types of all arrays among the arguments.
    arguments, keywords
        What it was given.

    Returns
    -------
    object
        What the function of situ returns.
    """
    if not all(issubclass(each, ndarray | np.ndarray) for each in types):
        return NotImplemented
    name = f"{function.__module__}.{function.__name__}"
    _refuse_host_arrays(name, [*arguments, *keywords.values()])
    counterpart = _counterpart(name)
    if name.removeprefix("numpy.") in _CREATION:
        keywords = {"queue": x.queue, "usm_type": x.usm_type, **keywords}
    signature = _signature(function)
    if signature is None:
        return counterpart(*arguments, **keywords)
    return _call_bound(counterpart, name, signature, arguments, keywords)


def _has_own_way(operand: object) -> bool:
    """Return whether an operand is an array of a library that applies ufuncs itself."""
    if isinstance(operand, ndarray | np.ndarray | np.generic):
        return False
    return getattr(type(operand), "__array_ufunc__", None) is not None


def _call(
    function: Function, name: str, inputs: Sequence[object], options: Mapping[str, Any]
) -> object:
    """Call a function, refusing options that it does not have."""
    for option in options:
        if option not in _parameters(function):
            raise _no_option(name, option)
    return function(*inputs, **options)


def _call_bound(
    function: Function,
    name: str,
    signature: inspect.Signature,
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any],
) -> object:
    """Call a function with arguments that were given to one of NumPy's."""
    ours = _parameters(function)
    by_position = _positional_only(function)
    takes_many = _takes_many(function)
    extra = {key: value for key, value in keywords.items() if key not in signature.parameters}
    given = {key: value for key, value in keywords.items() if key in signature.parameters}
    positional: list[Any] = []
    named: dict[str, Any] = dict(extra)
    for parameter, value in signature.bind(*arguments, **given).arguments.items():
        kind = signature.parameters[parameter].kind
        ours_is = _RENAMED.get(parameter, parameter)
        if kind is inspect.Parameter.VAR_POSITIONAL:
            positional += value
        elif kind is inspect.Parameter.VAR_KEYWORD:
            named |= value
        elif len(positional) < by_position or (takes_many and not named and parameter not in ours):
            positional.append(value)
        elif parameter in ours:
            named[parameter] = value
        elif ours_is in ours:
            named[ours_is] = value
        elif parameter in _ABOUT_MEMORY and name.removeprefix("numpy.") in _CREATION | _LIKE:
            continue
        elif not _says_nothing(value, signature.parameters[parameter].default):
            raise _no_option(name, parameter)
    return function(*positional, **named)


@cache
def _signature(function: Function) -> inspect.Signature | None:
    """Return what a function of NumPy takes; older versions do not tell for those written in C."""
    try:
        return inspect.signature(function)
    except ValueError:
        return None


def _says_nothing(value: object, default: object) -> bool:
    """Return whether an argument is what it would be if it was left out."""
    return value is default or (isinstance(value, str | bool | int) and value == default)


@cache
def _parameters(function: Function) -> frozenset[str]:
    """Return the names that a function takes as keywords."""
    parameters = inspect.signature(function).parameters.values()
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return frozenset(each.name for each in parameters if each.kind in by_name)


@cache
def _positional_only(function: Function) -> int:
    """Return how many arguments a function takes by position only."""
    parameters = inspect.signature(function).parameters.values()
    return sum(each.kind is inspect.Parameter.POSITIONAL_ONLY for each in parameters)


@cache
def _takes_many(function: Function) -> bool:
    """Return whether a function takes any number of arguments by position."""
    parameters = inspect.signature(function).parameters.values()
    return any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters)


def _column(left: object, right: object) -> object:
    """Return the left operand of an outer product, with a dimension for each of the right one."""
    if not isinstance(left, ndarray):
        return left
    ndim = right.ndim if isinstance(right, ndarray) else np.ndim(cast("Any", right))
    return left[(..., *[None] * ndim)]


def _refuse_host_arrays(name: str, arguments: Iterable[object]) -> None:
    """Refuse arrays in the host's memory; they would have to be copied."""
    arrays = list(_arrays(arguments))
    if any(isinstance(each, np.ndarray) for each in arrays):
        # It says which of the arguments they are, and where the others are.
        _native.placement_of(*arrays)
        raise _mixed(name)


def _arrays(nested: Iterable[object]) -> Iterator[object]:
    """Yield the arrays among arguments, and in lists and tuples among them."""
    for each in nested:
        if isinstance(each, ndarray) or (isinstance(each, np.ndarray) and each.ndim > 0):
            yield each
        elif isinstance(each, list | tuple):
            yield from _arrays(cast("Sequence[object]", each))


def _counterpart_of_ufunc(ufunc: np.ufunc) -> Function:
    # Other packages have ufuncs, too, whose names mean something else.
    is_numpys = getattr(np, ufunc.__name__, None) is ufunc
    return _counterpart(f"numpy.{ufunc.__name__}" if is_numpys else f"?.{ufunc.__name__}")


def _ufunc_method(ufunc: np.ufunc, method: str) -> Function:
    names = _METHODS[method]
    if ufunc.__name__ not in names:
        possible = [".".join(["numpy", each, method]) for each in names]
        raise _unsupported(".".join(["numpy", ufunc.__name__, method]), possible)
    return _namespaces()["numpy"][names[ufunc.__name__]]


@cache
def _namespaces() -> Mapping[str, Mapping[str, Function]]:
    """Return the functions that stand for NumPy's, by module and name."""
    import situ

    own: dict[str, Function] = {
        "array": _array,
        "array2string": str,
        "array_repr": repr,
        "array_str": str,
        "concatenate": situ.concat,
        "copy": _native.ndarray.copy,
        "copyto": _copyto,
        "iscomplexobj": _is_complex,
        "isrealobj": _is_real,
        "may_share_memory": _native.shares_memory,
        "ndim": _ndim,
        "shape": _shape,
        "shares_memory": _native.shares_memory,
        "size": _size,
        "transpose": _transpose,
        "where": _where,
    }
    found = {"numpy": {**_public_functions(situ), **own}}
    for name in ("linalg", "fft"):
        module = getattr(situ, name, None)
        found[f"numpy.{name}"] = _public_functions(module) if module is not None else {}
    return found


def _public_functions(module: ModuleType) -> dict[str, Function]:
    named = {name: getattr(module, name) for name in module.__all__}
    return {
        name: function
        for name, function in named.items()
        if callable(function) and not isinstance(function, type)
    }


def _counterpart(name: str) -> Function:
    """Return the function of situ that stands for one of NumPy's.

    Raises
    ------
    TypeError
        If there is none.
    """
    module, _, own = name.rpartition(".")
    found = _namespaces().get(module, {}).get(own)
    if found is None:
        known = [f"{place}.{each}" for place, names in _namespaces().items() for each in names]
        raise _unsupported(name, [each for each in known if _is_numpys(each)])
    return found


def _unsupported(name: str, known: Sequence[str]) -> TypeError:
    by_own_name = {each.removeprefix("numpy."): each for each in known}
    near = difflib.get_close_matches(name.removeprefix("numpy."), by_own_name, n=3)
    hint = f"; it has {', '.join(f'`{by_own_name[each]}`' for each in near)}" if near else ""
    msg = (
        f"situ has no counterpart of `{name}`{hint}\n{_WHY}\n"
        f"  help: copy the arrays to the host first: `{name}(x.to_numpy(), ...)`"
    )
    return TypeError(msg)


def _is_numpys(name: str) -> bool:
    """Return whether a name that situ has is one of NumPy's as well."""
    place: Any = np
    for part in name.split(".")[1:]:
        place = getattr(place, part, None)
    return place is not None


def _no_option(name: str, option: str) -> TypeError:
    msg = (
        f"`{name}` of situ arrays does not take `{option}`\n{_WHY}\n"
        f"  help: leave it out, or copy the arrays to the host first: `{name}(x.to_numpy(), ...)`"
    )
    return TypeError(msg)


def _mixed(name: str) -> PlacementError:
    msg = (
        f"cannot use host and device arrays together in one call of `{name}`\n"
        "  why:  a NumPy array is in host memory; situ computes where the data lives and never\n"
        "        copies silently\n"
        "  help: bring it to the device first, e.g. `y = situ.asarray(y, queue=x.queue)`"
    )
    return PlacementError(msg)


def _array(
    obj: object,
    /,
    dtype: npt.DTypeLike | None = None,
    *,
    copy: bool | None = True,
    **where: Any,  # noqa: ANN401 - device, queue and USM kind
) -> ndarray:
    from situ._creation import asarray

    return asarray(obj, dtype=dtype, copy=copy if isinstance(obj, ndarray) else None, **where)


def _copyto(dst: ndarray, src: ndarray | complex, /) -> None:
    dst[...] = src


def _is_complex(x: ndarray, /) -> bool:
    return x.dtype.kind == "c"


def _is_real(x: ndarray, /) -> bool:
    return x.dtype.kind != "c"


def _ndim(a: ndarray, /) -> int:
    return a.ndim


def _shape(a: ndarray, /) -> tuple[int, ...]:
    return a.shape


def _size(a: ndarray, /, axis: int | None = None) -> int:
    return a.size if axis is None else a.shape[axis]


def _transpose(a: ndarray, /, axes: Sequence[int] | None = None) -> ndarray:
    return _methods.transpose(a, axes)


def _where(
    condition: ndarray, x: ndarray | complex | None = None, y: ndarray | complex | None = None, /
) -> ndarray | tuple[ndarray, ...]:
    from situ._elementwise import where
    from situ._searching import nonzero

    if x is None or y is None:
        return nonzero(condition)
    return where(condition, x, y)
