"""Operators and NumPy functions make the same dtypes in njit functions, outside, and in NumPy."""

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import situ

DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)

# Numbers of each kind; some decide the dtype by what they are, and not by their kind alone.
NUMBERS: tuple[Any, ...] = (True, False, 0, 1, 2, 3, -1, 300, 2**40, 2.0, 0.5, 2j)

OPERATORS = (
    *("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"),
    *("==", "!=", "<", "<=", ">", ">="),
)

FUNCTIONS = (
    *("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "power", "fmod"),
    *("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"),
    *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
    *("logical_and", "logical_or", "logical_xor", "maximum", "minimum", "fmax", "fmin"),
    *("arctan2", "hypot", "copysign", "nextafter", "logaddexp", "gcd", "lcm", "heaviside"),
)


def outcome(function: Callable[..., Any], *operands: object) -> object:
    """Return the dtype of a result, or the built-in class of the refusal."""
    try:
        result = function(*operands)
    except (ArithmeticError, TypeError, ValueError) as refusal:
        classes = (OverflowError, ZeroDivisionError, TypeError, ValueError)
        return next(each for each in classes if isinstance(refusal, each))
    return result.dtype


def function_of(expression: str, *parameters: str) -> Callable[..., Any]:
    """Return a Python function that returns an expression, with a source that njit finds."""
    text = f"def function({', '.join(parameters)}):\n    return {expression}\n"
    name = f"<{expression}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), namespace)
    return namespace["function"]


def array(dtype: str) -> np.ndarray:
    """Return a matrix that every operator takes."""
    return np.ones((2, 2), dtype)


def difference(expression: str, *operands: Any) -> str | None:
    """Return how an expression of arrays and numbers differs between njit and the others."""
    parameters = ("x", "y")[: len(operands)]
    plain = function_of(expression, *parameters)
    arrays = [array(each) if isinstance(each, str) else each for each in operands]
    # The interpreter has nothing to compile.
    ours = [
        situ.asarray(array(each), device="reference") if isinstance(each, str) else each
        for each in operands
    ]
    with np.errstate(all="ignore"):
        expected = outcome(plain, *arrays)
    eager = outcome(plain, *ours)
    compiled = outcome(situ.njit(plain), *ours)
    # What situ refuses on purpose is listed where operators are tested outside of njit functions.
    if compiled == eager and (eager == expected or eager in {TypeError, ValueError}):
        return None
    return f"{expression} of {operands}: njit {compiled}, eager {eager}, NumPy {expected}"


def pairs() -> list[tuple[Any, Any]]:
    """Return every pair of dtypes, and every dtype with every number on each side."""
    mixed = [(dtype, number) for dtype in DTYPES for number in NUMBERS]
    both = [(left, right) for left in DTYPES for right in DTYPES]
    return both + mixed + [(number, dtype) for dtype, number in mixed]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operator", OPERATORS)
def test_operators_make_the_dtypes_of_numpy(operator: str) -> None:
    different = [difference(f"x {operator} y", *pair) for pair in pairs()]
    assert [each for each in different if each] == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operator", OPERATORS)
def test_operators_with_written_numbers_make_the_dtypes_of_numpy(operator: str) -> None:
    texts = [f"x {operator} {number!r}" for number in NUMBERS]
    texts += [f"{number!r} {operator} x" for number in NUMBERS]
    different = [difference(text, dtype) for text in texts for dtype in DTYPES]
    assert [each for each in different if each] == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_make_the_dtypes_of_numpy(name: str) -> None:
    different = [difference(f"np.{name}(x, y)", *pair) for pair in pairs()]
    assert [each for each in different if each] == []
