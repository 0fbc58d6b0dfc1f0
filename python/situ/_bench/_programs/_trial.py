"""A program that one library runs: on fresh inputs, timed, and compared with NumPy.

A program may write its arguments. Whether it does is found out in the first call; then every call
has copies, which are made outside of what is timed.
"""

import time
from typing import Any, cast

import numpy as np
import numpy.typing as npt

import situ
from situ._bench._libraries import Host, Library, parts
from situ._bench._programs import _contestants
from situ._bench._programs._program import Program

# How far results may be off, as a share of the largest element: by the size of the real numbers.
# Sums in another order differ, and programs make many of them.
_TOLERANCES = {2: 1e-2, 4: 2e-4, 8: 1e-9}

# A call that takes longer is not made only to warm up.
_WARM_UP_SECONDS = 0.3


class Trial:
    """A program in a style, with its arguments, as a library runs it."""

    def __init__(self, program: Program, style: str, library_name: str, library: Library) -> None:
        """Load the program; nothing is compiled yet."""
        self._program = program
        self._library = library
        self._work = _contestants.prepared(program, style, library_name)
        self._host: tuple[Any, ...] = ()
        self._own: list[Any] = []
        self._is_written = True
        self._last_s = 0.0

    def first_call(self, size: dict[str, Any]) -> tuple[float, str | None]:
        """Make the arguments, call the program, and return its time and how it is wrong, if so."""
        self._host = self._program.inputs(size)
        self._own = [self._brought(value) for value in self._host]
        arguments = self.arguments()
        result = self._timed(arguments)
        # What the compiler took says nothing about the next call.
        first_s, self._last_s = self._last_s, 0.0
        own = [self._to_host(part) for part in parts(result)]
        after = [self._to_host(value) for value in arguments]
        self._is_written = any(
            not np.array_equal(one, np.asarray(other))
            for one, other in zip(after, self._host, strict=True)
        )
        expected = self._program.reference(*(_copied(value) for value in self._host))
        wanted = [np.asarray(part) for part in parts(expected)]
        return first_s, difference(own, wanted)

    def samples(self, length_s: float, warm_up: bool) -> list[float]:
        """Call the program for about so many seconds, at least once; return the times."""
        if warm_up and self._last_s < _WARM_UP_SECONDS:
            self._timed(self.arguments())
        end = time.perf_counter() + length_s
        found: list[float] = []
        while not found or time.perf_counter() < end:
            self._timed(self.arguments())
            found.append(self._last_s)
        return found

    def _timed(self, arguments: list[Any]) -> Any:
        start = time.perf_counter()
        result = self._work(*arguments)
        for value in parts(result):
            if isinstance(value, situ.ndarray):
                value.queue.wait()
        for value in arguments:
            if isinstance(value, situ.ndarray):
                # The others are on the same queue.
                value.queue.wait()
                break
        self._last_s = time.perf_counter() - start
        return result

    def arguments(self) -> list[Any]:
        """Return the arguments of the next call: fresh ones if the last call wrote them."""
        if not self._is_written:
            return self._own
        copies = [_copied(value) for value in self._own]
        for value in copies:
            if isinstance(value, situ.ndarray):
                value.queue.wait()
        return copies

    def _brought(self, value: Any) -> Any:
        return self._library.asarray(cast("Host", value)) if _is_array(value) else value

    def _to_host(self, value: Any) -> Host:
        is_own = isinstance(value, situ.ndarray)
        return self._library.to_host(value) if is_own else np.asarray(value)


def _copied(value: Any) -> Any:
    return value.copy() if _is_array(value) else value


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray | situ.ndarray)


def difference(own: list[Host], wanted: list[Host]) -> str | None:
    """Return how results differ from NumPy's, or nothing if they agree."""
    if len(own) != len(wanted):
        return f"it has {len(own)} results, and NumPy has {len(wanted)}"
    for part, expected in zip(own, wanted, strict=True):
        if part.shape != expected.shape:
            return f"its result has shape {part.shape}, and NumPy's has {expected.shape}"
        if part.ndim > 0 and part.dtype != expected.dtype:
            return f"its result is {part.dtype}, and NumPy's is {expected.dtype}"
        if (problem := _values_differ(part, expected)) is not None:
            return problem
    return None


def _values_differ(part: Host, expected: Host) -> str | None:
    if expected.dtype.kind in "biu":
        count = int(np.sum(part != expected))
        differing = f"{count} of {expected.size} elements of its result are not NumPy's"
        return differing if count > 0 else None
    # Elements may be near zero by cancellation: what counts is how large the others are.
    scale = float(np.max(np.abs(expected), initial=0.0))
    off = float(np.max(np.abs(part - expected), initial=0.0))
    if off <= _tolerance(expected.dtype) * max(scale, 1e-300):
        return None
    return f"its result is off by {off:.3g} where NumPy's is up to {scale:.3g}"


def _tolerance(dtype: npt.DTypeLike) -> float:
    found = np.dtype(dtype)
    return _TOLERANCES[found.itemsize // (2 if found.kind == "c" else 1)]
