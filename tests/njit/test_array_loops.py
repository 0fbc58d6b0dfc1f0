"""Loops over array statements: compiled as a whole, and the same as NumPy does them."""

import linecache
import zlib
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from njit.loop_programs import programs

import situ

DTYPES = ("float64", "float32", "int64", "int32")


def made(text: str) -> Any:
    """Return the function of a text, with a file that its source can be read from."""
    file = f"<loop program {zlib.crc32(text.encode()):08x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec"), names)  # noqa: S102
    return names["program"]


def outcome(function: Any, arguments: list[Any]) -> Any:
    """Return what a function returns and what it has made of its arguments, or its exception."""
    try:
        with np.errstate(all="ignore"):
            result = function(*arguments)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        return error
    return [np.asarray(each) for each in (*result, *arguments[:4])]


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    text=programs(),
    size=st.sampled_from((1, 2, 3, 5)),
    dtypes=st.tuples(st.sampled_from(DTYPES), st.sampled_from(DTYPES)),
    seed=st.integers(0, 99),
)
def test_random_programs(text, size, dtypes, seed) -> None:
    rng = np.random.default_rng(seed)
    vectors = [rng.integers(-4, 5, size).astype(dtypes[0]) for _ in range(2)]
    matrices = [rng.integers(-4, 5, (size, size)).astype(dtypes[1]) for _ in range(2)]
    hosts = [*vectors, *matrices, 0.5, size]
    expected = outcome(made(text), [each.copy() if np.ndim(each) else each for each in hosts])
    arrays = [situ.asarray(each) if np.ndim(each) else each for each in hosts]
    found = outcome(situ.njit(made(text)), arrays)
    if isinstance(expected, Exception):
        assert isinstance(found, Exception), f"NumPy raises {expected!r}\n{text}"
        return
    assert not isinstance(found, Exception), f"{found}\n{text}"
    for ours, theirs in zip(found, expected, strict=True):
        # A name that holds a number is Python's own.
        if theirs.ndim:
            assert ours.dtype == theirs.dtype, text
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-5, err_msg=text)
