"""Bound modules: all functions of a module, on one queue.

`situ.offload_to` makes a queue and a module-like object over situ whose functions run there and
nowhere else. There is no state to set: two bound modules, of one package or of several, do not know
of each other. Arrays that a bound module makes belong to its queue, and nothing else makes arrays
there by itself; so the queue of an array tells which module it came from, through views and
arithmetic, and no array has to remember it.
"""

import difflib
import functools
import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NoReturn, cast

import numpy as np

from situ import _native
from situ._bound_functions import Call, bind_function
from situ._bound_kernels import COMPILERS, BoundKernel, BoundNjitFunction, compilers
from situ._namespace import ARRAY_NAMESPACES, BOUND_MODULES
from situ._native import Device, Kernel, NjitFunction, Queue
from situ._njit import of_dispatcher
from situ._queue_manager import SITU, Place, QueueManager

__all__ = ["BoundModule", "offload", "on_queue"]

# What is a function, as opposed to an object that can be called.
_FUNCTIONS: tuple[type[Any], ...] = (
    FunctionType,
    BuiltinFunctionType,
    functools.partial,
    type(functools.cache(abs)),
    np.ufunc,
)

# The parts of situ that have functions of arrays; kernels use the others.
_PARTS = ("situ.fft", "situ.linalg", "situ.random")

_STAYS = "its queue was made together with it and stays"


@dataclass(frozen=True)
class _Rules:
    """What is special about the names of a module.

    Attributes
    ----------
    hidden : mapping of str to (str, str)
        Names that bound modules do not have: why, and what to do instead.
    unbound : frozenset of str
        Functions that look at arrays and compute nothing.
    written : mapping of str to tuple of str
        Functions that change arrays: the names of the parameters.
    by_annotation : bool
        Whether annotations tell which parameters are arrays.
    managers : tuple of QueueManager
        Those whose default is the queue during a call.
    """

    hidden: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    unbound: frozenset[str] = frozenset()
    written: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    by_annotation: bool = False
    managers: tuple[QueueManager, ...] = ()


_SITU = _Rules(
    hidden={
        "global_queue": (_STAYS, "ask `situ.global_queue()`"),
        "host_data_on": (
            "its kernels take NumPy arrays as they are",
            "make the kernel with `lib.kernel`, and call it",
        ),
        "on": (_STAYS, "bind the module of situ, e.g. `situ.linalg.on(queue)`"),
        "placement_of": ("all its functions run on its own queue", "that is `lib.queue`"),
        "reset_global_queue": (_STAYS, "call `situ.reset_global_queue()`"),
        "set_global_queue": (_STAYS, "make another one, e.g. `situ.offload_to(selector)`"),
    },
    unbound=frozenset(
        {
            "broadcast_shapes",
            "can_cast",
            "device_func",
            "devices",
            "finfo",
            "get_include",
            "iinfo",
            "iscomplexobj",
            "isdtype",
            "isrealobj",
            "may_share_memory",
            "ndim",
            "platforms",
            "queues_equivalent",
            "result_type",
            "save",
            "savez",
            "savez_compressed",
            "shape",
            "size",
        }
    ),
    written={"copyto": ("target",), "place": ("x",), "put": ("x",), "putmask": ("x",)},
    by_annotation=True,
)


class BoundModule(ModuleType):
    """A module-like object whose functions run on one queue.

    `situ.offload_to` makes one over situ; `QueueManager.offload_to` makes one over a package. It
    has the public names of the module: functions run on the queue, kernels and njit functions as
    well, submodules are bound to the same queue, and everything else is as it is there.

    Functions take any mix of arrays: what is accessible from the queue is used in place, and the
    rest (NumPy arrays, arrays of other devices) is copied there first. An explicit ``queue=`` or
    ``device=`` goes before the module's queue, for that one call.

    Attributes
    ----------
    queue : Queue
        The queue. It cannot be changed.
    device : Device
        The queue's device.
    """

    def __init__(self, source: ModuleType, queue: Queue, name: str, rules: _Rules) -> None:
        super().__init__(name, source.__doc__)
        own: dict[str, object] = {
            "_source": source,
            "_queue": queue,
            "_rules": rules,
        }
        self.__dict__.update(own)

    @property
    def queue(self) -> Queue:
        """The queue that all functions run on."""
        return self.__dict__["_queue"]

    @property
    def device(self) -> Device:
        """The device of the queue."""
        return self.queue.device

    def get_queue(self) -> Queue:
        """Return the queue that all functions run on."""
        return self.queue

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the module has
        source, rules = self.__dict__["_source"], self.__dict__["_rules"]
        if not _is_public(source, name):
            self._refuse_unknown(name)
        value = getattr(source, name)
        bound = self._bound(name, value, rules)
        if bound is not value:
            # Found without coming here, from now on.
            self.__dict__[name] = bound
        return bound

    def _bound(self, name: str, value: Any, rules: _Rules) -> object:  # noqa: ANN401
        if name in rules.hidden:
            self._refuse_hidden(name, *rules.hidden[name])
        if isinstance(getattr(value, "__self__", None), QueueManager):
            package = self.__dict__["_source"].__name__
            self._refuse_hidden(
                name, _STAYS, f"make another one, e.g. `{package}.offload_to(selector)`"
            )
        if rules is _SITU and name in COMPILERS:
            return compilers(self.queue)[name]
        if name == "__array_namespace_info__":
            return self._info(value)
        if isinstance(value, Kernel):
            return BoundKernel(value, self.queue)
        njit_function = value if isinstance(value, NjitFunction) else of_dispatcher(value)
        if njit_function is not None:
            return BoundNjitFunction(njit_function, self.queue)
        if isinstance(value, ModuleType) and self._is_part(value):
            return BoundModule(value, self.queue, f"{self.__name__}.{name}", rules)
        if isinstance(value, _FUNCTIONS) and not _is_unbound(value, rules):
            function = cast("Callable[..., Any]", value)
            return bind_function(function, self._call(name, rules))
        return value

    def _call(self, name: str, rules: _Rules) -> Call:
        return Call(
            queue=self.queue,
            owner=self.__name__,
            managers=rules.managers,
            written=rules.written.get(name, ()),
            by_annotation=rules.by_annotation,
        )

    def _info(self, make: Callable[..., Any]) -> Callable[[], Any]:
        def info() -> object:
            """Return what this namespace can do, as the array API standard asks."""
            return make(self.queue)

        return info

    def _is_part(self, module: ModuleType) -> bool:
        source = self.__dict__["_source"].__name__
        return module.__name__.startswith(f"{source}.") and (
            source != "situ" or module.__name__ in _PARTS
        )

    def _refuse_unknown(self, name: str) -> NoReturn:
        close = difflib.get_close_matches(name, dir(self), 3)
        help_ = (
            f"did you mean {' or '.join(f'`{other}`' for other in close)}?"
            if close
            else f"it has the public names of `{self.__dict__['_source'].__name__}`; see `dir(...)`"
        )
        msg = f"{self.__name__} has no attribute `{name}`\n  help: {help_}"
        raise AttributeError(msg, name=name, obj=self)

    def _refuse_hidden(self, name: str, why: str, help_: str) -> NoReturn:
        msg = f"{self.__name__} has no `{name}`\n  why:  {why}\n  help: {help_}"
        raise AttributeError(msg, name=name, obj=self)

    def __setattr__(self, name: str, value: object) -> None:
        self._refuse_change(f"set `{name}` of", name)

    def __delattr__(self, name: str) -> None:
        self._refuse_change(f"delete `{name}` of", name)

    def _refuse_change(self, what: str, name: str) -> NoReturn:
        why = _STAYS if name in ("queue", "device") else "it shows what its module has"
        msg = (
            f"cannot {what} {self.__name__}\n"
            f"  why:  {why}\n"
            "  help: make another one, e.g. `situ.offload_to(selector)`, or keep what is yours "
            "elsewhere"
        )
        raise AttributeError(msg, name=name, obj=self)

    def __dir__(self) -> list[str]:
        source, hidden = self.__dict__["_source"], self.__dict__["_rules"].hidden
        names = {
            name
            for name in _public_names(source)
            if name not in hidden
            and not isinstance(getattr(getattr(source, name), "__self__", None), QueueManager)
        }
        return sorted(names | {"device", "get_queue", "queue", "__name__", "__doc__"})

    def __repr__(self) -> str:
        return f"<bound module {self.__name__} on {self.queue!r}>"

    def __copy__(self) -> "BoundModule":
        return self

    def __deepcopy__(self, seen: dict[int, object]) -> "BoundModule":
        return self

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str, Queue]]:
        return _restore, (self.__dict__["_source"].__name__, self.queue)


def offload(manager: QueueManager, package: str, selector: Place | None) -> BoundModule:
    """Return a module over a package whose functions run on a queue that is made here."""
    source = _package(package)
    model = manager.current() if selector is None else _native.find_queue(selector)
    queue = Queue(
        model.context,
        model.device,
        in_order=model.in_order,
        enable_profiling=model.enable_profiling,
    )
    return _register(source, queue, manager)


def _name(source: ModuleType, queue: Queue) -> str:
    return f"{source.__name__}.offload_to({queue.device.filter_string!r})"


def _register(source: ModuleType, queue: Queue, manager: QueueManager) -> BoundModule:
    """Make a bound module that arrays of its queue lead to.

    It stays until the process ends, like a module that was imported.
    """
    rules = _SITU if manager is SITU else _Rules(managers=(manager, SITU))
    module = BoundModule(source, queue, _name(source, queue), rules)
    BOUND_MODULES[queue] = module
    namespace = module
    if not hasattr(source, "__array_namespace_info__"):
        # Arrays must lead to functions of arrays, which not every package is made of.
        situ = sys.modules["situ"]
        namespace = BoundModule(situ, queue, _name(situ, queue), _SITU)
    ARRAY_NAMESPACES[queue] = namespace
    return module


def _package(name: str) -> ModuleType:
    found = sys.modules.get(name)
    if found is None:
        msg = (
            f"cannot bind the functions of `{name}`: there is no module of that name\n"
            "  why:  a `QueueManager` finds the package that it belongs to by its name\n"
            "  help: in the package's `__init__.py`, make it with `situ.QueueManager(__name__)`"
        )
        raise ModuleNotFoundError(msg, name=name)
    return found


def _is_unbound(function: object, rules: _Rules) -> bool:
    # Kernels call the functions of work-items, and look for these very objects.
    is_of_kernels = getattr(function, "__module__", None) == "situ._work_items"
    return is_of_kernels or getattr(function, "__name__", None) in rules.unbound


def _is_public(source: ModuleType, name: str) -> bool:
    exported: list[str] | None = getattr(source, "__all__", None)
    if exported is not None:
        return name in exported or (name.startswith("__array") and hasattr(source, name))
    return not name.startswith("_") and hasattr(source, name)


def _public_names(source: ModuleType) -> list[str]:
    exported: list[str] | None = getattr(source, "__all__", None)
    return exported if exported is not None else [n for n in dir(source) if n[0] != "_"]


def _restore(source: str, queue: Queue) -> BoundModule:
    """Return a bound module that was pickled, on the queue that its queue came back as."""
    module = importlib.import_module(source)
    make = getattr(module, "offload_to", None)
    return on_queue(module, queue) if make is None else make(queue)


def on_queue(source: ModuleType, queue: Place | None) -> BoundModule:
    """Return a part of situ, bound to a queue that exists already; None means the default."""
    found = SITU.current() if queue is None else _native.find_queue(queue)
    name = f"{source.__name__}.on({found.device.filter_string!r})"
    return BoundModule(source, found, name, _SITU)
