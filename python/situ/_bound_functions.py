"""Functions that run on one queue: what a bound module gives in the place of a module's own.

A bound function brings the arrays among its arguments to the queue and says where to compute, in
the way that the function itself understands: by its parameter `queue` or `device`, or else by the
default queue of its package for the time of the call.
"""

import functools
import inspect
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from situ import _native
from situ._bringing import bring, is_accessible
from situ._native import Queue, ndarray
from situ._queue_manager import QueueManager
from situ.exceptions import PlacementError

__all__ = ["Call", "bind_function"]

_PLACES = ("queue", "device")


@dataclass(frozen=True)
class Call:
    """How a function is to be called on a queue.

    Attributes
    ----------
    queue : Queue
        Where it runs.
    owner : str
        What the bound module is called, for messages.
    managers : tuple of QueueManager
        Those whose default is the queue during the call.
    written : tuple of str
        The parameters whose arrays the function changes.
    by_annotation : bool
        Whether only parameters whose annotation names an array take arrays.
    """

    queue: Queue
    owner: str
    managers: tuple[QueueManager, ...] = ()
    written: tuple[str, ...] = ()
    by_annotation: bool = False


def bind_function(function: Callable[..., Any], call: Call) -> Callable[..., Any]:
    """Return a function that does the same on a queue, whatever it is called with."""
    plan = _Plan(function, call)

    def bound(*arguments: object, **keywords: object) -> object:
        return plan.run(arguments, keywords)

    async def bound_coroutine(*arguments: object, **keywords: object) -> object:
        # Its body runs when it is awaited, so that is when the queue must be the default.
        return await plan.run_coroutine(arguments, keywords)

    def bound_generator(*arguments: object, **keywords: object) -> Generator[object]:
        # So does the body of a generator, a step at a time.
        return plan.run_generator(arguments, keywords)

    chosen: Callable[..., Any] = bound
    if inspect.iscoroutinefunction(function):
        chosen = bound_coroutine
    elif inspect.isgeneratorfunction(function):
        chosen = bound_generator
    made = functools.wraps(function)(chosen)
    made.__module__ = call.owner
    return made


class _Plan:
    """What is known of a function before it is called."""

    def __init__(self, function: Callable[..., Any], call: Call) -> None:
        self._function = function
        self._call = call
        self._name = str(getattr(function, "__name__", "function"))
        parameters = _parameters(function)
        self._place_name = next((name for name in _PLACES if name in parameters), "")
        self._leads = bool(self._place_name) and _is_first(parameters, self._place_name)
        takes_arrays = {
            name: self._may_be_array(parameter, parameters)
            for name, parameter in parameters.items()
        }
        self._takes_arrays = takes_arrays
        kinds = inspect.Parameter
        positional = [
            name
            for name, parameter in parameters.items()
            if parameter.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
        ]
        self._positional = positional[1:] if self._leads else positional
        self._brings = [takes_arrays[name] for name in self._positional]
        # Of arguments beyond those, and of keywords that have no parameter of their own.
        self._brings_rest = not call.by_annotation or any(
            takes_arrays[name]
            for name, parameter in parameters.items()
            if parameter.kind is kinds.VAR_POSITIONAL
        )

    def _may_be_array(
        self, parameter: inspect.Parameter, beside: Mapping[str, inspect.Parameter]
    ) -> bool:
        if parameter.name in (*_PLACES, "out"):
            return False
        if self._call.by_annotation:
            annotation = str(parameter.annotation)
            return "ndarray" in annotation and "Producer" not in annotation
        # A function that is told the device brings its data there itself.
        return "device" not in beside

    def run(self, arguments: Sequence[Any], keywords: dict[str, Any]) -> object:
        """Call the function."""
        brought, queue = self._bring(arguments, keywords)
        if not self._call.managers:
            return self._function(*brought, **keywords)
        with self._defaults(queue):
            return self._function(*brought, **keywords)

    async def run_coroutine(self, arguments: Sequence[Any], keywords: dict[str, Any]) -> object:
        """Call a coroutine function, and await the coroutine."""
        brought, queue = self._bring(arguments, keywords)
        with self._defaults(queue):
            return await self._function(*brought, **keywords)

    def run_generator(
        self, arguments: Sequence[Any], keywords: dict[str, Any]
    ) -> Generator[object]:
        """Call a generator function, and yield what the generator does."""
        brought, queue = self._bring(arguments, keywords)
        steps = self._function(*brought, **keywords)
        while True:
            # Whoever takes the items must not see the queue as the default.
            with self._defaults(queue):
                try:
                    item = next(steps)
                except StopIteration as end:
                    return end.value
            yield item

    @contextmanager
    def _defaults(self, queue: Queue) -> Generator[None]:
        with ExitStack() as stack:
            for manager in self._call.managers:
                stack.enter_context(manager.current(queue))
            yield

    def _bring(self, arguments: Sequence[Any], keywords: dict[str, Any]) -> tuple[list[Any], Queue]:
        """Return positional arguments on the queue that runs the call; change keywords."""
        call = self._call
        queue = self._prepare(arguments, keywords) if keywords or call.written else call.queue
        brings, rest = self._brings, len(arguments) - len(self._brings)
        if rest > 0:
            brings = brings + rest * [self._brings_rest]
        brought = [
            bring(argument, queue) if brings_it else argument
            for argument, brings_it in zip(arguments, brings, strict=False)
        ]
        if self._leads:
            brought.insert(0, keywords.pop(self._place_name, queue))
        elif self._place_name and not any(name in keywords for name in _PLACES):
            keywords[self._place_name] = queue
        return brought, queue

    def _prepare(self, arguments: Sequence[Any], keywords: dict[str, Any]) -> Queue:
        """Bring keyword arguments to the queue that runs the call, and return it."""
        for name in _PLACES:
            if keywords.get(name, ...) is None:
                del keywords[name]
        named = [keywords[name] for name in _PLACES if name in keywords]
        queue = _native.find_queue(named[0]) if named else self._call.queue
        for name in self._call.written:
            self._check_written(name, arguments, keywords, queue)
        if "out" in keywords:
            self._check_out(keywords["out"], queue)
        for name, argument in keywords.items():
            if self._takes_arrays.get(name, self._brings_rest):
                keywords[name] = bring(argument, queue)
        return queue

    def _check_written(
        self, name: str, arguments: Sequence[Any], keywords: dict[str, Any], queue: Queue
    ) -> None:
        place = self._positional.index(name)
        target = arguments[place] if place < len(arguments) else keywords.get(name)
        if target is not None:
            self._refuse_far(target, name, queue)

    def _check_out(self, out: Any, queue: Queue) -> None:  # noqa: ANN401 - what the caller gave
        targets = cast("tuple[object, ...]", out if isinstance(out, tuple) else (out,))
        for target in targets:
            if isinstance(target, ndarray):
                self._refuse_far(target, "out", queue)

    def _refuse_far(self, target: object, name: str, queue: Queue) -> None:
        if isinstance(target, ndarray) and is_accessible(target, queue):
            return
        if isinstance(target, ndarray):
            where = f"is on {target.device.filter_string}"
        elif isinstance(target, np.ndarray):
            where = "is a NumPy array"
        else:
            where = f"is a `{type(target).__name__}`"
        msg = (
            f"`{self._name}` of {self._call.owner} cannot write to `{name}`, which {where}\n"
            f"  why:  the call runs on {queue.device.filter_string}; a copy of `{name}` there "
            "would be written, and nobody would see it\n"
            f"  help: write to an array of that queue, e.g. `{name} = lib.asarray({name})`, where "
            "`lib` is the bound module"
        )
        raise PlacementError(msg)


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):  # functions of extension modules need not tell
        return {}


def _is_first(parameters: Mapping[str, inspect.Parameter], name: str) -> bool:
    """Return whether a parameter comes first and must be given."""
    first = next(iter(parameters.values()))
    return (
        first.name == name
        and first.default is inspect.Parameter.empty
        and first.kind is not inspect.Parameter.KEYWORD_ONLY
    )
