"""Expressions whose operands change kinds: arrays, Python numbers and NumPy's, in any order.

Every example makes several functions of one expression, with its operands in different orders, and
calls each of them with arrays and numbers in different places. The kernels of such calls differ in
nothing but which operand is a number, which is what a cache of kernels must not confuse. Results
are compared exactly: all values are small multiples of 1/4, and so are their sums and products.
"""

import functools
import linecache
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import situ
from situ.testing import deferral

NAMES = ("p", "q", "r", "s")

ARRAYS = (
    np.array([10.0, 20.0, 30.0]),
    np.array([1.0, 2.0, -3.0]),
    np.array([0.25, 4.0, -1.5], dtype="float32"),
    np.array([3, -1, 2], dtype="int32"),
    np.array([7, 5, -2]),
    np.array([True, False, True]),
    np.array([1 + 2j, -1j, 0.5], dtype="complex64"),
)
NUMBERS = (
    *(5.0, -0.25, 3, -2, 2, True, 1 - 2j),
    *(
        np.float64(1.5),
        np.float32(0.75),
        np.int16(3),
        np.int64(-4),
        np.bool_(True),
        np.complex64(2j),
    ),
)
OPERATIONS = (
    "({0} - {1})",
    "({0} + {1})",
    "({0} * {1})",
    "np.where({0} != {1}, {1}, {0})",
    "np.multiply({0}, {1})",
)
# What becomes of the expression, and so which template its kernel is made by.
USES = (
    "return {0}",
    "return np.sum({0})",
    "return np.cumsum({0})",
    "t = {0}; return t",
    "return ({0} + 0.5) ** 2",
)

# An expression is an operand, as its place among them, or an operation on two expressions.
Tree = int | tuple[str, Any, Any]


def trees(size: int) -> st.SearchStrategy[Tree]:
    """Return expressions with any operand at each place, or with all of them in turn."""
    operations = st.sampled_from(OPERATIONS)
    any_place = st.integers(0, size - 1)
    free = st.recursive(any_place, lambda it: st.tuples(operations, it, it), max_leaves=6)
    chain = st.lists(operations, min_size=size - 1, max_size=size - 1).map(
        lambda chosen: functools.reduce(
            lambda tree, step: (step[1], tree, step[0]), enumerate(chosen, 1), 0
        )
    )
    return st.one_of(free, chain)


def text_of(tree: Tree, names: tuple[str, ...]) -> str:
    """Return an expression with these names for its operands."""
    if isinstance(tree, int):
        return names[tree]
    operation, *operands = tree
    return operation.format(*(text_of(operand, names) for operand in operands))


def is_number(tree: Tree, operands: tuple[Any, ...]) -> bool:
    """Return whether there is no array in an expression."""
    if isinstance(tree, int):
        return not isinstance(operands[tree], np.ndarray)
    return all(is_number(part, operands) for part in tree[1:])


def is_comparable(tree: Tree, operands: tuple[Any, ...]) -> bool:
    """Return whether an expression has the same dtype for NumPy.

    Numbers that are computed on the host are Python's own, so NumPy's dtypes do not go through,
    and outside of njit functions there is no array that says where a function of them runs.
    """
    if isinstance(tree, int):
        return True
    operation, *parts = tree
    if is_number(tree, operands):
        leaves = [operands[part] for part in parts if isinstance(part, int)]
        if "np." in operation or any(isinstance(leaf, np.generic) for leaf in leaves):
            return False
    return all(is_comparable(part, operands) for part in parts)


def function_of(tree: Tree, use: str, names: tuple[str, ...]) -> Callable[..., Any]:
    """Return a function of an expression, whose source `inspect` finds."""
    body = "".join(f"    {line}\n" for line in use.format(text_of(tree, names)).split("; "))
    source = f"def function({', '.join(sorted(names))}):\n{body}"
    file = f"<random operands {zlib.crc32(source.encode())}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"np": np}
    exec(compile(source, file, "exec"), namespace)
    return namespace["function"]


def on_device(operand: Any) -> Any:
    return situ.asarray(operand) if isinstance(operand, np.ndarray) else operand


def outcome(function: Callable[..., Any], *operands: Any) -> Any:
    """Return what a call gives, or that it is refused."""
    try:
        return function(*operands)
    except (TypeError, ValueError, OverflowError):
        return "refused"


@st.composite
def programs(draw: st.DrawFn) -> tuple[Tree, str, list[tuple[int, ...]], list[tuple[Any, ...]]]:
    """Return an expression, its use, orders of its operands, and operands of several calls."""
    size = draw(st.integers(2, len(NAMES)))
    tree = draw(trees(size).filter(lambda tree: not isinstance(tree, int)))
    orders = draw(st.lists(st.permutations(range(size)).map(tuple), min_size=2, max_size=3))
    array = st.sampled_from(range(len(ARRAYS))).map(ARRAYS.__getitem__)
    number = st.sampled_from(range(len(NUMBERS))).map(NUMBERS.__getitem__)
    first = draw(st.tuples(array, *[st.one_of(array, number)] * (size - 1)))
    others = draw(st.lists(st.permutations(first).map(tuple), min_size=1, max_size=3))
    return tree, draw(st.sampled_from(USES)), orders, [first, *others]


def check(
    compile: Callable[..., Any],
    tree: Tree,
    use: str,
    orders: list[tuple[int, ...]],
    calls: list[tuple[Any, ...]],
) -> None:
    """Compare each function with plain Python on NumPy arrays, for each call."""
    for order in orders:
        names = tuple(NAMES[place] for place in order)
        function = function_of(tree, use, names)
        compiled = compile(function)
        for operands in calls:
            by_name = tuple(operands[place] for place in order)
            if is_number(tree, by_name) or not is_comparable(tree, by_name):
                continue
            expected = outcome(function, *operands)
            # The second call takes the quick way through what the first one left.
            for _ in range(2):
                found = outcome(compiled, *(on_device(operand) for operand in operands))
                assert isinstance(found, str) == isinstance(expected, str), (expected, found)
                if isinstance(expected, str):
                    continue
                host = np.asarray(found)
                np.testing.assert_array_equal(host, expected)
                if isinstance(found, situ.ndarray):
                    assert host.dtype == np.asarray(expected).dtype


FIRST = (ARRAYS[0], ARRAYS[1], 5.0)
TREE = ("({0} + {1})", ("({0} - {1})", 0, 1), 2)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@given(program=programs())
@example(program=(TREE, "return {0}", [(0, 1, 2), (0, 2, 1)], [FIRST]))
@example(program=(TREE, "return np.sum({0})", [(0, 1, 2), (0, 2, 1)], [FIRST]))
@example(program=(TREE, "return {0}", [(0, 1, 2)], [FIRST, (ARRAYS[0], 5.0, ARRAYS[1])]))
def test_njit_functions(program: Any) -> None:
    """Functions that differ only in where their numbers are do not share kernels."""
    check(situ.njit, *program)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@given(program=programs())
@example(program=(TREE, "return {0}", [(0, 1, 2), (0, 2, 1)], [FIRST]))
def test_deferred_expressions(program: Any) -> None:
    """The same without njit, of calls that wait and become one kernel."""
    namespace = {"np": situ}
    tree, use, orders, calls = program

    def with_situ(function: Callable[..., Any]) -> Callable[..., Any]:
        return type(function)(function.__code__, namespace)

    with deferral(1, fuses=True):
        check(with_situ, tree, use, orders, calls)
