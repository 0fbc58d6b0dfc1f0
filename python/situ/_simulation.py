"""Kernels in plain Python: each work-item is a call of the function.

`Kernel.simulate` runs a kernel here, where breakpoints and `print` work. The functions that ask for
the place of a work-item find it in `current`. Work-items run one at a time, in order. Those of a
group that waits for each other are threads that pass a baton: one runs until it waits or ends, then
the next one does, so that a run is the same every time and a debugger sees one of them at once.

Nothing here is compiled, and nothing here is quick.
"""

import inspect
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from math import prod
from types import CodeType, FrameType, FunctionType
from typing import Any, SupportsIndex, cast

import numpy as np
import numpy.typing as npt

from situ._native import DeviceFunction, LocalAccessor, from_numpy, ndarray
from situ.exceptions import KernelError, ShapeError

__all__ = [
    "WorkItem",
    "atomically",
    "current",
    "in_simulation",
    "linear_id",
    "on_numbers",
    "simulate",
    "undefined_array",
]

# Names of the functions that wait for the whole group. A kernel that mentions none of them, itself
# or in the functions it calls, needs no threads.
MEETING_NAMES = {
    "barrier",
    "group_barrier",
    "all_of_group",
    "any_of_group",
    "none_of_group",
    "group_broadcast",
    "reduce_over_group",
    "inclusive_scan_over_group",
    "exclusive_scan_over_group",
}

# How many work-items a sub-group has in a simulation; devices choose their own.
SUB_GROUP_SIZE = 8

_current: ContextVar["WorkItem | None"] = ContextVar("work_item", default=None)
_atomic_lock = threading.Lock()


def current(name: str) -> "WorkItem":
    """Return the running work-item, for the function with this name."""
    item = _current.get()
    if item is None:
        message = (
            f"`{name}` was called outside of a kernel\n"
            f"  why:  it asks about the running work-item, and ordinary Python code is none\n"
            f"  help: call it in a function decorated with `@situ.kernel` or `@situ.device_func`"
        )
        raise KernelError(message)
    return item


def in_simulation() -> bool:
    """Whether a simulated work-item is running."""
    return _current.get() is not None


def on_numbers(name: str, *operands: object) -> Any:  # noqa: ANN401 - a number
    """Apply an element-wise function to the numbers of a simulated kernel: NumPy's."""
    return getattr(np, name)(*operands)


class WorkItem:
    """One work-item of a simulated launch."""

    def __init__(self, group: "WorkGroup", local_id: tuple[int, ...]) -> None:
        self.group = group
        self.local_id = local_id
        self.global_id = tuple(
            place * size + own
            for place, size, own in zip(group.index, group.local_size, local_id, strict=True)
        )
        self.local_linear_id = linear_id(group.local_size, local_id)
        # How many local arrays it has made: the group's first, second and so on.
        self.local_arrays = 0

    @property
    def sub_group_id(self) -> int:
        """Which sub-group of the group it is in."""
        return self.local_linear_id // SUB_GROUP_SIZE

    @property
    def sub_group_local_id(self) -> int:
        """Its position in the sub-group."""
        return self.local_linear_id % SUB_GROUP_SIZE

    @property
    def sub_group_count(self) -> int:
        """How many sub-groups the group has."""
        return -(-prod(self.group.local_size) // SUB_GROUP_SIZE)

    @property
    def sub_group_size(self) -> int:
        """How many work-items its sub-group has; the last one of a group may be smaller."""
        rest = prod(self.group.local_size) - self.sub_group_id * SUB_GROUP_SIZE
        return min(rest, SUB_GROUP_SIZE)

    def local_array(self, shape: int | Sequence[int], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Return the group's next local array; the first work-item that asks makes it."""
        arrays = self.group.local_arrays
        if self.local_arrays == len(arrays):
            arrays.append(undefined_array(shape, dtype))
        self.local_arrays += 1
        return arrays[self.local_arrays - 1]

    def meet(self, what: str, contribution: object = None) -> list[Any]:
        """Wait for the whole group; return what each work-item contributes, by linear local id."""
        return self.group.meet(self, what, contribution)


class WorkGroup:
    """The work-items that share local memory and wait for each other."""

    def __init__(
        self, index: tuple[int, ...], global_size: tuple[int, ...], local_size: tuple[int, ...]
    ) -> None:
        self.index = index
        self.global_size = global_size
        self.local_size = local_size
        self.local_arrays: list[npt.NDArray[Any]] = []
        self.items = [WorkItem(self, place) for place in places(local_size)]
        self._turns: _Turns | None = None

    @property
    def group_count(self) -> tuple[int, ...]:
        """How many groups there are along each dimension."""
        sizes = zip(self.global_size, self.local_size, strict=True)
        return tuple(size // group for size, group in sizes)

    def run(self, call: Callable[[WorkItem], None], waits: bool) -> None:
        """Run every work-item; in threads if they wait for each other."""
        if waits and len(self.items) > 1:
            self._turns = _Turns(self.items)
            self._turns.run(call)
            return
        for item in self.items:
            _call_as(item, call)

    def meet(self, item: WorkItem, what: str, contribution: object) -> list[Any]:
        """Wait until every work-item is here; return what each of them contributes."""
        if self._turns is None:
            return [contribution]
        return self._turns.meet(item, what, contribution)


class _Turns:
    """Work-items as threads of which one runs at a time."""

    def __init__(self, items: list[WorkItem]) -> None:
        self._items = items
        self._waiting: dict[int, tuple[str, str, object]] = {}
        self._ended: set[int] = set()
        self._baton = [threading.Semaphore(0) for _ in items]
        self._host = threading.Semaphore(0)
        self._results: list[Any] = []
        self._error: BaseException | None = None

    def run(self, call: Callable[[WorkItem], None]) -> None:
        threads = [
            threading.Thread(target=self._run_one, args=(item, call), daemon=True)
            for item in self._items
        ]
        for thread in threads:
            thread.start()
        while len(self._ended) < len(self._items):
            self._waiting.clear()
            for position in range(len(self._items)):
                if position not in self._ended:
                    self._baton[position].release()
                    self._host.acquire()
            # Everyone has run until it ended or waits.
            if self._error is None and self._waiting:
                self._check_meeting()
        for thread in threads:
            thread.join()
        if self._error is not None:
            raise self._error

    def _run_one(self, item: WorkItem, call: Callable[[WorkItem], None]) -> None:
        self._baton[item.local_linear_id].acquire()
        try:
            if self._error is None:
                _call_as(item, call)
        except _GivenUpError:
            pass
        except BaseException as error:
            self._error = self._error or error
        self._ended.add(item.local_linear_id)
        self._host.release()

    def meet(self, item: WorkItem, what: str, contribution: object) -> list[Any]:
        position = item.local_linear_id
        self._waiting[position] = (what, _user_line(), contribution)
        self._host.release()
        self._baton[position].acquire()
        if self._error is not None:
            raise _GivenUpError
        return self._results

    def _check_meeting(self) -> None:
        """Let the group go on, or say why it never will."""
        places = {(what, line) for what, line, _ in self._waiting.values()}
        if not self._ended and len(places) == 1:
            order = sorted(self._waiting)
            self._results = [self._waiting[position][2] for position in order]
            return
        first = min(self._waiting)
        what, line, _ = self._waiting[first]
        if self._ended:
            missing = self._items[min(self._ended)].global_id
            why = f"work-item {missing} has ended"
        else:
            other = next(
                position for position, seen in self._waiting.items() if seen[:2] != (what, line)
            )
            there = self._waiting[other]
            why = f"work-item {self._items[other].global_id} waits at `{there[0]}` in {there[1]}"
        message = (
            f"not every work-item of the group reaches `{what}` in {line}\n"
            f"  why:  work-item {self._items[first].global_id} waits there, but {why}\n"
            f"  help: move it out of the branch or loop that only some of them take"
        )
        self._error = KernelError(message)


class _GivenUpError(Exception):
    """Ends the thread of a work-item whose group has failed."""


def _call_as(item: WorkItem, call: Callable[[WorkItem], None]) -> None:
    token = _current.set(item)
    try:
        # Kernels divide by zero and overflow without a word.
        with np.errstate(all="ignore"):
            call(item)
    except Exception as error:
        error.add_note(f"in work-item {item.global_id} of a simulated kernel")
        raise
    finally:
        _current.reset(token)


def simulate(
    function: FunctionType,
    arguments: Sequence[Any],
    sizes: tuple[tuple[int, ...], tuple[int, ...] | None] | None,
    takes_item: bool,
) -> None:
    """Run a kernel's function over a range, and write what it changed back to its arrays."""
    from situ.kernel_api._items import Group, Item, NdItem
    from situ.kernel_api._ranges import Range

    global_size, chosen = sizes or (_common_shape(function.__name__, arguments), None)
    # Where nobody chose a local size, groups of one are as good as any other.
    local_size = chosen if chosen is not None else tuple(1 for _ in global_size)
    views = [_View(argument) for argument in arguments]
    waits = _may_wait(function)
    group_count = tuple(size // group for size, group in zip(global_size, local_size, strict=True))
    for index in places(group_count):
        group = WorkGroup(index, global_size, local_size)
        seen = [view.for_group() for view in views]

        def call(item: WorkItem, group: WorkGroup = group, seen: list[Any] = seen) -> None:
            if not takes_item:
                function(*seen)
                return
            place = Item(Range(*global_size), item.global_id)
            if chosen is None:
                function(place, *seen)
                return
            own = Item(Range(*local_size), item.local_id)
            ranges = (Range(*global_size), Range(*local_size), Range(*group.group_count))
            function(NdItem(place, own, Group(*ranges, group.index)), *seen)

        group.run(call, waits)
    for view in views:
        view.write_back()


def _common_shape(name: str, arguments: Sequence[Any]) -> tuple[int, ...]:
    """Return the shape that all arrays have, which a launch without a range runs over."""
    shapes: set[tuple[int, ...]] = set()
    for argument in arguments:
        if isinstance(argument, ndarray):
            shapes.add(argument.shape)
        elif isinstance(argument, np.ndarray):
            shapes.add(cast("npt.NDArray[Any]", argument).shape)
    if len(shapes) == 1 and 1 <= len(shape := shapes.pop()) <= 3:
        return shape
    message = (
        f"kernel `{name}` needs a range\n"
        f"  why:  its arrays have no common shape of one to three dimensions to run over\n"
        f"  help: say how many work-items there are, e.g. `{name}[n].simulate(...)`"
    )
    raise ShapeError(message)


class _View:
    """An argument as the simulated kernel sees it."""

    def __init__(self, argument: object) -> None:
        self._argument = argument
        self._host: Any = argument
        self._is_copy = False
        if isinstance(argument, ndarray):
            try:
                # The same memory, so that arrays which overlap do so here as well.
                self._host = np.from_dlpack(argument, copy=False)
            except (BufferError, RuntimeError, TypeError, ValueError):
                self._host = argument.to_numpy()
                self._is_copy = True
            if not self._host.flags.writeable and not self._is_copy:
                self._host = argument.to_numpy()
                self._is_copy = True

    def for_group(self) -> Any:  # noqa: ANN401 - whatever was passed
        if isinstance(self._argument, LocalAccessor):
            return undefined_array(self._argument.shape, self._argument.dtype)
        return self._host

    def write_back(self) -> None:
        if self._is_copy and isinstance(self._argument, ndarray):
            self._argument[...] = from_numpy(self._host, device=self._argument)


def places(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Go through all positions, the last dimension fastest."""
    return itertools.product(*(range(size) for size in sizes))


def linear_id(sizes: Sequence[int], place: Sequence[int]) -> int:
    """Return the row-major position."""
    position = 0
    for size, index in zip(sizes, place, strict=True):
        position = position * size + index
    return position


def undefined_array(shape: int | Sequence[int], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Make an array whose elements nobody should read yet: NaN, or the largest integer."""
    made = np.empty(shape, dtype)
    if made.dtype.kind in "iu":
        made[...] = np.iinfo(made.dtype).max
    elif made.dtype.kind in "fc":
        made[...] = np.nan
    else:
        made[...] = True
    return made


def atomically(
    array: ndarray,
    index: SupportsIndex | tuple[SupportsIndex, ...],
    new: Callable[[Any], Any],
) -> Any:  # noqa: ANN401 - a number of the array's dtype
    """Replace an element by a function of it; return what it was before."""
    host = cast("npt.NDArray[Any]", array)
    with _atomic_lock:
        old = host[index]
        host[index] = new(old)
        return old


def _may_wait(function: FunctionType) -> bool:
    """Whether a function, or one that it calls, mentions something that waits for the group."""
    seen: set[int] = set()
    waiting: list[FunctionType] = [function]
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        names = _names(each.__code__)
        if names & MEETING_NAMES:
            return True
        cells = each.__closure__ or ()
        around = [each.__globals__[name] for name in names if name in each.__globals__]
        for cell in cells:
            try:
                around.append(cell.cell_contents)
            except ValueError:
                continue
        waiting.extend(thing.__wrapped__ for thing in around if isinstance(thing, DeviceFunction))
    return False


def _names(code: CodeType) -> set[str]:
    """Return the names a function uses, also in functions inside of it."""
    names = {*code.co_names, *code.co_freevars}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names


def _user_line() -> str:
    """Return the place in the user's file that called into this package."""
    frame: FrameType | None = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("situ"):
        frame = frame.f_back
    if frame is None:
        return "an unknown place"
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
