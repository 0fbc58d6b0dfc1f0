"""Random functions, compiled and as plain Python, give the same.

Statements on whole arrays, on numbers and on elements follow each other in branches and loops,
which is where the order of expressions that wait and of writes matters. Every value stays within a
few units, so that differences of rounding cannot grow.
"""

import itertools
import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import situ

LENGTH = 12
ARRAYS = ("a", "b", "c")
NUMBERS = ("s", "t")
NUMBER_OF_FILE = itertools.count()

array_expressions = st.sampled_from(
    [
        "{x} + {y}",
        "{x} * 0.5 - {y}",
        "np.sin({x}) * {n}",
        "np.where({x} > {y}, {x}, -{y})",
        "np.minimum({x}, {n}) + 0.25",
        "np.sort({x})",
        "np.cumsum({x}) * 0.01",
        "{x}[::-1] + {y}",
        "np.abs({x} - {n})",
        "-{x}",
        "{x}.copy()",
        "np.full({x}.shape[0], {n})",
        "{x}",
    ]
)
number_expressions = st.sampled_from(
    [
        "np.sum({x}) * 0.1",
        "np.max({x}) - np.min({y})",
        "{x}[3]",
        "{x}[-1] + {n}",
        "{n} * 0.5",
        "np.mean({x} * {y})",
        "max({n}, {m})",
        "math.cos({n})",
        "float(len({x}))",
    ]
)
array_updates = st.sampled_from(
    [
        "{x} += {y}",
        "{x} *= 0.5",
        "{x}[2:7] = {y}[1:6]",
        "{x}[::2] = {n}",
        "{x}[5] = {n}",
        "{x}[1:] += {x}[:-1] * 0.5",
        "{x}[:] = np.cos({x})",
    ]
)
element_loops = st.sampled_from(
    [
        ["for i in range({x}.shape[0]):", "    {x}[i] = {x}[i] * 0.5 + {y}[-1 - i]"],
        ["for i in range(1, {x}.size):", "    {x}[i] = 0.5 * {x}[i - 1] + {n}"],
        ["for i in range(len({x})):", "    {w} = {w} * 0.9 + {x}[i]"],
        ["for i in prange({x}.shape[0]):", "    {x}[i] = math.sin({y}[i]) + {n}"],
        ["for i in prange({x}.shape[0]):", "    {w} += {x}[i] * 0.1"],
        ["i = 0", "while i < 5 and {x}[i] < {n}:", "    {w} = {w} * 0.5 + {y}[i]", "    i += 1"],
    ]
)
tests = st.sampled_from(
    ["{n} > {m}", "{x}[0] < {y}[1]", "np.sum({x}) > 0.0", "{n} > 0.0 or {m} < 1.0"]
)


@st.composite
def filled(draw: st.DrawFn, texts: st.SearchStrategy[Any]) -> list[str]:
    """Return lines of a statement, with names in the places for them."""
    lines = draw(texts)
    places = {
        "x": draw(st.sampled_from(ARRAYS)),
        "y": draw(st.sampled_from(ARRAYS)),
        "n": draw(st.sampled_from((*NUMBERS, "0.75"))),
        "m": draw(st.sampled_from(NUMBERS)),
        "w": draw(st.sampled_from(NUMBERS)),
    }
    return [line.format(**places) for line in ([lines] if isinstance(lines, str) else lines)]


@st.composite
def statements(draw: st.DrawFn, depth: int = 2) -> list[str]:
    """Return the lines of one statement."""
    kinds = ["array", "number", "update", "elements"] + ["if", "for"] * (depth > 0)
    kind = draw(st.sampled_from(kinds))
    if kind == "array":
        (value,) = draw(filled(array_expressions))
        return [f"{draw(st.sampled_from(ARRAYS))} = {value}"]
    if kind == "number":
        (value,) = draw(filled(number_expressions))
        return [f"{draw(st.sampled_from(NUMBERS))} = {value}"]
    if kind == "update":
        return draw(filled(array_updates))
    if kind == "elements":
        return draw(filled(element_loops))
    body = [f"    {line}" for line in draw(blocks(depth - 1))]
    if kind == "for":
        return ["for _ in range(2):", *body]
    (test,) = draw(filled(tests))
    other = [f"    {line}" for line in draw(blocks(depth - 1))]
    return [f"if {test}:", *body, "else:", *other]


def blocks(depth: int) -> st.SearchStrategy[list[str]]:
    """Return the lines of one to four statements."""
    several = st.lists(statements(depth), min_size=1, max_size=4)
    return several.map(lambda parts: [line for part in parts for line in part])


def function_of(lines: list[str]) -> Callable[..., Any]:
    """Return a function with these lines, whose source `inspect` finds."""
    text = "".join(f"    {line}\n" for line in lines)
    source = f"def function(a, b, c, s, t):\n{text}    return a, b, c, s, t\n"
    file = f"<random function {next(NUMBER_OF_FILE)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"np": np, "math": __import__("math"), "prange": situ.prange}
    exec(compile(source, file, "exec"), namespace)
    return namespace["function"]


@pytest.mark.parametrize("is_host", [False, True], ids=["situ", "numpy"])
@given(lines=blocks(2))
def test_random_functions(is_host: bool, lines: list[str]) -> None:
    """A compiled function returns, and leaves in its arguments, what the plain one does."""
    function = function_of(lines)
    generator = np.random.default_rng(5)
    arrays = [generator.uniform(-1, 1, LENGTH) for _ in ARRAYS]
    plain_arrays = [array.copy() for array in arrays]
    expected = function(*plain_arrays, 0.5, -0.25)
    given_arrays = arrays if is_host else [situ.asarray(array) for array in arrays]
    found = situ.njit(function)(*given_arrays, 0.5, -0.25)
    after = zip((*found, *given_arrays), (*expected, *plain_arrays), strict=True)
    for one, other in after:
        assert isinstance(one, situ.ndarray) == (isinstance(other, np.ndarray) and not is_host)
        host = one.to_numpy() if isinstance(one, situ.ndarray) else one
        np.testing.assert_allclose(host, other, rtol=1e-9, atol=1e-12)
