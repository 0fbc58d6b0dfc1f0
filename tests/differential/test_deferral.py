"""Random programs give the same whether their functions wait or not, and what NumPy gives."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import situ
from situ.testing import deferral

LENGTH = 6

# Functions whose results are rounded correctly everywhere, so that they can be compared exactly.
BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "less", "not_equal")
UNARY = ("negative", "abs", "floor", "isfinite", "square", "positive")
IN_PLACE = ("+=", "-=", "*=")
SLICES = ("[:]", "[::-1]", "[1:4]", "[::2]", "[2:3]", "[..., -1:]")

numbers = st.sampled_from(
    [0, 1, -2, 3, 0.5, -1.25, True, np.float32(0.75), np.float64(-0.5), np.int16(2)]
)
# Arrays are named by their place among those that are there, counted round.
names = st.integers(0, 20)


def _statements() -> st.SearchStrategy[tuple[Any, ...]]:
    return st.one_of(
        st.tuples(st.just("binary"), st.sampled_from(BINARY), names, names),
        st.tuples(st.just("number"), st.sampled_from(BINARY), names, numbers),
        st.tuples(st.just("number first"), st.sampled_from(BINARY), numbers, names),
        st.tuples(st.just("unary"), st.sampled_from(UNARY), names),
        st.tuples(st.just("where"), names, names, names),
        st.tuples(st.just("part"), st.sampled_from(SLICES), names),
        st.tuples(st.just("convert"), st.sampled_from(["float32", "float64"]), names),
        st.tuples(st.just("in place"), st.sampled_from(IN_PLACE), names, numbers),
        st.tuples(st.just("in place by array"), st.sampled_from(IN_PLACE), names, names),
        st.tuples(st.just("assign"), st.sampled_from(SLICES), names, numbers),
        st.tuples(st.just("output"), st.sampled_from(BINARY[:3]), names, names, names),
        st.tuples(st.just("forget"), names),
        st.tuples(st.just("read"), names),
        st.tuples(st.just("sum"), names),
        st.tuples(st.just("wait")),
    )


programs = st.lists(_statements(), min_size=1, max_size=25)


def run(xp: Any, start: list[Any], program: list[tuple[Any, ...]]) -> list[Any]:
    """Run a program, and give the arrays and refusals that are there at its end."""
    arrays = list(start)
    refusals: list[Any] = []
    for statement in program:
        try:
            step(xp, arrays, statement)
        except (ValueError, TypeError, IndexError):
            # Which of several mistakes is told is another test's business.
            refusals.append(statement)
    return [np.asarray(array) for array in arrays] + refusals


def step(xp: Any, arrays: list[Any], statement: tuple[Any, ...]) -> None:
    """Do one statement."""

    def named(place: int) -> Any:
        return arrays[place % len(arrays)]

    def add(result: Any) -> None:
        # NumPy's numbers are no arrays.
        arrays.append(xp.asarray(result))

    match statement:
        case ("binary", function, x, y):
            add(getattr(xp, function)(named(x), named(y)))
        case ("number", function, x, number):
            add(getattr(xp, function)(named(x), number))
        case ("number first", function, number, x):
            add(getattr(xp, function)(number, named(x)))
        case ("unary", function, x):
            add(getattr(xp, function)(named(x) * 1.0))
        case ("where", condition, x, y):
            add(xp.where(named(condition) > 0, named(x), named(y)))
        case ("part", index, x):
            add(eval(f"x{index}", {"x": named(x)}))
        case ("convert", dtype, x):
            add(named(x).astype(dtype))
        case ("in place", operator, x, number):
            exec(f"x {operator} number", {"x": named(x), "number": number})
        case ("in place by array", operator, x, y):
            exec(f"x {operator} y", {"x": named(x), "y": named(y)})
        case ("assign", index, x, number):
            exec(f"x{index} = number", {"x": named(x), "number": number})
        case ("output", function, x, y, out):
            getattr(xp, function)(named(x), named(y), out=named(out))
        case ("forget", x) if len(arrays) > 1:
            del arrays[x % len(arrays)]
        case ("read", x):
            np.asarray(named(x)).tolist()
        case ("sum", x):
            add(xp.sum(named(x) > 1))
        case ("wait",) if xp is situ:
            arrays[0].queue.wait()
        case _:
            pass


def start() -> list[Any]:
    rng = np.random.default_rng(5)
    return [rng.integers(-4, 5, LENGTH) / 2, rng.integers(1, 9, LENGTH) / 4, np.array([1.5])]


def agree(one: list[Any], other: list[Any]) -> None:
    assert len(one) == len(other)
    for left, right in zip(one, other, strict=True):
        if isinstance(left, tuple):
            assert left == right
        else:
            assert (left.dtype, left.shape) == (right.dtype, right.shape)
            np.testing.assert_array_equal(left, right)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@settings(deadline=None, max_examples=150)
@given(program=programs)
def test_random_programs(program: list[tuple[Any, ...]]) -> None:
    expected = run(np, start(), program)
    for smallest, fuses in ((None, None), (1, False), (1, True)):
        with deferral(smallest, fuses=fuses):
            agree(run(situ, [situ.asarray(array) for array in start()], program), expected)
