"""Complex numbers where elements are real: a warning or a refusal, as NumPy has it."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.exceptions import ComplexWarning

import situ

PAIR = np.array([1 + 2j, 3 + 4j])
REAL = ("int8", "uint16", "int64", "float16", "float32", "float64")


def outcome(call: Callable[[], Any]) -> tuple[object, bool]:
    """Return the elements a call leaves or the class of its refusal, and whether it warned."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            result = call()
        except TypeError:
            return TypeError, False
    array = result.to_numpy() if isinstance(result, situ.ndarray) else result
    return (array.dtype, array.tolist()), any(each.category is ComplexWarning for each in told)


def assigned(xp: Any, dtype: str, index: Any, value: Any) -> Any:
    """Return zeros after an assignment; arrays are made those of a module."""
    of = xp.asarray
    index = of(index) if isinstance(index, np.ndarray) else index
    value = of(value) if isinstance(value, np.ndarray) else value
    x = of(np.zeros(2, dtype))
    x[index] = value
    return x


INDICES = (
    *(..., slice(None), slice(0, 2, 1), slice(None, None, -1)),
    *(np.array([True, True]), np.array([0, 1]), np.array([1, 0])),
)
VALUES = (
    *(PAIR, PAIR.astype("complex64"), PAIR.real + 0j, np.array(1j)),
    *(np.complex128(1 + 2j), np.complex64(1 + 2j), 1j, 2 + 0j, 2.0, True),
)


@pytest.mark.parametrize("dtype", ["bool", *REAL, "complex64", "complex128"])
def test_assignments_say_what_numpy_says(dtype: str) -> None:
    for index in INDICES:
        for value in VALUES:
            expected = outcome(lambda i=index, v=value: assigned(np, dtype, i, v))
            found = outcome(lambda i=index, v=value: assigned(situ, dtype, i, v))
            assert found == expected, (index, value)


@settings(max_examples=60)
@given(
    dtype=st.sampled_from(["bool", *REAL, "complex64", "complex128"]),
    other=st.sampled_from(["bool", *REAL, "complex64", "complex128"]),
    size=st.integers(0, 5),
)
def test_conversions_say_what_numpy_says(dtype: str, other: str, size: int) -> None:
    x = np.arange(size).astype(dtype)
    mine = situ.asarray(x)
    for call in (
        lambda xp, x: x.astype(other),
        lambda xp, x: xp.astype(x, np.dtype(other)),
        lambda xp, x: xp.asarray(x, dtype=other),
        lambda xp, x: xp.add(x, x, out=xp.zeros(x.shape, dtype=other), casting="unsafe"),
        lambda xp, x: xp.abs(x, out=xp.zeros(x.shape, dtype=other), casting="unsafe"),
    ):
        expected, found = outcome(lambda c=call: c(np, x)), outcome(lambda c=call: c(situ, mine))
        assert found == expected, (dtype, other)


CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "in place": lambda xp, x, z: x.__iadd__(z),
    "in place, a number": lambda xp, x, z: x.__imul__(1j),
    "out": lambda xp, x, z: xp.add(z, z, out=x),
    "out, anything goes": lambda xp, x, z: xp.add(z, z, out=x, casting="unsafe"),
    "dtype, anything goes": lambda xp, x, z: xp.add(z, z, dtype="float32", casting="unsafe"),
    "sum": lambda xp, x, z: xp.sum(z, dtype="float64")[()],
    "mean": lambda xp, x, z: xp.mean(z, dtype="float64")[()],
    "prod": lambda xp, x, z: xp.prod(z, dtype="float32")[()],
    "cumulative_sum": lambda xp, x, z: xp.cumulative_sum(z, dtype="float64"),
    "full": lambda xp, x, z: xp.full(2, 1 + 2j, dtype="float64"),
    "full of NumPy's": lambda xp, x, z: xp.full(2, np.complex64(1 + 2j), dtype="float64"),
    "full_like": lambda xp, x, z: xp.full_like(x, 1 + 2j),
    "linspace": lambda xp, x, z: xp.linspace(0, 1 + 1j, 3, dtype="float64"),
    "fill": lambda xp, x, z: x.fill(1j),
    "copyto": lambda xp, x, z: xp.copyto(x, z),
    "copyto a number": lambda xp, x, z: xp.copyto(x, 1j),
    "putmask": lambda xp, x, z: xp.putmask(x, x == 0, z),
    "asarray a list": lambda xp, x, z: xp.asarray([1j, 2], dtype="float64"),
}


@pytest.mark.parametrize("name", list(CALLS))
def test_functions_say_what_numpy_says(name: str) -> None:
    call = CALLS[name]
    expected = outcome(lambda: call(np, np.zeros(2), PAIR))
    found = outcome(lambda: call(situ, situ.zeros(2), situ.asarray(PAIR)))
    assert found == expected


def test_parts_of_complex_numbers_are_real() -> None:
    for xp in (np, situ):
        for value in (1 + 5j, xp.asarray(PAIR)):
            z = xp.asarray(PAIR.copy())
            with pytest.warns(ComplexWarning):
                z.real = value
            with pytest.warns(ComplexWarning):
                z.imag = value
            expected = [1 + 1j, 1 + 1j] if isinstance(value, complex) else [1 + 1j, 3 + 3j]
            assert np.asarray(z).tolist() == expected


def test_the_warning_names_the_line_of_the_user() -> None:
    x, z = situ.zeros(2), situ.asarray(PAIR)
    calls: tuple[Callable[[], object], ...] = (
        lambda: z.astype("float64"),
        lambda: situ.astype(z, situ.float64),
        lambda: x.__setitem__(..., z),
        lambda: situ.put(x, situ.asarray([0, 1]), z),
        lambda: situ.sum(z, dtype="float64"),
    )
    for call in calls:
        with pytest.warns(ComplexWarning) as told:
            call()
        assert [each.filename for each in told] == [__file__]


def test_who_makes_errors_of_warnings_finds_the_elements_as_they_were() -> None:
    x = situ.ones(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for index in (..., situ.asarray([0, 1]), situ.asarray([True, False])):
            with pytest.raises(ComplexWarning):
                x[index] = situ.asarray(1j)
    assert x.to_numpy().tolist() == [1, 1]


def test_refusals_say_what_to_do() -> None:
    x = situ.ones(2)
    with pytest.raises(situ.DTypeError, match=r"(?s)complex number .* float64.*why:.*help:.*real"):
        x[0] = 1j
    with pytest.raises(situ.DTypeError, match=r"(?s)`copyto` cannot store complex128.*help:"):
        situ.copyto(x, 1j, where=x > 0)
    with pytest.raises(situ.DTypeError, match=r"(?s)`copyto` cannot store float64.*help:"):
        situ.copyto(situ.zeros(2, dtype="int32"), 1.5)
    assert x.to_numpy().tolist() == [1, 1]
