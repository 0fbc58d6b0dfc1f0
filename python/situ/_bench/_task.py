"""A piece of work that is ready to be timed by one library, and to be checked against NumPy."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from situ._bench import _scaling
from situ._bench._libraries import Call, Host, Library, NumPy, parts
from situ._bench._lines import Comparable, Line
from situ._bench._scaling import OPERATIONS, Cell
from situ._bench._work import Work


@dataclass
class Task:
    """Work with its arrays, as one library and as NumPy do it."""

    library: Library
    # What is timed: the work and the wait for its end.
    run: Call
    # The work alone, for its result.
    result: Call
    # The same by NumPy.
    expected: Call
    tolerance: float
    comparable: Comparable | None = None
    host: tuple[Host, ...] = ()

    def difference(self) -> str | None:
        """Return how the result differs from NumPy's, or nothing if they agree."""
        result = self.result()
        self.library.finish(result)
        own = [self.library.to_host(part) for part in parts(result)]
        expected = [np.asarray(part) for part in parts(self.expected())]
        if self.comparable is not None:
            own = self.comparable(self.host, own)
            expected = self.comparable(self.host, expected)
        return _difference(own, expected, self.tolerance)


def for_line(line: Line, size: int, library: Library) -> Task:
    """Make the arrays of a line and return its work."""
    host = line.inputs(size)
    if line.is_transfer:
        (source,) = host
        run = _finished(library, library.copied, [source])
        return Task(library, run, lambda: library.copied(source), source.copy, line.tolerance)
    work = library.prepared(line.work, is_data_dependent=line.is_data_dependent)
    reference = NumPy().prepared(line.work, is_data_dependent=False)
    own = [library.asarray(array) for array in host]
    return Task(
        library,
        partial(work, *own) if line.is_view else _finished(library, work, own),
        partial(work, *own),
        partial(reference, *host),
        line.tolerance,
        line.comparable,
        host,
    )


def for_cell(cell: Cell, library: Library) -> Task:
    """Make the arrays of a cell of the second table and return its work."""
    operation = OPERATIONS[cell.operation]
    work = library.prepared(operation.work, is_data_dependent=cell.operation == "mask")
    reference = NumPy().prepared(operation.work, is_data_dependent=False)
    own = _scaling.operands(cell, library)
    return Task(
        library,
        _finished(library, work, own),
        partial(work, *own),
        lambda: reference(*_scaling.operands(cell, NumPy())),
        operation.tolerance,
    )


def _finished(library: Library, work: Work, arrays: Sequence[Any]) -> Call:
    """Return the work with the wait for its end, with as little around it as can be."""
    if not library.is_asynchronous:
        return partial(work, *arrays)
    finish = library.finish
    if len(arrays) == 1:
        (array,) = arrays
        return lambda: finish(work(array))
    if len(arrays) == 2:
        first, second = arrays
        return lambda: finish(work(first, second))
    return lambda: finish(work(*arrays))


def _difference(own: Sequence[Host], expected: Sequence[Host], tolerance: float) -> str | None:
    for part, wanted in zip(own, expected, strict=True):
        if part.shape != wanted.shape:
            return f"its result has shape {part.shape}, and NumPy's has {wanted.shape}"
        # Elements may be near zero by cancellation: what counts is how large the others are.
        scale = float(np.max(np.abs(wanted), initial=0.0))
        off = float(np.max(np.abs(part - wanted), initial=0.0))
        if not off <= tolerance * max(scale, 1e-300):
            return f"its result is off by {off:.3g} where NumPy's is up to {scale:.3g}"
    return None
