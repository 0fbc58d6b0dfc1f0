"""The second table: operations over sizes, layouts and numbers of threads.

Arrays are matrices, because only they can be transposed. The first operand has the layout; a second
one is contiguous. All are float64.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from situ._bench import _work
from situ._bench._libraries import Library
from situ._bench._lines import Host
from situ._bench._work import Work

LAYOUTS = ("contiguous", "strided", "transposed", "broadcast")
# Elements, and the matrix that has them.
SHAPES = {10: (2, 5), 1_000: (25, 40), 100_000: (250, 400), 10_000_000: (2500, 4000)}
QUICK_SIZES = (10, 1_000)


@dataclass(frozen=True)
class Operation:
    """A row of panels: work on a matrix, and on more arrays of these kinds."""

    title: str
    work: Work
    # "matrix", "mask" or "rows", after the first operand.
    others: tuple[str, ...] = ()
    tolerance: float = 1e-9


OPERATIONS: dict[str, Operation] = {
    "add": Operation("a + b", _work.add, ("matrix",)),
    "chain": Operation("a*b + c - d", _work.chain, ("matrix",) * 3),
    "sin": Operation("sin", _work.sin),
    "exp": Operation("exp", _work.exp),
    "where": Operation("where", _work.where_second, ("mask", "matrix")),
    "copy": Operation("copy", _work.copy),
    "sum": Operation("sum", _work.total),
    "sum-axis-0": Operation("sum(axis=0)", _work.sum_of_columns),
    "sum-axis-1": Operation("sum(axis=1)", _work.sum_of_rows),
    "argmax": Operation("argmax", _work.argmax),
    "cumsum": Operation("cumsum(axis=1)", _work.cumsum_of_rows),
    "sort": Operation("sort", _work.sort),
    "mask": Operation("a[mask]", _work.masked, ("mask",)),
    "take": Operation("take(axis=0)", _work.take_rows, ("rows",)),
}


@dataclass(frozen=True)
class Cell:
    """One measurement: an operation at a size and a layout."""

    operation: str
    layout: str
    elements: int


def cells(*, is_quick: bool) -> list[Cell]:
    """Return every cell, those of one size together."""
    sizes = QUICK_SIZES if is_quick else tuple(SHAPES)
    return [
        Cell(operation, layout, elements)
        for elements in sizes
        for layout in LAYOUTS
        for operation in OPERATIONS
    ]


@lru_cache(maxsize=2)
def _numbers(elements: int) -> Host:
    """Return numbers enough for a matrix of which every second column is used."""
    return np.random.default_rng(21).uniform(1.0, 2.0, 2 * elements)


def operands(cell: Cell, library: Library) -> list[Any]:
    """Return the arrays of a cell, as the library has them."""
    first = _laid_out(cell, library)
    shape = SHAPES[cell.elements]
    others = {"matrix": _matrix, "mask": _mask, "rows": _rows}
    return [
        first,
        *(library.asarray(others[kind](shape)) for kind in OPERATIONS[cell.operation].others),
    ]


def _laid_out(cell: Cell, library: Library) -> Any:
    rows, columns = SHAPES[cell.elements]
    numbers = _numbers(cell.elements)
    if cell.layout == "strided":
        return library.asarray(numbers.reshape(rows, 2 * columns))[:, ::2]
    if cell.layout == "transposed":
        return library.asarray(numbers[: cell.elements].reshape(columns, rows)).T
    if cell.layout == "broadcast":
        row = library.asarray(numbers[:columns].reshape(1, columns).copy())
        return library.broadcast_to(row, (rows, columns))
    return library.asarray(numbers[: cell.elements].reshape(rows, columns))


def _matrix(shape: tuple[int, int]) -> Host:
    return _numbers(shape[0] * shape[1])[: shape[0] * shape[1]].reshape(shape)


@lru_cache(maxsize=2)
def _mask(shape: tuple[int, int]) -> Host:
    return np.random.default_rng(22).random(shape) < 0.5


def _rows(shape: tuple[int, int]) -> Host:
    return np.random.default_rng(23).integers(0, shape[0], shape[0])
