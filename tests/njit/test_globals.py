"""Names around an njit function keep the values that they have at its first call."""

import itertools
import types
from typing import Any

import numpy as np
import pytest

import situ

numba = pytest.importorskip("numba")

NUMBER = 2.0
PAIR = (1.0, 3.0)
ARRAY = situ.asarray(np.array([1.0, 2.0, 3.0]))
HOST_ARRAY = np.array([1.0, 2.0, 3.0])
SETTINGS = types.ModuleType("settings")
SETTINGS.SCALE = 2.0
SETTINGS.inner = types.ModuleType("settings.inner")
SETTINGS.inner.SHIFT = 1.0


class Options:
    """A class with a constant."""

    LIMIT = 2.0


def x() -> situ.ndarray:
    return situ.asarray(np.array([1.0, 2.0, 3.0]))


def changed(monkeypatch: pytest.MonkeyPatch, name: str, value: object) -> None:
    monkeypatch.setitem(globals(), name, value)


def both(compile: Any) -> Any:
    """Return a function that uses a global in a walked statement and in a compiled one."""

    @compile
    def function(x):
        walked = x * NUMBER
        compiled = 0.0
        for i in range(x.shape[0]):
            compiled += x[i] * NUMBER
        return np.sum(walked), compiled

    return function


@pytest.mark.parametrize("compile", [situ.njit, numba.njit], ids=["situ", "numba"])
def test_numbers(monkeypatch: pytest.MonkeyPatch, compile: Any) -> None:
    """Statements that are compiled and those that are not use one value."""
    function = both(compile)
    assert function(x()) == (12.0, 12.0)
    changed(monkeypatch, "NUMBER", 10.0)
    assert function(x()) == (12.0, 12.0)
    # Another dtype is compiled anew, with the same value.
    assert function(x().astype("float32")) == (12.0, 12.0)
    assert both(compile)(x()) == (60.0, 60.0)


def test_prange(monkeypatch: pytest.MonkeyPatch) -> None:
    @situ.njit
    def function(x):
        total = 0.0
        for i in situ.prange(x.shape[0]):
            total += x[i] * NUMBER
        return total, np.sum(x * NUMBER)

    assert function(x()) == (12.0, 12.0)
    changed(monkeypatch, "NUMBER", 10.0)
    assert function(x()) == (12.0, 12.0)
    assert function(x()[:2].copy()) == (6.0, 6.0)


def test_closure_variables() -> None:
    factor = 2.0

    @situ.njit
    def function(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += x[i] * factor
        return np.sum(x * factor), total

    assert function(x()) == (12.0, 12.0)
    factor = 10.0
    assert function(x()) == (12.0, 12.0)


def test_tuples(monkeypatch: pytest.MonkeyPatch) -> None:
    @situ.njit
    def function(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += x[i] * PAIR[1]
        return np.sum(x * PAIR[1]), total

    assert function(x()) == (18.0, 18.0)
    changed(monkeypatch, "PAIR", (1.0, 2.0))
    assert function(x()) == (18.0, 18.0)


def test_arrays_keep_their_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name stands for the same array; what is stored in it is seen."""

    @situ.njit
    def function(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += ARRAY[i]
        return np.sum(x * ARRAY), total

    before = ARRAY
    try:
        assert function(x()) == (14.0, 6.0)
        changed(monkeypatch, "ARRAY", situ.zeros(3))
        assert function(x()) == (14.0, 6.0)
        before[0] = 2.0
        assert function(x()) == (15.0, 7.0)
    finally:
        before[0] = 1.0


def test_numpy_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    @situ.njit
    def function(n):
        total = 0.0
        for i in range(n):
            total += HOST_ARRAY[i]
        return total, np.sum(HOST_ARRAY * 2.0)

    assert function(3) == (6.0, 12.0)
    changed(monkeypatch, "HOST_ARRAY", np.zeros(3))
    assert function(3) == (6.0, 12.0)


def test_attributes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attributes of modules and classes are as frozen as names are."""

    @situ.njit
    def function(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += x[i] * SETTINGS.SCALE + SETTINGS.inner.SHIFT - Options.LIMIT
        return np.sum(x * SETTINGS.SCALE + SETTINGS.inner.SHIFT - Options.LIMIT), total

    assert function(x()) == (9.0, 9.0)
    monkeypatch.setattr(SETTINGS, "SCALE", 10.0)
    monkeypatch.setattr(SETTINGS.inner, "SHIFT", 100.0)
    monkeypatch.setattr(Options, "LIMIT", 1000.0)
    assert function(x()) == (9.0, 9.0)


@situ.njit
def _scaled(v):
    return v * NUMBER


def test_called_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that is called keeps its own values, whether it is compiled into the caller."""

    @situ.njit
    def scaled(v):
        return v * NUMBER

    @situ.njit
    def caller(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += scaled(x[i])
        return np.sum(scaled(x)), total

    # The first use of `scaled` is before that of its caller.
    assert scaled(2.0) == 4.0
    changed(monkeypatch, "NUMBER", 10.0)
    assert caller(x()) == (12.0, 12.0)
    assert scaled(2.0) == 4.0

    @situ.njit
    def scaled_now(v):
        return v * NUMBER

    @situ.njit
    def caller_now(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += scaled_now(x[i])
        return total

    # The first use of `scaled_now` is as a part of its caller.
    assert caller_now(x()) == 60.0
    changed(monkeypatch, "NUMBER", 3.0)
    assert np.asarray(scaled_now(x())).tolist() == [10.0, 20.0, 30.0]
    assert caller_now(x()) == 60.0


def test_rebound_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    @situ.njit
    def function(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += _scaled(x[i])
        return np.sum(_scaled(x)), total

    assert function(x()) == (12.0, 12.0)

    @situ.njit
    def other(v):
        return v * 100.0

    changed(monkeypatch, "_scaled", other)
    assert function(x()) == (12.0, 12.0)


def test_functions_as_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same values for each function that is passed."""

    @situ.njit
    def apply(function, x):
        return function(x) * NUMBER

    @situ.njit
    def same(v):
        return v

    @situ.njit
    def negated(v):
        return -v

    assert np.asarray(apply(same, x())).tolist() == [2.0, 4.0, 6.0]
    changed(monkeypatch, "NUMBER", 10.0)
    assert np.asarray(apply(negated, x())).tolist() == [-2.0, -4.0, -6.0]


def test_names_inside_of_inner_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    @situ.njit
    def function(x):
        def inner(v):
            return v * NUMBER

        total = 0.0
        for i in range(x.shape[0]):
            total += inner(x[i])
        return total, [n * NUMBER for n in range(2)][1]

    assert function(x()) == (12.0, 2.0)
    changed(monkeypatch, "NUMBER", 10.0)
    assert function(x()) == (12.0, 2.0)


def test_a_call_that_failed_freezes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever corrects a global after an error sees the correction."""

    @situ.njit
    def function(x):
        return np.sum(x * LATER)  # noqa: F821 - it is defined below

    with pytest.raises(NameError, match="LATER"):
        function(x())
    monkeypatch.setitem(globals(), "LATER", "two")
    with pytest.raises(TypeError):
        function(x())
    monkeypatch.setitem(globals(), "LATER", ARRAY)
    assert function(x()) == 14.0
    monkeypatch.setitem(globals(), "LATER", 5.0)
    assert function(x()) == 14.0


def test_a_called_function_that_failed_freezes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    @situ.njit
    def inner(v):
        return v * LATER  # noqa: F821 - it is defined below

    @situ.njit
    def function(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += inner(x[i])
        return total

    for value in ("two", None):
        monkeypatch.setitem(globals(), "LATER", value)
        with pytest.raises(situ.exceptions.KernelError, match="LATER"):
            function(x())
    monkeypatch.setitem(globals(), "LATER", 2.0)
    assert function(x()) == 12.0


def test_orders_of_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever of two functions runs first, each has one value for good."""
    for first, second in itertools.permutations([0, 1]):
        changed(monkeypatch, "NUMBER", 2.0)
        functions = [both(situ.njit), both(situ.njit)]
        assert functions[first](x()) == (12.0, 12.0)
        changed(monkeypatch, "NUMBER", 1.0)
        assert functions[second](x()) == (6.0, 6.0)
        assert functions[first](x()) == (12.0, 12.0)
