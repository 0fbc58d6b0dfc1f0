"""Loops over array statements: compiled as a whole, and the same as NumPy does them."""

import linecache
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from njit.loop_programs import programs

import situ

DTYPES = ("float64", "float32", "int64", "int32")


def resident_bytes() -> int:
    """Return how much memory this process has."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096


def _clipped(x):
    y = np.maximum(x, -2)
    return np.minimum(y, 2) * 1


@situ.njit
def compiled_clipped(x):
    y = np.maximum(x, -2)
    return np.minimum(y, 2) * 1


def made(text: str, clipped: Any = _clipped) -> Any:
    """Return the function of a text, with a file that its source can be read from."""
    file = f"<loop program {zlib.crc32(text.encode()):08x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"np": np, "prange": situ.prange, "clipped": clipped}
    exec(compile(text, file, "exec"), names)
    return names["program"]


def outcome(function: Any, arguments: list[Any]) -> Any:
    """Return what a function returns and what it has made of its arguments, or its exception."""
    try:
        with np.errstate(all="ignore"):
            result = function(*arguments)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        return error
    return [np.asarray(each) for each in (*result, *arguments[:4])]


# The same programs in each run: floats that are stored to integers may be rounded to either side of
# one. `make fuzz` searches others.
@settings(
    derandomize=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(
    text=programs(),
    size=st.sampled_from((1, 2, 3, 5, 120)),
    dtypes=st.tuples(st.sampled_from(DTYPES), st.sampled_from(DTYPES)),
    seed=st.integers(0, 99),
)
def test_random_programs(text, size, dtypes, seed) -> None:
    rng = np.random.default_rng(seed)
    vectors = [rng.integers(-4, 5, size).astype(dtypes[0]) for _ in range(2)]
    matrices = [rng.integers(-4, 5, (size, size)).astype(dtypes[1]) for _ in range(2)]
    order = rng.permutation(size) - rng.integers(0, 2, size) * size
    hosts = [*vectors, *matrices, order, 0.5, size]
    expected = outcome(made(text), [each.copy() if np.ndim(each) else each for each in hosts])
    arrays = [situ.asarray(each) if np.ndim(each) else each for each in hosts]
    found = outcome(situ.njit(made(text, compiled_clipped)), arrays)
    if isinstance(expected, Exception):
        assert isinstance(found, Exception), f"NumPy raises {expected!r}\n{text}"
        return
    assert not isinstance(found, Exception), f"{found}\n{text}"
    for ours, theirs in zip(found, expected, strict=True):
        # Numbers are Python's own and take the dtype of the arrays they meet; NumPy's keep theirs.
        if theirs.ndim and set(dtypes) <= {"float64", "int64"}:
            assert ours.dtype == theirs.dtype, text
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-5, err_msg=text)


def steps(x, v, n):
    for _ in range(n):
        force = -x * (1.0 + 0.25 * np.sum(x * x))
        v = v + 0.125 * force
        x = x + 0.125 * v
    return x, v


def substitution(lower, x, b):
    for i in range(x.shape[0]):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return x


def sparse_product(starts, columns, values, x, y):
    for i in range(y.shape[0]):
        own = columns[starts[i] : starts[i + 1]]
        y[i] = values[starts[i] : starts[i + 1]] @ x[own]
    return y


def shortest_paths(path):
    for k in range(path.shape[0]):
        for i in range(path.shape[0]):
            path[i, :] = np.minimum(path[i, :], path[i, k] + path[k, :])
    return path


def until_small(x):
    rounds = 0
    while np.max(np.abs(x)) > 0.125:
        x = x * 0.5
        rounds += 1
    return x, rounds


def overlapping(x, n):
    for _ in range(n):
        x[1:] = x[:-1] + 1.0
        x[:-1] += x[1:]
    return x


def aliases(x, n):
    y = x
    for i in range(n):
        y = x
        y[i] = 2.0
        row = y[1:]
        row[:] = x[:-1] * 0.5
        x = x + 1.0
    return x, y


def tables(n):
    total = 0.0
    for i in range(n):
        table = np.zeros((3, i + 1)) + np.arange(i + 1)
        total += np.sum(table.T[0]) + table.mean() + np.full(2, 0.5).sum()
        total += np.outer(np.ones(2), np.arange(3))[1, 2]
    return total


def scattered(x, places, v, n):
    for _ in range(n):
        x[places] = v * 2.0
        x[places] += v
        x[places[:2]] = 5
        x[places] -= 1
    return x


def lower_triangle():
    return np.tril(np.arange(1.0, 50.0).reshape(7, 7) % 5 + 1)


CASES = {
    "steps": (steps, lambda: (np.linspace(-1, 1, 9), np.ones(9), 20)),
    "substitution": (substitution, lambda: (lower_triangle(), np.zeros(7), np.ones(7))),
    "sparse_product": (
        sparse_product,
        lambda: (
            np.array([0, 2, 2, 5]),
            np.array([0, 3, 1, 2, -1]),
            np.arange(5.0),
            np.arange(4.0) + 1,
            np.zeros(3),
        ),
    ),
    "shortest_paths": (shortest_paths, lambda: (np.arange(36.0).reshape(6, 6) % 7,)),
    "until_small": (until_small, lambda: (np.arange(5.0),)),
    "overlapping": (overlapping, lambda: (np.arange(9.0), 3)),
    "aliases": (aliases, lambda: (np.arange(6.0), 3)),
    "tables": (tables, lambda: (5,)),
    "scattered": (
        scattered,
        lambda: (np.arange(6.0), np.array([3, 0, -1, 0]), np.array([1.0, 2.0, 3.0, 4.0]), 3),
    ),
}


def on_device(arguments: Any) -> list[Any]:
    return [situ.asarray(each) if isinstance(each, np.ndarray) else each for each in arguments]


def check_same(found: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            check_same(one, other)
        return
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_designed_programs(name) -> None:
    function, make = CASES[name]
    hosts, arrays = make(), on_device(make())
    compiled = situ.njit(function)
    check_same(compiled(*arrays), function(*hosts))
    for ours, theirs in zip(arrays, hosts, strict=True):
        check_same(ours, theirs)
    assert "compiled" in compiled.inspect()
    assert "walked" not in compiled.inspect()


@pytest.mark.parametrize("size", [1, 7, 8, 9, 1000, 65_536, 65_537, 200_000])
def test_sizes_on_both_sides_of_the_guard(size) -> None:
    hosts = (np.linspace(-1, 1, size) / size, np.ones(size) / size, 3)
    check_same(situ.njit(steps)(*on_device(hosts)), steps(*hosts))


def test_arrays_that_share_memory() -> None:
    @situ.njit
    def shifted(x, y, n):
        for _ in range(n):
            x[1:] = y[:-1] * 2.0

    x = situ.arange(6, dtype="float64")
    shifted(x, x, 2)
    np.testing.assert_array_equal(x.to_numpy(), [0.0, 0.0, 0.0, 4.0, 8.0, 12.0])


def test_numpy_arrays_stay_numpy() -> None:
    x, v = situ.njit(steps)(np.ones(3), np.ones(3), 2)
    assert type(x) is np.ndarray
    check_same((x, v), steps(np.ones(3), np.ones(3), 2))


def test_an_array_that_is_returned_is_the_one_that_was_passed() -> None:
    @situ.njit
    def exchanged(a, b, n):
        for _ in range(n):
            a, b = b, a
            a[:] = b + 1.0
        return a, b

    a, b = situ.zeros(3), situ.zeros(3)
    first, second = exchanged(a, b, 3)
    first[0] = 9.0
    second[0] = 8.0
    assert (float(b[0]), float(a[0])) == (9.0, 8.0)


def test_indices_outside_are_refused() -> None:
    starts, columns, values, x, y = CASES["sparse_product"][1]()
    columns[1] = 4
    with pytest.raises(IndexError, match="outside of the array"):
        situ.njit(sparse_product)(*on_device((starts, columns, values, x, y)))


def test_shapes_that_do_not_fit_name_the_line_and_the_shapes() -> None:
    @situ.njit
    def summed(x, y):
        total = 0.0
        for i in range(3):
            total += np.sum(x[i:] * y)
        return total

    with pytest.raises(situ.ShapeError) as caught:
        summed(situ.ones(4), situ.ones(4))
    message = str(caught.value)
    assert "(3,) and (4,)" in message
    assert "`x[i:] * y`" in message or "np.sum(x[i:] * y)" in message
    assert "in njit function `summed`" in message


def test_nothing_is_left_behind() -> None:
    compiled = situ.njit(steps)
    x, v = situ.ones(20), situ.ones(20)
    fails = situ.njit(substitution)
    wrong = (situ.ones((3, 3)), situ.ones(5), situ.ones(5))

    def rounds(count: int) -> None:
        for _ in range(count):
            compiled(x, v, 2)
            with pytest.raises(Exception):  # noqa: B017, PT011
                fails(*wrong)

    rounds(200)
    before = resident_bytes()
    rounds(3000)
    assert resident_bytes() - before < 3000 * 100
