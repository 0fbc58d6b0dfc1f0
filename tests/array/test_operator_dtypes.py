"""Which dtype every operator makes of every pair of dtypes, and which it refuses, as NumPy does."""

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import situ

DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)

# Numbers of Python's: of all kinds, and integers that some dtypes or none can hold.
NUMBERS: tuple[Any, ...] = (
    *(True, False, 0, 1, 2, 3, -1, 300, 2**40, 2**63, 2**70, 2.0, 0.5, 1j, 2 + 0j),
)

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    **{
        name: getattr(operator, name)
        for name in (
            *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
            *("and_", "or_", "xor", "lshift", "rshift"),
            *("eq", "ne", "lt", "le", "gt", "ge"),
        )
    },
    "divmod": divmod,
}

IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name)
    for name in (
        *("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "imatmul"),
        *("iand", "ior", "ixor", "ilshift", "irshift"),
    )
}


def outcome(function: Callable[[Any, Any], Any], left: object, right: object) -> object:
    """Return the dtype of a result, those of several, or the built-in class of the refusal."""
    try:
        result = function(left, right)
    except (ArithmeticError, TypeError, ValueError) as refusal:
        classes = (OverflowError, ZeroDivisionError, TypeError, ValueError)
        return next(each for each in classes if isinstance(refusal, each))
    return [each.dtype for each in result] if isinstance(result, tuple) else result.dtype


def square_matrix(dtype: str) -> np.ndarray:
    """Return a matrix that every operator takes, also `@` in place."""
    return np.ones((2, 2), dtype)


def kind(operand: object) -> str:
    """Return the kind of a dtype or of a number."""
    return np.dtype(operand if isinstance(operand, str) else type(operand)).kind


def is_too_large(number: object, dtype: str) -> bool:
    """Return whether an integer is beyond what it is converted to beside a dtype."""
    if not isinstance(number, int) or kind(dtype) not in "biu":
        return False
    bounds = np.iinfo("int64" if dtype == "bool" else dtype)
    return not bounds.min <= number <= bounds.max


def decided_otherwise(name: str, left: object, right: object) -> str | None:
    """Return why situ differs from NumPy on purpose, if it does."""
    kinds = kind(left) + kind(right)
    numbers = [each for each in (left, right) if not isinstance(each, str)]
    dtypes = [each for each in (left, right) if isinstance(each, str)]
    if name in {"lt", "le", "gt", "ge"} and "c" in kinds:
        return "complex numbers have no order, in the array API standard as in mathematics"
    if "matmul" in name and numbers:
        return "a number is no matrix, whatever it is: shapes are looked at first"
    if name == "ipow" and left == "bool" and right == -1:
        return "refused for two reasons; the exponent is looked at first"
    if name in IN_PLACE and left == "bool" and numbers and is_too_large(numbers[0], dtypes[0]):
        return "refused for two reasons; where the result goes is looked at first"
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*BINARY, *IN_PLACE])
def test_operators_make_the_dtypes_of_numpy(name: str) -> None:
    function = BINARY.get(name) or IN_PLACE[name]
    pairs: list[tuple[Any, Any]] = [(left, right) for left in DTYPES for right in DTYPES]
    pairs += [(dtype, number) for dtype in DTYPES for number in NUMBERS]
    if name in BINARY:
        pairs += [(number, dtype) for dtype in DTYPES for number in NUMBERS]
    compared = 0
    for left, right in pairs:
        operands = [
            square_matrix(each) if isinstance(each, str) else each for each in (left, right)
        ]
        with np.errstate(all="ignore"):
            expected = outcome(function, *operands)
        operands = [
            square_matrix(each) if isinstance(each, str) else each for each in (left, right)
        ]
        ours = [situ.asarray(each) if isinstance(each, np.ndarray) else each for each in operands]
        found = outcome(function, *ours)
        reason = decided_otherwise(name, left, right)
        if reason is None:
            assert found == expected, (left, right)
            compared += 1
        else:
            assert found in {TypeError, ValueError}, (left, right, reason)
    assert compared > 0


def test_the_square_of_bools_is_int8_and_their_power_int64() -> None:
    x = np.array([True, False])
    mine = situ.asarray(x)
    for found, expected in (
        (mine**2, x**2),
        (mine**3, x**3),
        (mine**2.0, x**2.0),
        (mine**mine, x**x),
        (situ.pow(mine, 2), np.power(x, 2)),
    ):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.to_numpy(), expected)


def test_negative_exponents_do_not_fit_into_dtypes_without_a_sign() -> None:
    with pytest.raises(OverflowError, match="-1 does not fit into uint8"):
        situ.asarray([1, 2], dtype="uint8") ** -1
    with pytest.raises(ValueError, match="cannot be raised to the power -1"):
        situ.asarray([1, 2]) ** -1


def test_operators_do_not_warn_where_numpy_does_not() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = situ.asarray([1 + 2j, 3])
        x *= 2
        x += 1j
        assert x.to_numpy().tolist() == [2 + 5j, 6 + 1j]
