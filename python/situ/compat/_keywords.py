"""Functions of situ that take arguments the way a peer's do.

The peers' functions and situ's compute the same and differ in how some arguments are called. What a
peer's function takes by position or by name is written down as a list of names; everything else is
the same for all functions: a queue is called ``sycl_queue`` there, and some arguments ask for
nothing that situ does differently.
"""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, cast

import situ
from situ.compat._filter_strings import place
from situ.compat._peer_module import NotInSituError

__all__ = ["adapted"]

_ANY = object()

# Arguments that situ's functions do not have, and the values that ask for nothing: defaults of
# the peers, and hints. How elements lie in memory is situ's own business.
_NEUTRAL: dict[str, tuple[object, ...]] = {
    "assume_unique": (_ANY,),
    "axes": (None,),
    "axis": (None,),
    "casting": (_ANY,),
    "check_finite": (_ANY,),
    "compute_uv": (True,),
    "copy": (None, True),
    "correction": (None,),
    "dtype": (None,),
    "hermitian": (_ANY,),
    "initial": (None,),
    "kind": (_ANY,),
    "like": (None,),
    "mean": (None,),
    "method": ("auto",),
    "mode": ("wrap", "raise"),
    "optimize": (_ANY,),
    "order": ("C", "F", "K", "A", None),
    "out": (None,),
    "overwrite_a": (_ANY,),
    "overwrite_input": (_ANY,),
    "period": (None,),
    "retstep": (False,),
    "returned": (False,),
    "shape": (None,),
    "signature": (None,),
    "sparse": (False,),
    "stable": (_ANY,),
    "subok": (_ANY,),
    "tol": (None,),
    "type": (None,),
    "usm_type": (None, "device"),
    "weights": (None,),
    "where": (True,),
}

# What is done to a result, if a function does not do it by itself.
_LATER = {"dtype", "out", "usm_type"}

# What situ calls these.
_RENAMED = {"sycl_queue": "queue"}

# Values that situ has another word for.
_KINDS_OF_SORT = {"radixsort": "stable"}

# Which of these a function that says where to compute or to allocate may have.
_PLACES = ("device", "queue")


def adapted(function: Callable[..., Any], peer: str, names: str = "") -> Callable[..., Any]:
    """Return a function that takes arguments as a peer's does.

    Compilers of kernels and njit functions see the function of situ in it.

    Parameters
    ----------
    function : function
        The function of situ.
    peer : str
        What the peer calls it, with its module.
    names : str, optional
        The names of the peer's arguments that can be given by position, in their order, if they
        differ from situ's.
    """
    parameters = inspect.signature(function).parameters
    by_position = [
        parameter.name
        for parameter in parameters.values()
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY
    ]
    takes_any = any(
        parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()
    )
    has_star = any(
        parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in parameters.values()
    )
    only_position = [
        parameter.name
        for parameter in parameters.values()
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY
    ]
    order = names.split() if names else by_position
    known = set(parameters)
    renamed = {
        peers: own
        for peers, own in zip(order, by_position, strict=False)
        if peers not in known and own not in order and own not in only_position
    }

    @functools.wraps(function)
    def call(*arguments: object, **keywords: object) -> Any:  # noqa: ANN401
        if not keywords and (not names or len(arguments) <= len(only_position)):
            return function(*arguments)
        is_named = bool(names) and not has_star
        if is_named or (only_position and order[0] in keywords):
            arguments, keywords = _in_order(peer, order, len(only_position), arguments, keywords)
            keywords = {renamed.get(name, name): value for name, value in keywords.items()}
        own, later = _translated(peer, keywords, known, takes_any)
        result = function(*arguments, **own)
        return _finished(result, later) if later else result

    if function.__module__ == "situ._elementwise":
        # What programs ask elementwise functions for.
        call.__dict__.update(nin=len(only_position), nout=1)
    return call


def _in_order(
    peer: str,
    order: Sequence[str],
    positional: int,
    arguments: tuple[object, ...],
    keywords: dict[str, object],
) -> tuple[tuple[object, ...], dict[str, object]]:
    """Return what the function of situ takes by position, and the rest by name."""
    if len(arguments) > len(order):
        msg = f"{peer}() takes {len(order)} arguments by position, but {len(arguments)} were given"
        raise TypeError(msg)
    named = dict(zip(order, arguments, strict=False))
    twice = named.keys() & keywords.keys()
    if twice:
        msg = f"{peer}() got multiple values for argument '{min(twice)}'"
        raise TypeError(msg)
    named |= keywords
    first: list[object] = []
    for name in order[:positional]:
        if name not in named:
            break
        first.append(named.pop(name))
    return tuple(first), named


def _translated(
    peer: str, keywords: dict[str, object], known: set[str], takes_any: bool
) -> tuple[dict[str, object], dict[str, Any]]:
    """Return keyword arguments in situ's words, and those that are for the result.

    What asks for nothing is left out.
    """
    translated: dict[str, object] = {}
    later: dict[str, Any] = {}
    for given, value in keywords.items():
        name = _RENAMED.get(given, given)
        if name in _PLACES:
            # Both may be given, and then mean the same place.
            if value is not None:
                chosen = name if name in known else next((p for p in _PLACES if p in known), None)
                if chosen is None:
                    continue
                translated[chosen] = place(cast("Any", value))
        elif name in known or takes_any:
            translated[name] = value
            if name == "kind" and isinstance(value, str):
                translated[name] = _KINDS_OF_SORT.get(value, value)
        elif not _is_neutral(name, value):
            if name in _LATER:
                later[name] = value
                continue
            _refuse(peer, given, value, name in _NEUTRAL)
    if "device" in translated and "queue" in translated:
        del translated["device"]
    return translated, later


def _finished(result: Any, later: dict[str, Any]) -> Any:  # noqa: ANN401
    """Give a result the dtype, the kind of memory or the place that was asked for."""
    if isinstance(result, tuple | list):
        parts = [_finished(part, later) for part in cast("Sequence[Any]", result)]
        return tuple(parts) if isinstance(result, tuple) else parts
    if "dtype" in later:
        result = situ.astype(result, later["dtype"], copy=False)
    if "usm_type" in later:
        result = situ.asarray(result, usm_type=later["usm_type"])
    if "out" in later:
        later["out"][...] = result
        return later["out"]
    return result


def _is_neutral(name: str, value: object) -> bool:
    values = _NEUTRAL.get(name, ())
    return _ANY in values or any(value is one or value == one for one in values)


def _refuse(peer: str, name: str, value: object, is_known: bool) -> None:
    if not is_known:
        msg = f"{peer}() got an unexpected keyword argument '{name}'"
        raise TypeError(msg)
    msg = (
        f"`{peer}` cannot take `{name}={value!r}` here\n"
        f"  why:  the function of situ behind it has no such argument\n"
        f"  help: leave `{name}` out, and apply to the result what it asks for"
    )
    raise NotInSituError(msg)
