"""What is an array to a function, and what the function says to anything else.

Functions that pass their arguments on to the compiled module are refused there, and arrays of other
packages that describe their memory are taken in place there. Others look at the shape or the dtype
first, and call methods: `takes_arrays` gives these arrays of situ's for those of other packages,
and lets them name the argument that is no array, what was given and the line that converts. The
latter it looks for only after a failure, so that a call that succeeds costs nothing more.
"""

import functools
import inspect
import operator
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import EllipsisType, NoneType
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from situ._native import Queue, from_usm_interface, ndarray
from situ.exceptions import PlacementError

__all__ = ["adopted", "expect_array", "takes_arrays"]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

# What a failure looks like that an argument of the wrong type may be the reason of.
_FAILURES = (AttributeError, IndexError, TypeError, ValueError)

# Parameters that take an array as the name of a place.
_PLACES = {"device", "queue"}

# What passes for a Python number.
_NUMBERS = (bool, int, float, complex)

# The classes of dtypes: NumPy has one for each.
_DTYPES = {type(np.dtype(code)) for code in "?bhilqBHILQefdFD"}

# What is an argument of most calls, and no array of another package.
_PLAIN = {ndarray, Queue, np.ndarray, NoneType, EllipsisType, slice, str, type, *_NUMBERS, *_DTYPES}

# How arrays of other packages describe their memory.
_DESCRIPTION = "__sycl_usm_array_interface__"


def takes_arrays(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let a function take arrays of other packages in place, and refuse what is no array.

    Parameters
    ----------
    function
        A function of arrays.

    Returns
    -------
    Callable
        The same function. It is called with arrays of situ's over the memory of arrays that
        describe theirs, and returns an `out` as it was given. By the annotations of its parameters,
        it raises `TypeError` for what is no array, with a message in three parts.
    """

    @functools.wraps(function)
    def call(*arguments: Parameters.args, **keywords: Parameters.kwargs) -> Result:
        if not _PLAIN.issuperset(map(type, arguments)) or (
            keywords and not _PLAIN.issuperset(map(type, keywords.values()))
        ):
            ours = [adopted(each) for each in arguments]
            ours_by_name = {name: adopted(each) for name, each in keywords.items()}
            if not all(map(operator.is_, ours, arguments)) or not all(
                map(operator.is_, ours_by_name.values(), keywords.values())
            ):
                result = cast("Any", call)(*ours, **ours_by_name)
                is_out = "out" in keywords and result is ours_by_name["out"]
                return cast("Result", keywords["out"]) if is_out else result
        try:
            return function(*arguments, **keywords)  # pyright: ignore[reportCallIssue] - all are there
        except _FAILURES as failure:
            stranger = _find_stranger(function, arguments, keywords)
            if stranger is None:
                raise
            kind = PlacementError if isinstance(failure, PlacementError) else TypeError
            message = _message(call.__name__, *stranger, _find_array(function, arguments, keywords))
        # Outside of the handler: what failed is code that the caller did not write.
        raise kind(message)

    return call


def set_name(function: Callable[..., Any], name: str) -> None:
    """Name a function that was made from a template, also in what Python says of wrong arguments.

    Parameters
    ----------
    function
        The function, or what a decorator made of it.
    name
        Its name.
    """
    function.__name__ = function.__qualname__ = name
    inner = getattr(function, "__wrapped__", None)
    if inner is not None:
        set_name(inner, name)


def adopted(argument: Any) -> Any:  # noqa: ANN401 - any argument
    """Return an argument with arrays of situ's in the place of arrays that describe USM memory.

    Parameters
    ----------
    argument
        Whatever a function was given. Lists and tuples are looked into, once.

    Returns
    -------
    object
        The same object, if there is no such array in it.
    """
    kind = cast("Any", type(argument))
    if kind in _PLAIN:
        return argument
    if kind is list or kind is tuple:
        if _PLAIN.issuperset(map(type, argument)):
            return argument
        items = [_adopted_one(item) for item in argument]
        is_same = all(new is old for new, old in zip(items, argument, strict=True))
        if is_same:
            return argument
        return items if kind is list else tuple(items)
    return _adopted_one(argument)


def _adopted_one(argument: Any) -> Any:  # noqa: ANN401
    is_foreign = not isinstance(argument, ndarray | type) and hasattr(argument, _DESCRIPTION)
    return from_usm_interface(argument) if is_foreign else argument


def expect_array(function: str, name: str, given: object) -> None:
    """Refuse an argument that is no array, where the function would do something with it.

    Parameters
    ----------
    function, name
        What the function and the argument are called.
    given
        The argument.

    Raises
    ------
    TypeError
        If it is no array.
    """
    if not isinstance(given, ndarray):
        raise TypeError(_message(function, name, given, None))


def _message(function: str, name: str, given: object, neighbour: str | None) -> str:
    """Return the refusal of an argument; the neighbour is one that is an array."""
    kind = type(given)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    why = "functions of arrays take arrays that are on a device"
    if isinstance(given, np.ndarray):
        why = (
            "it is in host memory, and situ computes where the data lives and never copies silently"
        )
    place = "" if neighbour is None else f", queue={neighbour}.queue"
    bare = name.partition("[")[0]
    return (
        f"`{function}` takes a situ array as `{name}`, not `{module}{kind.__name__}`\n"
        f"  why:  {why}\n"
        f"  help: bring the data to a device first, e.g. `{bare} = situ.asarray({bare}{place})`"
    )


def _bound(
    function: Callable[..., Any], arguments: Sequence[object], keywords: Mapping[str, object]
) -> Iterator[tuple[str, Any, object]]:
    """Yield the name, annotation and value of each argument that may be an array."""
    signature = inspect.signature(function)
    try:
        given = signature.bind(*arguments, **keywords).arguments
    except TypeError:  # the caller gave too few or too many, and was told
        return
    for name, value in given.items():
        parameter = signature.parameters[name]
        if name in _PLACES or not _mentions_array(parameter.annotation):
            continue
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            for place, item in enumerate(value):
                yield f"{name}[{place}]", parameter.annotation, item
        elif parameter.kind is not inspect.Parameter.VAR_KEYWORD:
            yield name, parameter.annotation, value


def _find_stranger(
    function: Callable[..., Any], arguments: Sequence[object], keywords: Mapping[str, object]
) -> tuple[str, object] | None:
    """Return the first argument that is no array though it should be, and its name."""
    for name, annotation, value in _bound(function, arguments, keywords):
        # An array in the place of a sequence of arrays is the sequence of its rows.
        if _accepts(annotation, value) or isinstance(value, ndarray):
            continue
        if isinstance(value, list | tuple) and _takes_sequence(annotation):
            items = cast("Sequence[object]", value)
            (inner,) = (each for each in _members(annotation) if _is_sequence(each))
            (wanted,) = typing.get_args(inner)
            for place, item in enumerate(items):
                if not _accepts(wanted, item):
                    return f"{name}[{place}]", item
        return name, cast("object", value)
    return None


def _find_array(
    function: Callable[..., Any], arguments: Sequence[object], keywords: Mapping[str, object]
) -> str | None:
    """Return what an argument is called that is an array."""
    for name, _, value in _bound(function, arguments, keywords):
        if isinstance(value, ndarray):
            return name
    return None


def _members(annotation: Any) -> tuple[Any, ...]:  # noqa: ANN401 - any annotation
    """Return the alternatives of an annotation."""
    is_union = typing.get_origin(annotation) in (typing.Union, types.UnionType)
    return typing.get_args(annotation) if is_union else (annotation,)


def _is_sequence(annotation: Any) -> bool:  # noqa: ANN401
    return typing.get_origin(annotation) is Sequence


def _takes_sequence(annotation: Any) -> bool:  # noqa: ANN401
    return sum(_is_sequence(each) for each in _members(annotation)) == 1


def _mentions_array(annotation: Any) -> bool:  # noqa: ANN401
    return annotation is ndarray or any(
        _mentions_array(each) for each in typing.get_args(annotation)
    )


def _accepts(annotation: Any, value: object) -> bool:  # noqa: ANN401
    """Return whether a value is what an annotation says, as far as arrays and numbers go."""
    members = _members(annotation)
    if len(members) > 1:
        return any(_accepts(each, value) for each in members)
    if annotation in _NUMBERS:
        is_element = isinstance(value, np.generic) or (
            isinstance(value, np.ndarray) and not value.ndim
        )
        return is_element or isinstance(value, _NUMBERS)
    if _is_sequence(annotation):
        (wanted,) = typing.get_args(annotation)
        items = cast("Sequence[object]", value)
        return isinstance(value, list | tuple) and all(_accepts(wanted, item) for item in items)
    origin = typing.get_origin(annotation) or annotation
    return not isinstance(origin, type) or isinstance(value, origin)
