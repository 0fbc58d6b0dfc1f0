"""Array functions and statements in compiled functions, against NumPy; options; bad input."""

import linecache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import situ
from situ import prange

RNG = np.random.default_rng(5)
MATRIX = RNG.random((5, 7))
MATRICES = {
    "float64": MATRIX,
    "float32": MATRIX.astype(np.float32),
    "int32": RNG.integers(0, 9, (6, 5)).astype(np.int32),
    "columns": np.asfortranarray(MATRIX),
}

EXPRESSIONS = (
    *("np.argmin(x)", "x.argmax()", "np.argmax(x, axis=0)", "x.argmin(axis=-1)"),
    *("np.argmin(x * 2 - 1)", "np.argmax(x.T)", "np.argmin(x[:, ::2])"),
    *("np.cumsum(x)", "x.cumsum(axis=0)", "np.cumprod(x, axis=1)", "np.cumsum(x > 1)"),
    *("np.any(x > 0.5)", "np.all(x, axis=0)", "x.min(axis=1)", "np.prod(x, axis=0)"),
    *("np.mean(x, axis=0)", "x.mean(axis=1, keepdims=True)", "x.sum(axis=None)"),
    *("np.sum(x, axis=1, keepdims=True) + x", "np.max(np.sum(x, axis=0))"),
    *("np.std(x)", "x.var(axis=0)", "np.std(x, axis=1)"),
    *("x.ravel()", "x.flatten()", "x.T.ravel()", "np.ravel(x * 2)"),
    *("np.concatenate((x, x + 1))", "np.concatenate((x, x * 2.5), axis=1)"),
    *("np.hstack((x, x))", "np.vstack((x, x[:1]))", "np.concatenate([x[0], x[:, 0], x[1]])"),
    *("np.vstack((x[0], x[1]))", "np.column_stack((x[0], x[1] > 1))"),
    *("np.sort(x[0])", "np.sort(x.ravel())", "np.diff(x)", "np.diff(x[0])"),
    *("np.linspace(0.0, 3.0, 7)", "np.linspace(0, 1, x.shape[0])", "np.linspace(0.0, 3.0)"),
    *("np.count_nonzero(x)", "np.flatnonzero(x > 1)", "np.trace(x)", "np.linalg.norm(x)"),
    *("np.clip(x, 0.2, 0.8)", "np.abs(x - 1)", "np.outer(x[0], x[1])"),
    "np.where(x > 1, x, -x)",
)


def made(text: str) -> Any:
    """Return the function `f` of a text, whose source can be read."""
    file = f"<construct {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"np": np, "prange": prange}
    exec(compile(text, file, "exec"), names)
    return names["f"]


def check(text: str, *hosts: Any) -> str:
    """Compare a function with itself as plain Python on NumPy arrays; return its plan."""
    function = made(text)
    compiled = situ.njit(function)
    arrays = [situ.asarray(each.copy(order="K")) if np.ndim(each) else each for each in hosts]
    found = compiled(*arrays)
    expected = function(*(each.copy(order="K") if np.ndim(each) else each for each in hosts))
    if not isinstance(expected, tuple):
        found, expected = (found,), (expected,)
    for one, other in zip(found, expected, strict=True):
        rtol = 1e-5 if np.asarray(other).dtype == np.float32 else 1e-12
        np.testing.assert_allclose(np.asarray(one), other, rtol=rtol, atol=1e-14)
        if np.ndim(other):
            assert np.asarray(one).dtype == other.dtype
    return compiled.inspect()


@pytest.mark.parametrize("dtype", MATRICES)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_functions_are_numpys_and_compiled(expression, dtype) -> None:
    text = (
        f"def f(x, n):\n    r = {expression}\n    for _ in range(n):\n        r = {expression}\n"
        "    return r\n"
    )
    plan = check(text, MATRICES[dtype], 2)
    assert "compiled together" in plan
    assert "walked" not in plan, plan


@pytest.mark.parametrize("expression", ["np.argmin(x)", "x.argmax()", "np.sort(x)", "np.cumsum(x)"])
@pytest.mark.parametrize("size", [1, 15, 16, 17, 100, 1000, 70_000])
def test_vectors_with_nan_on_both_sides_of_the_guard(expression, size) -> None:
    x = RNG.integers(0, 50, size) / 8
    check(f"def f(x):\n    return {expression}\n", x)
    x[size // 2 :: 7] = np.nan
    check(f"def f(x):\n    return {expression}\n", x)
    check(
        f"def f(x, n):\n    for i in range(n):\n        x = x + {expression}\n    return x\n", x, 2
    )


STATEMENTS = {
    "tuples": """
        for a in (x, y):
            t += np.sum(a)
            a[0] = 1.0""",
    "lists": """
        for a in [x, y * 2.0]:
            t += np.sum(a)""",
    "dtypes": """
        for a in (x, y > 0.1, y[1:]):
            if a[0] < k:
                continue
            t += np.sum(a)""",
    "enumerate": """
        for j, a in enumerate((x, y)):
            t += j * np.sum(a)""",
    "zip": """
        for a, w in zip((x, y), (1.0, 2.0)):
            t += w * np.sum(a)""",
    "break": """
        for a in (x, y, x + 1.0):
            if np.sum(a) < t:
                break
            t += a[1]""",
    "numbers": """
        x = np.dot(0.5, x) + np.dot(y, 2.0)""",
    "chained": """
        x[:] = y[:] = x * 2.0 + k
        x[0] = y[1] = k * 2""",
    "rows": """
        m = np.outer(x, y)
        for j, row in enumerate(m):
            t += row[j] + np.sum(row)""",
    "exchanged": """
        p = (y, x * 2.0)
        x, y = p""",
    "rounds": """
        m = np.outer(x, y)
        for i in prange(m.shape[0]):
            for j in prange(m.shape[1]):
                t += m[i, j] * i * j""",
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements_are_pythons_and_compiled(name) -> None:
    text = (
        f"def f(x, y, n):\n    t = 0.0\n    for k in range(n):{STATEMENTS[name]}\n"
        f"    return x, y, t\n"
    )
    plan = check(text, RNG.random(5), RNG.random(5), 3)
    assert "compiled together" in plan
    assert "walked" not in plan, plan


@pytest.mark.parametrize(
    "statement",
    ["x[:] = y[o] * 2.0", "x[o] = y", "x[o] += y", "x[o] = 3.0", "x[1:] = y[o][1:]"],
)
@pytest.mark.parametrize("size", [4, 20_000])
def test_an_index_outside_leaves_arrays_as_they_were(statement, size) -> None:
    text = f"def f(x, y, o, n):\n    for _ in range(n):\n        {statement}\n"
    o = np.arange(size)
    o[-1] = size
    x = situ.zeros(size)
    with pytest.raises(IndexError, match="outside of the array") as caught:
        situ.njit(made(text))(x, situ.ones(size), situ.asarray(o), 2)
    assert not x.to_numpy().any()
    assert ":3, in njit function `f`" in str(caught.value)
    assert f"({size},)" in str(caught.value)


def test_joined_arrays_must_fit() -> None:
    text = (
        "def f(x, y, n):\n    for _ in range(n):\n"
        "        z = np.hstack((x, y))\n        x[0] = z[0]\n"
    )
    with pytest.raises(situ.ShapeError, match=r"\(2, 3\) and \(3, 3\)"):
        situ.njit(made(text))(situ.ones((2, 3)), situ.ones((3, 3)), 1)


@pytest.mark.parametrize("name", ["argmin", "argmax", "min", "max"])
def test_nothing_to_choose_from(name) -> None:
    text = (
        f"def f(x, n):\n    t = 0.0\n    for _ in range(n):\n"
        f"        t += np.{name}(x)\n    return t\n"
    )
    with pytest.raises(ValueError, match=f"`{name}` of no elements"):
        situ.njit(made(text))(situ.ones(0), 1)


REFUSED = {
    "list index": ("y = x[[0, 1]]", "list as an index", "np.array"),
    "append": ("y = []\n    y.append(x[0])", "append", "np.empty"),
    "generator": ("yield x[0]", "generator", "np.empty"),
    "dict": ("y = {1: 2.0}", "dict", "arrays of keys"),
    "try": (
        "try:\n        x[0] = 1.0\n    except ValueError:\n        pass",
        "catch exceptions",
        "catch around the call",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_names_the_line_and_a_way_out(name) -> None:
    statement, what, help_ = REFUSED[name]
    with pytest.raises(situ.KernelError) as caught:
        situ.njit(made(f"def f(x):\n    {statement}\n    return x\n"))(situ.ones((3, 3)))
    message = str(caught.value)
    assert what in message
    assert help_ in message
    assert "2 |" in message or ":3, in njit function `f`" in message


def test_boundscheck_raises_for_elements_outside() -> None:
    text = "def f(x, n):\n    t = 0.0\n    for i in {}(n):\n        t += x[i]\n    return t\n"
    for loop in ("range", "prange"):
        checked = situ.njit(boundscheck=True)(made(text.format(loop)))
        assert checked(situ.ones(4), 4) == 4.0
        with pytest.raises(IndexError, match="x"):
            checked(situ.ones(4), 5)


def test_error_models() -> None:
    text = (
        "def f(x, n):\n    t = 0.0\n    for i in range(n):\n"
        "        t += x[0] / (x[i] - 1.0)\n    return t\n"
    )
    assert situ.njit(error_model="numpy")(made(text))(situ.ones(2), 2) == np.inf
    with pytest.raises(situ.KernelTypeError, match="no error model 'python'"):
        situ.njit(error_model="python")  # pyright: ignore[reportArgumentType, reportCallIssue]


def test_other_options_of_numba_are_accepted() -> None:
    function = made("def f(x):\n    return np.sum(x)\n")
    options = {"cache": True, "nogil": True, "parallel": True, "inline": "always"}
    assert situ.njit(**options)(function)(situ.ones(3)) == 3.0


def test_calls_leave_nothing_behind() -> None:
    @situ.njit
    def small(x, y):
        z = np.concatenate((np.sort(x), np.cumsum(y)))
        for w in (z, x * 2.0):
            x[0] = w[1] * 0.5
        return np.argmax(z)

    x, y = situ.ones(4), situ.ones(4)

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096

    for _ in range(2000):
        small(x, y)
    before = resident()
    for _ in range(100_000):
        small(x, y)
    assert resident() - before < 4 << 20
