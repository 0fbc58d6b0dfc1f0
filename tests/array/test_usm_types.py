"""The memory of results of functions that take two arrays: the lowest kind of theirs.

Elementwise functions have their own tests; these are the others, most of which are made of several
steps, each of which could forget one of the arguments.
"""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import situ

USM_TYPES = ("device", "shared", "host")
FOUR = [1.0, 2.0, 3.0, 4.0]
THREE = [1.0, 2.0, 4.0]
MATRIX = [[1.0, 2.0], [3.0, 5.0]]
MASK = [True, False, True, True]

CASES: dict[str, tuple[Callable[..., situ.ndarray], list[Any], list[Any]]] = {
    "take": (situ.take, FOUR, [0, 1]),
    "index array": (lambda x, y: x[y], FOUR, [0, 1]),
    "mask": (lambda x, y: x[y], FOUR, MASK),
    "extract": (lambda x, y: situ.extract(y, x), FOUR, MASK),
    "take_along_axis": (lambda x, y: situ.take_along_axis(x, y, axis=0), FOUR, [0, 1]),
    "choose": (lambda x, y: situ.choose(y, [x, x]), FOUR, [0, 1, 0, 1]),
    "where": (lambda x, y: situ.where(y, x, 0.0), FOUR, MASK),
    "select": (lambda x, y: situ.select([y], [x]), FOUR, MASK),
    "repeat": (situ.repeat, THREE, [0, 1, 5]),
    "bincount": (lambda x, y: situ.bincount(y, weights=x), FOUR, [0, 1, 0, 1]),
    "histogram": (lambda x, y: situ.histogram(y, bins=3, weights=x)[0], FOUR, [0.0, 1.0, 0.0, 1.0]),
    "histogram limits": (lambda x, y: situ.histogram(x, bins=y)[0], FOUR, [0.0, 2.0, 3.0]),
    "searchsorted": (situ.searchsorted, FOUR, [0.0, 3.0]),
    "digitize": (situ.digitize, FOUR, [0.0, 3.0]),
    "isin": (situ.isin, FOUR, [0.0, 3.0]),
    "union1d": (situ.union1d, FOUR, [0.0, 3.0]),
    "concat": (lambda x, y: situ.concat([x, y]), FOUR, [3.0]),
    "stack": (lambda x, y: situ.stack([x, y]), THREE, THREE),
    "append": (situ.append, FOUR, [5.0]),
    "insert": (lambda x, y: situ.insert(x, 1, y), FOUR, [5.0]),
    "clip": (lambda x, y: situ.clip(x, y, None), THREE, THREE),
    "gradient": (situ.gradient, THREE, THREE),
    "interp": (lambda x, y: situ.interp(x, y, y), THREE, THREE),
    "trapezoid": (situ.trapezoid, THREE, THREE),
    "average": (lambda x, y: situ.average(x, weights=y), THREE, THREE),
    "diff": (lambda x, y: situ.diff(x, prepend=y), THREE, [0.0]),
    "polyval": (situ.polyval, THREE, THREE),
    "matmul": (situ.matmul, MATRIX, [1.0, 2.0]),
    "vecdot": (situ.vecdot, THREE, THREE),
    "tensordot": (lambda x, y: situ.tensordot(x, y, axes=1), MATRIX, [1.0, 2.0]),
    "einsum": (lambda x, y: situ.einsum("ij,j->i", x, y), MATRIX, [1.0, 2.0]),
    "kron": (situ.kron, THREE, THREE),
    "outer": (situ.linalg.outer, THREE, THREE),
    "cross": (situ.linalg.cross, THREE, THREE),
    "solve": (situ.linalg.solve, MATRIX, [1.0, 2.0]),
    "lstsq": (lambda x, y: situ.linalg.lstsq(x, y)[0], MATRIX, [1.0, 2.0]),
}


@pytest.mark.parametrize(("function", "left", "right"), CASES.values(), ids=CASES)
def test_results_are_of_the_lowest_kind(
    function: Callable[..., situ.ndarray], left: list[Any], right: list[Any]
) -> None:
    """Device memory stays on the device, whichever argument it belongs to."""
    for kinds in itertools.product(USM_TYPES, repeat=2):
        one, other = (
            situ.asarray(np.asarray(values), usm_type=kind)
            for values, kind in zip((left, right), kinds, strict=True)
        )
        assert function(one, other).usm_type == min(kinds, key=USM_TYPES.index), kinds
