"""Calls over input dtypes, `dtype=` and functions, made at random, on NumPy and on a device.

Each program is a call that the caller could have written: a function, arrays of some dtypes, and
perhaps `dtype=`, `out=`, `where=` or `initial=`. Elements are small enough for every dtype to hold
what comes out, except where integers wrap around, which is defined.
"""

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from differential.strategies import DTYPES, odd_bools

import situ

__all__ = ["JOINING", "TOTALS", "UNARY", "Program", "check", "random_program"]

# Reductions and scans that take `dtype=`.
TOTALS = [
    *["sum", "prod", "cumsum", "cumprod", "nansum", "nanprod", "nancumsum", "nancumprod"],
    *["mean", "nanmean", "std", "var", "trace"],
]
# Functions whose results NumPy and situ convert to `dtype=` at different points.
CONVERTING = ["std", "var", "mean", "nanmean"]
# Functions that order numbers; situ refuses complex ones, which NumPy orders by their parts.
ORDERING = ["clip", "median", "nanmedian", "nanmax", "ptp", "histogram"]
# Functions whose integers may wrap around, which is the same in both.
WRAPPING = ["sum", "cumsum", "nansum", "nancumsum", "trace"]
STARTING = ["sum", "prod", "nansum", "nanprod"]
MASKED = [*STARTING, "mean", "nanmean", "std", "var"]

# Functions of several arrays, whose dtypes decide together.
JOINING = [
    *["concat", "stack", "hstack", "vstack", "dstack", "column_stack", "block"],
    *["where", "select", "choose", "append", "einsum", "clip", "result_type"],
]

# Functions of one array whose result may have another dtype.
UNARY = [
    *["angle", "abs", "sign", "square", "sqrt", "exp", "negative", "positive", "floor", "round"],
    *["real", "imag", "conj", "isnan", "logical_not", "invert", "deg2rad", "sin"],
    *["max", "min", "argmax", "any", "count_nonzero", "median", "ptp", "average", "diff"],
    *["sort", "unique", "flip", "gradient", "nan_to_num", "cov", "sinc", "cbrt", "signbit"],
    *["percentile", "quantile", "histogram", "trapezoid", "interp"],
    *["diag", "kron", "outer", "inner", "dot", "vdot", "tensordot", "convolve"],
    *["fix", "trunc", "rint", "ceil", "modf", "frexp", "nanmedian", "nanmax", "corrcoef"],
]


@dataclass
class Program:
    """One call."""

    name: str
    arrays: list[np.ndarray]
    keywords: dict[str, Any] = field(default_factory=dict)

    def run(self, module: Any, bring: Any) -> Any:
        """Run it with the functions of a module; `bring` makes its arrays."""
        arrays = [bring(x) for x in self.arrays]
        keywords = {
            name: bring(value) if isinstance(value, np.ndarray) else value
            for name, value in self.keywords.items()
        }
        return _CALLS.get(self.name, _plain)(module, self.name, arrays, keywords)


def _plain(module, name, arrays, keywords):
    return getattr(module, name)(*arrays, **keywords)


def _listed(module, name, arrays, keywords):
    return getattr(module, name)(arrays, **keywords)


_CALLS = {
    **dict.fromkeys(["stack", "hstack", "vstack", "dstack", "column_stack", "block"], _listed),
    "concat": _listed,
    "trace": lambda m, n, x, k: m.trace(x[0].reshape(2, -1), **k),
    "where": lambda m, n, x, k: m.where(x[0] != x[0][0], x[1], x[2]),
    "select": lambda m, n, x, k: m.select([x[0] == x[0][0], x[0] != x[0][0]], x[1:], 0),
    "choose": lambda m, n, x, k: m.choose((x[0] != x[0][0]).astype("int64"), x[1:]),
    "append": lambda m, n, x, k: m.append(x[0], x[1]),
    "einsum": lambda m, n, x, k: m.einsum(",".join(["i"] * len(x)) + "->i", *x),
    "clip": lambda m, n, x, k: m.clip(x[0], x[1], x[2]),
    "percentile": lambda m, n, x, k: m.percentile(x[0], 30),
    "quantile": lambda m, n, x, k: m.quantile(x[0], 0.5),
    "interp": lambda m, n, x, k: m.interp(x[0], m.arange(4), x[0][:4]),
    **dict.fromkeys(
        ["kron", "outer", "inner", "dot", "vdot", "convolve"],
        lambda m, n, x, k: getattr(m, n)(x[0], x[0]),
    ),
    "tensordot": lambda m, n, x, k: m.tensordot(x[0], x[0], 1),
}


def _array(rng: np.random.Generator, dtype: str, *, wraps: bool = True) -> np.ndarray:
    numbers = rng.integers(0, 4, 6)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return odd_bools(numbers % 2 == 1, rng)
    if kind == "i":
        numbers = numbers - rng.integers(0, 2) * 3
    if wraps and kind == "i" and rng.random() < 0.3:
        numbers = numbers * np.iinfo(dtype).max // 3
    array = numbers.astype(dtype)
    return array + array.dtype.type(1j) if kind == "c" else array


def random_program(rng: np.random.Generator, name: str) -> Program:
    """Make a call of a function."""

    def dtype() -> str:
        return DTYPES[rng.integers(len(DTYPES))]

    if name in JOINING:
        return Program(name, [_array(rng, dtype()) for _ in range(3)])
    program = Program(name, [_array(rng, dtype(), wraps=name in WRAPPING)])
    if name not in TOTALS:
        return program
    if rng.random() < 0.7:
        program.keywords["dtype"] = dtype()
    # What becomes of negative floats in unsigned integers is up to the processor in NumPy.
    if program.arrays[0].dtype.kind == "f" and rng.random() < 0.5:
        is_unsigned = np.dtype(program.keywords.get("dtype")).kind == "u"
        program.arrays[0] = program.arrays[0] - (0 if is_unsigned else 2)
    if name in STARTING and rng.random() < 0.2:
        program.keywords["initial"] = 1
    if name in MASKED and rng.random() < 0.2:
        program.keywords["where"] = odd_bools(np.arange(6) % 3 != 1, rng)
    return program


def _outcome(work):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return work()
        except (TypeError, ValueError, IndexError) as error:
            kinds = (IndexError, TypeError, ValueError)
            return next(kind for kind in kinds if isinstance(error, kind))


def check(program: Program) -> None:
    """Compare what the call gives with NumPy: its dtype and its numbers, or that it is refused."""
    expected = _outcome(lambda: program.run(np, lambda x: x))
    found = _outcome(lambda: program.run(situ, situ.asarray))
    if isinstance(expected, type):
        # What NumPy refuses may have an answer here.
        return
    is_complex = any(x.dtype.kind == "c" for x in program.arrays)
    if isinstance(found, type):
        assert is_complex, (program, found, expected)
        assert program.name in ORDERING, (program, found, expected)
        return
    several = isinstance(expected, tuple | list)
    for one, other in zip(found, expected, strict=True) if several else [(found, expected)]:
        _compare(program, one, other)


def _compare(program: Program, found: Any, expected: Any) -> None:
    if isinstance(found, np.dtype):
        assert found == expected, (program, found, expected)
        return
    expected = np.asarray(expected)
    assert found.dtype == expected.dtype, (program, found.dtype, expected.dtype)
    keeps_parts = expected.dtype.kind == "f" and program.arrays[0].dtype.kind != "c"
    if program.name in CONVERTING and "dtype" in program.keywords and not keeps_parts:
        return
    numbers = found.to_numpy() if isinstance(found, situ.ndarray) else np.asarray(found)
    if expected.dtype.kind in "biu":
        np.testing.assert_array_equal(numbers, expected, err_msg=str(program))
        return
    if expected.dtype == np.float16:
        # Sums of float16 are kept in float32 here and rounded once, so the last ones below infinity
        # may not be the same.
        numbers, expected = _without_the_largest(numbers), _without_the_largest(expected)
    eps = 64 * float(np.finfo(expected.dtype).eps)
    # Sums may cancel.
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=1)
    np.testing.assert_allclose(
        numbers, expected, rtol=eps, atol=eps * float(largest), err_msg=str(program)
    )


def _without_the_largest(numbers: np.ndarray) -> np.ndarray:
    """Return float16 numbers with infinity for those within the tolerance of it."""
    largest = float(np.finfo(np.float16).max) * (1 - 2 * 64 * 2.0**-10)
    return np.where(np.abs(numbers) > largest, np.copysign(np.inf, numbers), numbers)
