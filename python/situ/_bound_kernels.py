"""Kernels and njit functions that run on one queue.

They take NumPy arrays and arrays of other devices like any function of a bound module. They may
write to their arguments, so what travelled as a copy comes home when the call is done.
"""

import functools
from collections.abc import Callable, Iterable
from typing import Any, cast

import numpy as np

from situ import _kernel, _njit
from situ._bringing import bring, is_accessible, run_over
from situ._creation import asarray
from situ._host_data import host_data_on
from situ._kernel import AnyRange
from situ._native import Event, Kernel, NjitFunction, Queue, RangedKernel, find_queue, ndarray
from situ._queue_manager import Place
from situ.exceptions import KernelTypeError, PlacementError

__all__ = ["COMPILERS", "BoundKernel", "BoundNjitFunction", "BoundRangedKernel", "compilers"]

# The functions of situ that make and run kernels and njit functions.
COMPILERS = frozenset({"call_kernel", "call_kernel_async", "jit", "kernel", "njit"})

_INTERFACE = "__sycl_usm_array_interface__"


class BoundKernel:
    """A kernel that runs on one queue, whatever arrays it is called with.

    ``lib.kernel`` of a bound module makes it, of a Python function or of a kernel. It is called
    like the kernel. Everything else that kernels have (`inspect`, `simulate`, `specializations`) is
    the kernel's.
    """

    def __init__(self, kernel: Kernel, queue: Queue) -> None:
        self._kernel = kernel
        self._queue = queue
        self.__doc__ = kernel.__doc__

    @property
    def kernel(self) -> Kernel:
        """The kernel that follows its arrays."""
        return self._kernel

    @property
    def queue(self) -> Queue:
        """The queue that it runs on."""
        return self._queue

    def __call__(self, *arguments: object, **keywords: object) -> None:
        """Run the kernel over the common shape of its arrays."""
        _launch(self._kernel, self._kernel.__name__, arguments, keywords, self._queue)

    def __getitem__(self, range: AnyRange) -> "BoundRangedKernel":
        """Return the kernel with the range it is to run over."""
        return BoundRangedKernel(self._kernel[cast("Any", range)], self._kernel, self._queue)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever kernels have
        if name == "_kernel":  # in a copy that is not finished
            raise AttributeError(name)
        return getattr(self._kernel, name)

    def __repr__(self) -> str:
        return f"<kernel `{self._kernel.__name__}` on {self._queue!r}>"


class BoundRangedKernel:
    """A kernel with its range, to run on one queue: ``lib.kernel(f)[range]``."""

    def __init__(self, ranged: RangedKernel, kernel: Kernel, queue: Queue) -> None:
        self._ranged = ranged.on(queue)
        self._kernel = kernel
        self._queue = queue

    def __call__(self, *arguments: object, **keywords: object) -> None:
        """Run it."""
        _launch(self._ranged, self._kernel.__name__, arguments, keywords, self._queue)

    def submit(
        self,
        *arguments: object,
        depends: Event | Iterable[Event] | None = None,
        **keywords: object,
    ) -> Event:
        """Submit it, and return its event; all arrays must be accessible from the queue."""
        queue = self._queue
        described = [_in_place(argument) for argument in arguments]
        named = {name: _in_place(argument) for name, argument in keywords.items()}
        if any(_is_far(argument, queue) for argument in (*described, *named.values())):
            _refuse_copies(self._kernel.__name__, queue)
        brought = {name: bring(item, queue) for name, item in named.items()}
        return self._ranged.submit(
            *(bring(item, queue) for item in described), depends=depends, **brought
        )

    def __repr__(self) -> str:
        return f"<kernel `{self._kernel.__name__}` over a range on {self._queue!r}>"


class BoundNjitFunction:
    """An njit function whose arrays are brought to one queue first, whatever it is called with.

    ``lib.njit`` of a bound module makes it, of a Python function or of an njit function.
    """

    def __init__(self, function: NjitFunction, queue: Queue) -> None:
        self._function = function
        self._queue = queue
        self.__doc__ = function.__doc__

    @property
    def njit_function(self) -> NjitFunction:
        """The function that follows its arrays."""
        return self._function

    @property
    def queue(self) -> Queue:
        """The queue that its array expressions run on."""
        return self._queue

    def __call__(self, *arguments: object, **keywords: object) -> Any:  # noqa: ANN401
        """Call the function; returns what it returns."""
        return run_over(self._function, self._function.__name__, arguments, keywords, self._queue)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever njit functions have
        if name == "_function":  # in a copy that is not finished
            raise AttributeError(name)
        return getattr(self._function, name)

    def __repr__(self) -> str:
        return f"<njit function `{self._function.__name__}` on {self._queue!r}>"


def _launch(
    kernel: Callable[..., None],
    name: str,
    arguments: tuple[object, ...],
    keywords: dict[str, object],
    queue: Queue,
) -> None:
    given = (*arguments, *keywords.values())
    has_host_arrays = any(isinstance(item, np.ndarray) and item.ndim for item in given)
    if has_host_arrays and not any(hasattr(item, _INTERFACE) for item in given):
        # The kernel itself knows which of them it writes.
        with host_data_on(queue):
            kernel(*arguments, **keywords)
        return
    run_over(kernel, name, arguments, keywords, queue)


def _in_place(argument: object) -> object:
    """Return memory that another library describes as an array."""
    return asarray(argument) if hasattr(argument, _INTERFACE) else argument


def _is_far(argument: object, queue: Queue) -> bool:
    """Return whether an argument is an array that the queue cannot use as it is."""
    if isinstance(argument, ndarray):
        return not is_accessible(argument, queue)
    return isinstance(argument, np.ndarray) and argument.ndim > 0


def _refuse_copies(kernel: str, queue: Queue) -> None:
    where = queue.device.filter_string
    msg = (
        f"kernel `{kernel}` cannot be submitted with arrays that are not accessible from {where}\n"
        "  why:  they would travel as copies, which come home when the call is done, and "
        "submitting does not wait for that\n"
        "  help: bring them over first, e.g. `x = lib.asarray(x)`, or call the kernel"
    )
    raise PlacementError(msg)


def compilers(queue: Queue) -> dict[str, Callable[..., Any]]:
    """Return what a bound module has in the place of the functions that make and run kernels."""

    def kernel(function: Any = None, /, **options: bool) -> Any:  # noqa: ANN401
        """Make a kernel that runs on the module's queue, of a Python function or of a kernel.

        Options are those of `situ.kernel`.
        """
        if isinstance(function, Kernel | BoundKernel):
            _refuse_options("kernel", options)
            return BoundKernel(_plain(function), queue)
        if function is None:
            return functools.partial(kernel, **options)
        return BoundKernel(_kernel.kernel(function, **options), queue)

    def njit(function: Any = None, /, **options: Any) -> Any:  # noqa: ANN401
        """Make an njit function that runs on the module's queue.

        It is made of a Python function, of an njit function, or of one that Numba compiles. Options
        are those of `situ.njit`.
        """
        if function is None:
            return functools.partial(njit, **options)
        if isinstance(function, BoundNjitFunction):
            function = function.njit_function
        made = function if isinstance(function, NjitFunction) else _njit.of_dispatcher(function)
        if made is not None:
            _refuse_options("njit", options)
            return BoundNjitFunction(made, queue)
        return BoundNjitFunction(_njit.njit(**options)(function), queue)

    def chosen(named: Place | None) -> Queue:
        return queue if named is None else find_queue(named)

    def call_kernel(
        function: Kernel | BoundKernel,
        range: AnyRange,
        /,
        *arguments: object,
        queue: Place | None = None,
        **keywords: object,
    ) -> None:
        """Run a kernel over a range on the module's queue; see `situ.call_kernel`."""
        BoundKernel(_plain(function), chosen(queue))[range](*arguments, **keywords)

    def call_kernel_async(
        function: Kernel | BoundKernel,
        range: AnyRange,
        dependent_events: Iterable[Event] = (),
        /,
        *arguments: object,
        queue: Place | None = None,
        **keywords: object,
    ) -> Event:
        """Submit a kernel over a range to the module's queue; see `situ.call_kernel_async`."""
        events = list(dependent_events)
        bound = BoundKernel(_plain(function), chosen(queue))
        return bound[range].submit(*arguments, depends=events or None, **keywords)

    return {
        "call_kernel": call_kernel,
        "call_kernel_async": call_kernel_async,
        "jit": njit,
        "kernel": kernel,
        "njit": njit,
    }


def _refuse_options(decorator: str, options: dict[str, bool]) -> None:
    if options:
        msg = (
            f"`lib.{decorator}` got options for a function that is compiled already\n"
            f"  why:  {', '.join(f'`{name}`' for name in options)} would have no effect on it\n"
            f"  help: leave them out, or give them to `@situ.{decorator}` where it is defined"
        )
        raise KernelTypeError(msg)


def _plain(kernel: object) -> Kernel:
    found = kernel.kernel if isinstance(kernel, BoundKernel) else kernel
    if isinstance(found, Kernel):
        return found
    kind = type(found).__name__
    msg = (
        f"`call_kernel` takes a kernel, its range and its arguments, not a `{kind}`\n"
        "  why:  only functions decorated with `@situ.kernel` run on a device\n"
        "  help: decorate it, or call it as it is"
    )
    raise KernelTypeError(msg)
