"""The decorators that make kernels and device functions.

They read a function's source; everything after that happens in the compiled module.
"""

import difflib
import inspect
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any, SupportsIndex, TypeVar, overload

import numpy.typing as npt

from situ._native import DeviceFunction, Event, Kernel, LocalAccessor, ndarray
from situ._queue_manager import Place
from situ.exceptions import KernelError, KernelTypeError

__all__ = ["call_kernel", "call_kernel_async", "device_func", "kernel"]

_Made = TypeVar("_Made")

Sizes = SupportsIndex | Sequence[SupportsIndex]
AnyRange = Sizes | tuple[Sizes, Sizes]
# NumPy arrays inside of `host_data_on` only.
Argument = ndarray | LocalAccessor | complex | npt.NDArray[Any]


def _nothing() -> None:
    """Stand for the function where a decorator is called with options only."""


@overload
def kernel(
    function: Callable[..., None], /, *, wrap_indices: bool = False, bounds: bool = False
) -> Kernel: ...
@overload
def kernel(
    *, wrap_indices: bool = False, bounds: bool = False
) -> Callable[[Callable[..., None]], Kernel]: ...
def kernel(
    function: Callable[..., None] = _nothing, /, **options: bool
) -> Kernel | Callable[[Callable[..., None]], Kernel]:
    """Make a kernel of a function: a call runs it once for each work-item of a range.

    The function is compiled from its source, for the dtypes, dimensions and device of the arrays it
    is called with; it runs where those arrays live. Numbers it uses from outside are constants
    whose values are taken at the first call.

    Parameters
    ----------
    function : function
        What one work-item does. It asks for its place in the range with `get_global_id`, reads and
        writes elements of its array arguments, and returns nothing. Its first parameter may be
        an index object instead, see `situ.kernel_api`. The last parameters may have defaults.
    wrap_indices : bool, default False
        Whether an index that is negative at run time counts from the end, as in Python. It costs a
        test for each access; indices that are constants count from the end anyway. Given as in
        ``@situ.kernel(wrap_indices=True)``.
    bounds : bool, default False
        Whether each index is checked: an access outside of an array is skipped, and the next wait
        raises a `KernelIndexError` that names it. ``SITU_BOUNDS=1`` does this for all kernels.

    Returns
    -------
    Kernel
        ``f(a, b)`` runs over the common shape of the arrays, ``f[n](a, b)`` over ``n`` work-items,
        ``f[m, n](a, b)`` over a two-dimensional range and ``f[(m, n), (8, 8)](a, b)`` in
        work-groups of 8 by 8. ``f.simulate(a, b)`` runs it as plain Python, where breakpoints and
        `print` work. ``f.specializations`` tells what it was compiled for, and ``f.inspect()``
        shows the code.

    Raises
    ------
    KernelError
        When the source cannot be found. What a kernel cannot do is reported by its first call.

    Examples
    --------
    >>> import numpy as np
    >>> import situ
    >>> @situ.kernel
    ... def scale(x, factor):
    ...     i = situ.get_global_id(0)
    ...     x[i] = factor * x[i]
    >>> x = situ.asarray(np.arange(4.0))
    >>> scale(x, 10.0)
    >>> x.to_numpy()
    array([ 0., 10., 20., 30.])
    """
    check_options("kernel", options, ("wrap_indices", "bounds"))

    def make(function: Callable[..., None]) -> Kernel:
        return labelled(Kernel(*definition(function, "kernel"), **options), function)

    return make if function is _nothing else make(function)


@overload
def device_func(function: Callable[..., Any], /) -> DeviceFunction: ...
@overload
def device_func() -> Callable[[Callable[..., Any]], DeviceFunction]: ...
def device_func(
    function: Callable[..., Any] = _nothing, /, **options: bool
) -> DeviceFunction | Callable[[Callable[..., Any]], DeviceFunction]:
    """Make a function that kernels can call.

    It is compiled into each kernel that calls it, for the types it is called with. Called from
    ordinary Python code, it is the Python function.

    Parameters
    ----------
    function : function
        Takes numbers, arrays and parts of arrays, tuples, index objects, dtypes and functions;
        returns a number, a tuple of numbers, or nothing. The last parameters may have numbers as
        defaults.

    Returns
    -------
    DeviceFunction

    Examples
    --------
    >>> import numpy as np
    >>> import situ
    >>> @situ.device_func
    ... def clamp(x, low, high):
    ...     return min(max(x, low), high)
    >>> @situ.kernel
    ... def clamp_all(x):
    ...     i = situ.get_global_id(0)
    ...     x[i] = clamp(x[i], 0.0, 1.0)
    >>> x = situ.asarray(np.array([-1.0, 0.5, 2.0]))
    >>> clamp_all(x)
    >>> x.to_numpy()
    array([0. , 0.5, 1. ])
    >>> clamp(3, 0, 1)
    1
    """
    check_options("device_func", options, ())

    def make(function: Callable[..., Any]) -> DeviceFunction:
        return labelled(DeviceFunction(*definition(function, "device_func")), function)

    return make if function is _nothing else make(function)


def call_kernel(
    function: Kernel,
    range: AnyRange,
    /,
    *arguments: Argument,
    queue: Place | None = None,
    **keywords: Argument,
) -> None:
    """Run a kernel over a range: ``kernel[range](*arguments)`` as a function.

    Parameters
    ----------
    function : Kernel
        The kernel.
    range : Range, NdRange, int, tuple of int, or pair of tuples
        The sizes of the range; in an `NdRange` or pair, also those of the work-groups.
    *arguments
        What the kernel takes, without its index object if it has one.
    queue : Queue or selector, optional
        What runs it: a queue from which all arrays are accessible, that is, one of their context.
        By default the queue that they agree on.
    **keywords
        What the kernel takes, by the names of its parameters.

    Examples
    --------
    >>> import numpy as np
    >>> import situ
    >>> @situ.kernel
    ... def fill(x):
    ...     x[situ.get_global_id(0)] = 7
    >>> x = situ.asarray(np.zeros(3))
    >>> situ.call_kernel(fill, 2, x)
    >>> x.to_numpy()
    array([7., 7., 0.])
    """
    check_kernel("call_kernel", function)
    ranged = function[range]
    if queue is not None:
        ranged = ranged.on(queue)
    ranged(*arguments, **keywords)


def call_kernel_async(
    function: Kernel,
    range: AnyRange,
    dependent_events: Iterable[Event] = (),
    /,
    *arguments: Argument,
    queue: Place | None = None,
    **keywords: Argument,
) -> Event:
    """Submit a kernel over a range, and return the event that ends when it has run.

    Kernels never make their caller wait; what this adds to `call_kernel` is the event, and the
    choice of what to wait for.

    Parameters
    ----------
    function : Kernel
        The kernel.
    range : Range, NdRange, int, tuple of int, or pair of tuples
        The sizes of the range; in an `NdRange` or pair, also those of the work-groups.
    dependent_events : iterable of Event, optional
        If there are any, exactly these must have ended before the kernel runs, and in an in-order
        queue what was submitted before. Without any, the kernel comes after everything that uses
        the same arrays.
    *arguments
        What the kernel takes.
    queue : Queue or selector, optional
        What runs it, as in `call_kernel`.
    **keywords
        What the kernel takes, by the names of its parameters.

    Returns
    -------
    Event
        Ends when the kernel has.

    Examples
    --------
    >>> import numpy as np
    >>> import situ
    >>> @situ.kernel
    ... def fill(x):
    ...     x[situ.get_global_id(0)] = 7
    >>> x = situ.asarray(np.zeros(3))
    >>> event = situ.call_kernel_async(fill, 2, [x.queue.barrier()], x)
    >>> event.wait()
    >>> x.to_numpy()
    array([7., 7., 0.])
    """
    check_kernel("call_kernel_async", function)
    events = list(dependent_events)
    ranged = function[range]
    if queue is not None:
        ranged = ranged.on(queue)
    return ranged.submit(*arguments, depends=events or None, **keywords)


def check_kernel(launcher: str, function: object) -> None:
    """Refuse to launch what is no kernel, itself or bound to a module's queue."""
    if isinstance(getattr(function, "kernel", function), Kernel):
        return
    kind = type(function).__name__
    message = (
        f"`situ.{launcher}` takes a kernel, its range and its arguments, not a `{kind}`\n"
        f"  why:  it launches what `@situ.kernel` compiles\n"
        f"  help: decorate the function with `@situ.kernel`"
    )
    raise KernelTypeError(message)


def check_options(decorator: str, given: dict[str, bool], known: tuple[str, ...]) -> None:
    """Refuse options that a decorator does not have."""
    for name in given:
        if name in known:
            continue
        close = difflib.get_close_matches(name, known, 1)
        choices = ", ".join(f"`{option}`" for option in known) or "none"
        help_ = f"did you mean `{close[0]}`?" if close else f"leave it out; there are {choices}"
        message = (
            f"`situ.{decorator}` has no option `{name}`\n"
            f"  why:  its options are {choices}\n"
            f"  help: {help_}"
        )
        raise KernelTypeError(message)


def labelled(made: _Made, function: Callable[..., Any]) -> _Made:
    """Give what was made of a function the function's docstring and module.

    They are attributes of the object. Getters would hide those of its class, which `pickle` and
    `help` need.
    """
    made.__doc__ = function.__doc__
    made.__module__ = function.__module__
    return made


def definition(function: object, decorator: str) -> tuple[FunctionType, str, str, int]:
    """Return the function, its source text, file name and first line."""
    if not isinstance(function, FunctionType):
        kind = type(function).__name__
        message = (
            f"`situ.{decorator}` takes a Python function, not a `{kind}`\n"
            f"  why:  it compiles the text of a `def`\n"
            f"  help: write `@situ.{decorator}` on the line above a `def`, below other decorators"
        )
        raise KernelTypeError(message)
    if hasattr(function, "__wrapped__"):
        message = (
            f"`{function.__name__}` is wrapped by another decorator\n"
            f"  why:  the compiler would see the function inside and forget the wrapper\n"
            f"  help: put `@situ.{decorator}` directly above the `def`"
        )
        raise KernelTypeError(message)
    try:
        lines, first_line = inspect.getsourcelines(function)
    except (OSError, TypeError) as error:
        name = function.__name__
        message = (
            f"the source of `{name}` cannot be read\n"
            f"  why:  {error}; a kernel is compiled from the text of its `def`, which functions "
            f"made by `exec` or typed at a bare prompt do not have\n"
            f"  help: define `{name}` in a file or a notebook cell"
        )
        raise KernelError(message) from None
    return function, "".join(lines), function.__code__.co_filename, max(first_line, 1)
