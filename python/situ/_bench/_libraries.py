"""The libraries that are compared: how each gets its arrays, runs the work and finishes it.

A library is imported in its worker only (`_worker`), never in the process that compares.
"""

import importlib.metadata
import importlib.util
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

import situ
from situ._bench import _work
from situ._bench._work import Work
from situ._native import Device

Host = npt.NDArray[Any]
Call = Callable[[], Any]

# Every library, in the order of the table; NumPy is what all are measured by.
NAMES = ("numpy", "situ", "numba", "dpnp", "jax")
TITLES = {"numpy": "NumPy", "situ": "situ", "numba": "Numba", "dpnp": "dpnp", "jax": "JAX"}


class NotForThisLibraryError(Exception):
    """A library cannot do a line's work, which is no failure."""


class Library(Protocol):
    """What a worker asks of its library."""

    # What it raises for work that it cannot do.
    refusals: tuple[type[Exception], ...]
    # Whether a result may be pending when a call returns.
    is_asynchronous: bool

    def asarray(self, host: Host) -> Any:
        """Return the library's array with the host's data, and wait until it is there."""
        ...

    def copied(self, host: Host) -> Any:
        """Return a new array of the library with a copy of the host's data; it may be pending."""
        ...

    def broadcast_to(self, array: Any, shape: tuple[int, ...]) -> Any:
        """Return a view that repeats an array."""
        ...

    def prepared(self, work: Work, *, is_data_dependent: bool) -> Work:
        """Return the work as this library runs it."""
        ...

    def finish(self, result: Any) -> None:
        """Wait until a result is computed."""
        ...

    def to_host(self, result: Any) -> Host:
        """Return a result as an array of NumPy."""
        ...


class NumPy:
    """NumPy, as it is."""

    refusals: tuple[type[Exception], ...] = ()
    is_asynchronous = False

    def asarray(self, host: Host) -> Any:
        """Return the data itself."""
        return host

    def copied(self, host: Host) -> Any:
        """Copy the data."""
        return host.copy()

    def broadcast_to(self, array: Any, shape: tuple[int, ...]) -> Any:
        """Return a view that repeats an array."""
        return np.broadcast_to(array, shape)

    def prepared(self, work: Work, *, is_data_dependent: bool) -> Work:
        """Call NumPy's functions."""
        return _work.bound(work, np)

    def finish(self, result: Any) -> None:
        """There is nothing to wait for."""

    def to_host(self, result: Any) -> Host:
        """Return the result."""
        return np.asarray(result)


class Numba(NumPy):
    """Functions that Numba compiles for all threads, on NumPy's arrays."""

    def __init__(self) -> None:
        """Import it."""
        self._numba: Any = importlib.import_module("numba")
        errors: Any = importlib.import_module("numba.core.errors")
        self.refusals: tuple[type[Exception], ...] = (
            errors.NumbaError,
            NotImplementedError,
            ImportError,
        )
        # It warns of work that it cannot run in parallel; the times say so too.
        warnings.simplefilter("ignore", errors.NumbaWarning)

    def copied(self, host: Host) -> Any:
        """Refuse: these are NumPy's arrays, and NumPy copies them."""
        message = "Numba works on arrays of NumPy"
        raise NotForThisLibraryError(message)

    def prepared(self, work: Work, *, is_data_dependent: bool) -> Work:
        """Compile the work at its first call."""
        return self._numba.njit(parallel=True)(_work.bound(work, np))


class Situ:
    """situ, on one device."""

    refusals: tuple[type[Exception], ...] = ()
    is_asynchronous = True

    def __init__(self, device: Device) -> None:
        """Choose the device."""
        self.device = device

    def asarray(self, host: Host) -> Any:
        """Copy the data to the device."""
        array = self.copied(host)
        array.queue.wait()
        return array

    def copied(self, host: Host) -> Any:
        """Copy the data to the device."""
        if host.dtype.itemsize >= 8 and host.dtype.kind in "fc" and not self._has_dtype(host.dtype):
            message = f"{self.device.filter_string} has no float64"
            raise NotForThisLibraryError(message)
        return situ.asarray(host, device=self.device, copy=True)

    def _has_dtype(self, dtype: np.dtype[Any]) -> bool:
        return dtype == np.complex64 or self.device.has_aspect("fp64")

    def broadcast_to(self, array: Any, shape: tuple[int, ...]) -> Any:
        """Return a view that repeats an array."""
        return situ.broadcast_to(array, shape)

    def prepared(self, work: Work, *, is_data_dependent: bool) -> Work:
        """Call situ's functions."""
        return _work.bound(work, situ)

    def finish(self, result: Any) -> None:
        """Wait for the queue of the result."""
        # Part of what is timed, so it does as little as can be.
        (result[-1] if issubclass(type(result), tuple) else result).queue.wait()

    def to_host(self, result: Any) -> Host:
        """Copy the result."""
        return result.to_numpy()


class Dpnp:
    """dpnp, on its default device."""

    refusals: tuple[type[Exception], ...] = (NotImplementedError,)
    is_asynchronous = True

    def __init__(self) -> None:
        """Import it, and see whether it has a device."""
        self._dpnp: Any = importlib.import_module("dpnp")
        self._dpnp.zeros(1)

    def asarray(self, host: Host) -> Any:
        """Copy the data to the device."""
        array = self.copied(host)
        self.finish(array)
        return array

    def copied(self, host: Host) -> Any:
        """Copy the data to the device."""
        return self._dpnp.array(host)

    def broadcast_to(self, array: Any, shape: tuple[int, ...]) -> Any:
        """Return a view that repeats an array."""
        return self._dpnp.broadcast_to(array, shape)

    def prepared(self, work: Work, *, is_data_dependent: bool) -> Work:
        """Call dpnp's functions."""
        return _work.bound(work, self._dpnp)

    def finish(self, result: Any) -> None:
        """Wait for the queue of the result."""
        (result[-1] if issubclass(type(result), tuple) else result).sycl_queue.wait()

    def to_host(self, result: Any) -> Host:
        """Copy the result."""
        return self._dpnp.asnumpy(result)


class Jax:
    """JAX on the processor, its functions compiled as a whole."""

    refusals: tuple[type[Exception], ...] = (NotImplementedError,)
    is_asynchronous = True

    def __init__(self) -> None:
        """Import it, with float64."""
        self._jax: Any = importlib.import_module("jax")
        self._jax.config.update("jax_enable_x64", True)
        self._jax.config.update("jax_platforms", "cpu")
        self._numpy: Any = importlib.import_module("jax.numpy")

    def asarray(self, host: Host) -> Any:
        """Copy the data."""
        return self.copied(host).block_until_ready()

    def copied(self, host: Host) -> Any:
        """Copy the data."""
        return self._numpy.array(host, copy=True)

    def broadcast_to(self, array: Any, shape: tuple[int, ...]) -> Any:
        """Return an array that repeats another one."""
        return self._numpy.broadcast_to(array, shape)

    def prepared(self, work: Work, *, is_data_dependent: bool) -> Work:
        """Compile the work at its first call, if its shapes are known."""
        function = _work.bound(work, self._numpy)
        return function if is_data_dependent else self._jax.jit(function)

    def finish(self, result: Any) -> None:
        """Wait for every part of the result."""
        self._jax.block_until_ready(result)

    def to_host(self, result: Any) -> Host:
        """Copy the result."""
        return np.asarray(result)


def opened(name: str, device: str | None) -> Library:
    """Import a library and return what a worker needs of it."""
    makers: dict[str, Callable[[], Library]] = {
        "numpy": NumPy,
        "numba": Numba,
        "situ": lambda: Situ(Device(device) if device is not None else Device()),
        "dpnp": Dpnp,
        "jax": Jax,
    }
    return makers[name]()


def is_installed(name: str) -> bool:
    """Return whether a library can be imported, without doing so."""
    return importlib.util.find_spec(name) is not None


def installed_version(name: str) -> str | None:
    """Return the version of a library, if it is installed."""
    if name == "situ":
        return situ.__version__
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def parts(result: Any) -> Sequence[Any]:
    """Return the arrays of a result: itself, or each of a tuple."""
    return list(cast("tuple[Any, ...]", result)) if isinstance(result, tuple) else [result]
