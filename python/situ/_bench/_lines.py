"""The lines of the comparison: which work, on which arrays, of which size.

How fast each should be is in `_bars`. Inputs are made on the host with fixed seeds, so that every
library gets the same numbers, and are moved to the library's arrays before anything is timed.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from situ._bench import _work
from situ._bench._work import Work

Host = npt.NDArray[Any]
Inputs = Callable[[int], tuple[Host, ...]]
# From a line's inputs and its result to what has to agree between libraries.
Comparable = Callable[[tuple[Host, ...], Sequence[Host]], Sequence[Host]]


@dataclass(frozen=True)
class Line:
    """One line of the comparison."""

    # What `--lines` and the files know it by.
    name: str
    # What people read, in Markdown.
    title: str
    # The chapter of the table it belongs to.
    chapter: str
    work: Work
    inputs: Inputs
    # Given to `inputs`: the number of elements, or the side of a matrix.
    size: int
    quick_size: int
    # Whether the size is the side of a square.
    is_square: bool = False
    # Two libraries agree up to this, relatively.
    tolerance: float = 1e-10
    comparable: Comparable | None = None
    # The result is a view: there is nothing to wait for.
    is_view: bool = False
    # The shape of the result depends on values, which JAX cannot compile.
    is_data_dependent: bool = False
    # What is timed is making the library's array from the host's.
    is_transfer: bool = False

    def chosen_size(self, *, is_quick: bool) -> int:
        """Return the size to measure at."""
        return self.quick_size if is_quick else self.size

    def size_text(self, size: int) -> str:
        """Write a size as in the table."""
        return f"{size}²" if self.is_square else short(size)


def short(count: int) -> str:
    """Write a round number.

    Examples
    --------
    >>> short(10), short(4000), short(10_000_000), short(1 << 20), short(12_345)
    ('10', '4k', '10M', '2²⁰', '12345')
    """
    for factor, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= factor and count % factor == 0:
            return f"{count // factor}{unit}"
    if count >= 1024 and count.bit_count() == 1:
        digits = str(count.bit_length() - 1)
        return "2" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in digits)
    return str(count)


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def floats(count: int, *dtypes: str) -> tuple[Host, ...]:
    """Return arrays of numbers from one to two, which every function takes."""
    return tuple(
        _rng(seed).uniform(1.0, 2.0, count).astype(dtype) for seed, dtype in enumerate(dtypes)
    )


def _squares(side: int, count: int, dtype: str = "float64") -> tuple[Host, ...]:
    return tuple(array.reshape(side, side) for array in floats(side * side, *[dtype] * count))


def _bools(count: int) -> Host:
    return _rng(11).random(count) < 0.5


def _well_conditioned(side: int) -> Host:
    return _rng(12).standard_normal((side, side)) + side * np.eye(side)


def _symmetric(side: int) -> Host:
    half = _rng(13).standard_normal((side, side))
    return half + half.T


def _positive_definite(side: int) -> Host:
    half = _rng(14).standard_normal((side, side))
    return half @ half.T + side * np.eye(side)


def _options(count: int) -> tuple[Host, ...]:
    rng = _rng(15)
    return rng.uniform(10, 50, count), rng.uniform(10, 50, count), rng.uniform(0.2, 2.0, count)


def _complex(count: int) -> Host:
    rng = _rng(16)
    return rng.standard_normal(count) + 1j * rng.standard_normal(count)


def _outer_sides(count: int) -> tuple[Host, ...]:
    return floats(math.isqrt(count), "float64", "float64")


def _in_their_order(inputs: tuple[Host, ...], result: Sequence[Host]) -> Sequence[Host]:
    """Return the elements in the order found: equal ones may stand in any order."""
    return [inputs[0][result[0]]]


def _product_of_svd(_: tuple[Host, ...], result: Sequence[Host]) -> Sequence[Host]:
    """Return the values, and the matrix put together again: vectors have free signs."""
    u, values, v = result
    return [values, (u * values) @ v]


def _product_of_eigh(_: tuple[Host, ...], result: Sequence[Host]) -> Sequence[Host]:
    values, vectors = result
    return [values, (vectors * values) @ vectors.T]


_M = 10_000_000
_QUICK = 4_000
_SIDE = 3162
_QUICK_SIDE = 60


def _elementwise() -> list[Line]:
    def one(name: str, title: str, work: Work, inputs: Inputs, **more: Any) -> Line:
        return Line(name, title, "elementwise", work, inputs, _M, _QUICK, **more)

    f64 = ["float64"] * 4
    f32 = ["float32"] * 2
    return [
        one("add-f64", "`a + b`, float64", _work.add, lambda n: floats(n, *f64[:2])),
        one("add-f32", "`a + b`, float32", _work.add, lambda n: floats(n, *f32), tolerance=1e-6),
        one("chain-f64", "`a*b + c - d`, float64", _work.chain, lambda n: floats(n, *f64)),
        one("sin-f64", "`sin`, float64", _work.sin, lambda n: (20 * floats(n, "float64")[0],)),
        one("log-f64", "`log`, float64", _work.log, lambda n: floats(n, "float64")),
        one("pow-f64", "`a ** b`, float64", _work.power, lambda n: floats(n, *f64[:2])),
        one("exp-f32", "`exp`, float32", _work.exp, lambda n: floats(n, "float32"), tolerance=1e-5),
        Line(
            "black-scholes",
            "Black-Scholes",
            "elementwise",
            _work.black_scholes,
            _options,
            4_000_000,
            _QUICK,
            tolerance=1e-9,
        ),
    ]


def _reductions() -> list[Line]:
    def columns(name: str, title: str, work: Work) -> Line:
        def inputs(side: int) -> tuple[Host, ...]:
            return _squares(side, 1, "float32")

        return Line(name, title, "reductions", work, inputs, 4096, _QUICK_SIDE, True, 1e-4)

    def one(name: str, title: str, work: Work, **more: Any) -> Line:
        return Line(
            name, title, "reductions", work, lambda n: floats(n, "float64"), _M, _QUICK, **more
        )

    return [
        one("sum-f64", "`sum`, float64", _work.total),
        Line(
            "squared-distance",
            "`sum((a - b)**2)`, float64",
            "reductions",
            _work.squared_distance,
            lambda n: floats(n, "float64", "float64"),
            _M,
            _QUICK,
        ),
        one("argmax-f64", "`argmax`, float64", _work.argmax),
        columns("sum-axis-0-f32", "`sum(axis=0)`, float32", _work.sum_of_columns),
        columns("sum-axis-1-f32", "`sum(axis=1)`, float32", _work.sum_of_rows),
        Line(
            "std-axis-0",
            "`std(axis=0)`, float64",
            "reductions",
            _work.std_of_columns,
            lambda side: _squares(side, 1),
            _SIDE,
            _QUICK_SIDE,
            is_square=True,
        ),
        one("cumsum-f64", "`cumsum`, float64", _work.cumsum, tolerance=1e-9),
    ]


def _sorting() -> list[Line]:
    return [
        Line(
            "sort-f64",
            "`sort`, float64",
            "sorting",
            _work.sort,
            lambda n: floats(n, "float64"),
            _M,
            _QUICK,
        ),
        Line(
            "argsort-f32",
            "`argsort`, float32",
            "sorting",
            _work.argsort,
            lambda n: floats(n, "float32"),
            1_000_000,
            _QUICK,
            comparable=_in_their_order,
        ),
        Line(
            "unique-i64",
            "`unique`, int64",
            "sorting",
            _work.unique,
            lambda n: (_rng(17).integers(0, n, n),),
            1_000_000,
            _QUICK,
            is_data_dependent=True,
        ),
    ]


def _selecting() -> list[Line]:
    def one(name: str, title: str, work: Work, inputs: Inputs, **more: Any) -> Line:
        return Line(name, title, "selecting and moving", work, inputs, _M, _QUICK, **more)

    def pair(n: int) -> tuple[Host, ...]:
        return floats(n, "float64", "float64")

    return [
        one("where-f64", "`where`, float64", _work.where, lambda n: (_bools(n), *pair(n))),
        one(
            "mask-f64",
            "`a[mask]`, float64",
            _work.masked,
            lambda n: (*floats(n, "float64"), _bools(n)),
            is_data_dependent=True,
        ),
        one(
            "take-f64",
            "`take`, float64",
            _work.take,
            lambda n: (*floats(n, "float64"), _rng(18).integers(0, n, n)),
        ),
        one("strided-add", "`a[::2] + b[::2]`, float64", _work.add_every_second, pair),
        Line(
            "transposed-copy",
            "copy of `a.T`, float64",
            "selecting and moving",
            _work.transposed_copy,
            lambda side: _squares(side, 1),
            _SIDE,
            _QUICK_SIDE,
            is_square=True,
        ),
        one("outer-f64", "`outer`, float64", _work.outer, _outer_sides),
        Line(
            "stencil",
            "5-point stencil by slices",
            "selecting and moving",
            _work.stencil,
            lambda side: _squares(side, 1),
            2000,
            _QUICK_SIDE,
            is_square=True,
        ),
        one(
            "host-to-device",
            "host to device, float64",
            _work.copy,
            lambda n: floats(n, "float64"),
            is_transfer=True,
        ),
    ]


def _linear_algebra() -> list[Line]:
    def one(name: str, title: str, work: Work, inputs: Inputs, side: int, **more: Any) -> Line:
        return Line(name, title, "linear algebra", work, inputs, side, _QUICK_SIDE, True, **more)

    def system(side: int) -> tuple[Host, ...]:
        return _well_conditioned(side), floats(side, "float64")[0]

    return [
        one(
            "matmul-f64",
            "`a @ b`, float64",
            _work.matmul,
            lambda side: _squares(side, 2),
            1024,
        ),
        one(
            "matmul-f32",
            "`a @ b`, float32",
            _work.matmul,
            lambda side: _squares(side, 2, "float32"),
            2048,
            tolerance=1e-4,
        ),
        one("solve", "`linalg.solve`", _work.solve, system, 1000, tolerance=1e-9),
        one(
            "cholesky",
            "`linalg.cholesky`",
            _work.cholesky,
            lambda side: (_positive_definite(side),),
            1000,
            tolerance=1e-8,
        ),
        one(
            "svd",
            "`linalg.svd`",
            _work.svd,
            lambda side: (_rng(19).standard_normal((side, side)),),
            1000,
            tolerance=1e-8,
            comparable=_product_of_svd,
        ),
        one(
            "eigh",
            "`linalg.eigh`",
            _work.eigh,
            lambda side: (_symmetric(side),),
            1000,
            tolerance=1e-8,
            comparable=_product_of_eigh,
        ),
        Line(
            "fft-c128",
            "`fft`, complex128",
            "linear algebra",
            _work.fft,
            lambda n: (_complex(n),),
            1 << 20,
            1 << 10,
            tolerance=1e-9,
        ),
    ]


def _small() -> list[Line]:
    def one(name: str, title: str, work: Work, size: int, arrays: int, **more: Any) -> Line:
        def inputs(n: int) -> tuple[Host, ...]:
            return floats(n, *["float64"] * arrays)

        return Line(name, title, "small work", work, inputs, size, size, **more)

    return [
        one("add-10", "`a + b`, float64", _work.add, 10, 2),
        one("slice", "`a[1:-1]`", _work.inner_part, 1000, 1, is_view=True),
        one("sum-1000", "`sum`, float64", _work.total, 1000, 1),
    ]


@cache
def lines() -> dict[str, Line]:
    """Return every line by its name, in the order of the table."""
    chapters = (_elementwise, _reductions, _sorting, _selecting, _linear_algebra, _small)
    return {line.name: line for chapter in chapters for line in chapter()}
