"""Calls on few elements take a short way once they were made a few times: nobody can tell.

Each call is repeated, so that it comes by both ways, and compared with NumPy each time.
"""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import situ
from situ.testing import deferral

# After so many calls the kernel is there, and known to be short.
REPEATS = 12

Array = Any
DTYPES = ("bool", "int8", "int32", "uint64", "float32", "float64", "complex64", "complex128")


def host(dtype: str, seed: int) -> np.ndarray[Any, Any]:
    numbers = np.random.default_rng(seed).integers(1, 5, 7)
    return numbers.astype(dtype) if dtype != "bool" else numbers % 2 == 0


def check(work: Callable[..., Array], *arrays: np.ndarray[Any, Any]) -> None:
    """Compare a call with NumPy's, again and again, with other numbers each time."""
    for turn in range(REPEATS):
        given = [np.roll(array, turn) for array in arrays]
        expected = work(*given)
        found = work(*map(situ.asarray, given))
        assert found.dtype == expected.dtype
        assert found.shape == expected.shape
        np.testing.assert_allclose(found.to_numpy(), expected, rtol=1e-6)


OPERATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "add": lambda a, b: a + b,
    "multiply": lambda a, b: a * b,
    "less": lambda a, b: abs(a) < abs(b),
    "equal": lambda a, b: a == b,
    "times a float": lambda a, b: (a + b) * 0.5,
    "plus an integer": lambda a, b: a + b + 3,
    "integer minus": lambda a, b: 7 - (a + b * 2),
    "compared with an integer": lambda a, b: abs(a * 1 + b) > 3,
    "square": lambda a, b: (a * 1 + b) ** 2,
    "power": lambda a, b: (abs(a) + 1.0) ** (abs(b) * 0.5),
    "absolute": lambda a, b: abs(a + b),
    "conversion": lambda a, b: (a + b).astype("complex128"),
    "copy": lambda a, b: (a + b).copy(),
    "mixed": lambda a, b: a + abs(b).astype("int16"),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OPERATIONS)
def test_operators_agree_with_numpy(name: str, dtype: str) -> None:
    check(OPERATIONS[name], host(dtype, 1), host(dtype, 2))


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if "complex" not in dtype])
@pytest.mark.parametrize(
    "name", ["sum", "prod", "min", "max", "mean", "any", "all", "argmin", "argmax"]
)
@pytest.mark.parametrize("size", [1, 7, 1000, 3000])
def test_reductions_agree_with_numpy(name: str, dtype: str, size: int) -> None:
    x = np.resize(host(dtype, 3), size)
    x = x if name != "prod" else np.minimum(x, x.dtype.type(1))
    for _ in range(REPEATS):
        expected = getattr(x, name)()
        found = getattr(situ.asarray(x), name)()
        assert found.dtype == expected.dtype
        assert found.shape == ()
        np.testing.assert_allclose(found.to_numpy(), expected, rtol=1e-6)


def test_functions_agree_with_numpy() -> None:
    x, y = np.linspace(0.1, 0.9, 9), np.linspace(1.0, 2.0, 9)
    for _ in range(REPEATS):
        a, b = situ.asarray(x), situ.asarray(y)
        np.testing.assert_allclose(situ.sin(a).to_numpy(), np.sin(x), rtol=1e-15)
        np.testing.assert_allclose(situ.hypot(a, b).to_numpy(), np.hypot(x, y), rtol=1e-15)
        out = situ.zeros(9)
        assert situ.add(a, b, out=out) is out
        np.testing.assert_array_equal(out.to_numpy(), x + y)
        found = situ.add(a, b, where=a > 0.5, out=out)
        np.testing.assert_array_equal(found.to_numpy(), x + y)


def test_shapes_and_steps_that_are_not_plain_are_seen() -> None:
    x = np.arange(12.0)
    grid = x.reshape(3, 4)
    check(lambda a: a + a, grid)
    check(lambda a: a + a.T.copy().T, grid)
    check(lambda a: a[:, 1] + a[:, 2], grid)
    check(lambda a: a[::-1] + a, x)
    check(lambda a: a + a[:1], x)
    check(lambda a: a[3] + a[4], x)
    check(lambda a: a[:0] + a[:0], x)


def test_numbers_that_do_not_fit_are_refused_each_time() -> None:
    small = situ.asarray([1, 2], dtype="uint8")
    for _ in range(REPEATS):
        assert (small + 7).to_numpy().tolist() == [8, 9]
        assert (small < 7).to_numpy().tolist() == [True, True]
        with pytest.raises(OverflowError, match="300 does not fit into uint8"):
            small + 300
        assert (small < 300).to_numpy().tolist() == [True, True]
        assert (small > 2**70).to_numpy().tolist() == [False, False]
        with pytest.raises(OverflowError, match="cannot assign the integer 300"):
            small[0] = 300


def test_what_waits_for_memory_is_computed_before_that_is_written() -> None:
    x = situ.ones(8)
    for turn in range(REPEATS):
        x[...] = float(turn)
        with deferral(1):
            promised = x * 2.0
        x += 1.0
        x[2:4] = 0.0
        assert promised.to_numpy().tolist() == [2.0 * turn] * 8


def test_assignments_agree_with_numpy() -> None:
    x, y = np.arange(10.0), np.arange(10)
    a, b = situ.asarray(x), situ.asarray(y)
    for turn in range(REPEATS):
        for mine, theirs, values in ((a, x, b), (b, y, a)):
            other = values.to_numpy()
            mine[3], theirs[3] = turn, turn
            mine[1:4], theirs[1:4] = 2.5, 2.5
            mine[::2], theirs[::2] = 1, 1
            mine[5:8], theirs[5:8] = values[:3], other[:3]
            mine[1:], theirs[1:] = mine[:-1], theirs[:-1].copy()
            mine += 2
            theirs += 2
            np.testing.assert_array_equal(mine.to_numpy(), theirs)


@pytest.mark.parametrize("shape", [(10,), (4, 5), (3, 2, 2)])
def test_masks_choose_as_in_numpy(shape: tuple[int, ...], device: situ.Device) -> None:
    x = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    a = situ.asarray(x, device=device)
    rows = np.arange(shape[0]) % 2 == 0
    for mask in (x % 3 == 0, rows, ~rows, rows & ~rows, x >= 0):
        found = a[situ.asarray(mask, device=device)]
        assert (found.dtype, found.usm_type) == (x.dtype, a.usm_type)
        np.testing.assert_array_equal(found.to_numpy(), x[mask])
    chosen = (a * 2)[a > 2]
    np.testing.assert_array_equal(chosen.to_numpy(), (x * 2)[x > 2])
    with pytest.raises(IndexError, match="mask"):
        a[situ.asarray(np.ones(shape[0] + 1, bool), device=device)]


def test_elements_become_numbers_of_python() -> None:
    for dtype in (*DTYPES, "float16", "uint8", "int64"):
        x = host("bool" if dtype == "bool" else dtype, 4)
        number, expected = situ.asarray(x)[2].item(), x[2].item()
        assert type(number) is type(expected)
        assert number == expected


def test_slices_are_read_as_python_reads_them() -> None:
    x = np.arange(10)
    a = situ.asarray(x)
    huge = 2**80
    for part in (
        slice(1, -1),
        slice(None, None, -1),
        slice(-3, None),
        slice(huge, -huge, -2),
        slice(-huge, huge, 3),
        slice(np.int8(2), np.uint64(7)),
        slice(situ.asarray(2), None, huge),
        slice(8, 2),
    ):
        np.testing.assert_array_equal(a[part].to_numpy(), x[part])
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        a[::0]
    with pytest.raises(TypeError, match="slice indices must be integers"):
        a["1":]  # pyright: ignore[reportArgumentType]


def test_threads_have_calls_of_their_own() -> None:
    failures: list[str] = []

    def work(seed: int) -> None:
        x = host("float64", seed)
        a = situ.asarray(x)
        for turn in range(200):
            found = ((a + turn) * a - 1.0).to_numpy()
            if not np.array_equal(found, (x + turn) * x - 1.0):
                failures.append(f"{seed}: {found}")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.parametrize("dtype", DTYPES)
def test_new_arrays_agree_with_numpy(dtype: str) -> None:
    for turn in range(REPEATS):
        for shape in ((), (7,), (0,), (2, 3), [4, 1]):
            found = situ.full(shape, turn % 2, dtype=dtype)
            np.testing.assert_array_equal(found.to_numpy(), np.full(shape, turn % 2, dtype=dtype))
            assert situ.ones(shape, dtype).to_numpy().tolist() == np.ones(shape).tolist()
            assert situ.zeros(shape, dtype).dtype == dtype


@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_of_what_lies_apart_agree_with_numpy(dtype: str) -> None:
    x = np.resize(host(dtype, 5), (3, 4, 5))
    check(lambda a: a[::-1].copy(), x)
    check(lambda a: a[..., ::2].copy(), x)
    check(lambda a: a.T.copy(), x)
    check(lambda a: a[:, 1].T.astype("complex128"), x)
    check(lambda a: a.transpose(1, 0, 2).astype("bool"), x)


def test_choices_and_limits_agree_with_numpy() -> None:
    x, y = np.linspace(-1.0, 1.0, 9), np.linspace(1.0, 2.0, 9)
    mask = x > 0.3
    for turn in range(REPEATS):
        a, b, holds = situ.asarray(x), situ.asarray(y), situ.asarray(mask)
        for low in (-0.5, turn):
            expected = np.where(mask, x, low)
            np.testing.assert_array_equal(situ.where(holds, a, low).to_numpy(), expected)
            expected = np.clip(x, low, y + turn)
            np.testing.assert_array_equal(situ.clip(a, low, b + turn).to_numpy(), expected)
        np.testing.assert_array_equal(situ.where(holds, a, b).to_numpy(), np.where(mask, x, y))
        with pytest.raises(situ.ShapeError):
            situ.where(holds, a, b[:4])


@pytest.mark.parametrize("dtype", [*DTYPES, "int16", "uint8"])
@pytest.mark.parametrize("size", [1, 7, 1000, 3000])
def test_counts_agree_with_numpy(dtype: str, size: int) -> None:
    x = np.resize(host(dtype, 4), size)
    x[::3] = 0
    for _ in range(REPEATS):
        a = situ.asarray(x)
        assert int(situ.count_nonzero(a)) == np.count_nonzero(x)
        assert bool(situ.any(a)) == bool(x.any())
        assert bool(situ.all(a)) == bool(x.all())
        assert bool(situ.all(a[1:2])) == bool(x[1:2].all())


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
def test_elements_at_indices_agree_with_numpy(dtype: str) -> None:
    x = np.arange(10.0) * 1.5
    rows = x.reshape(5, 2)
    for turn in range(REPEATS):
        i = (np.arange(6) * turn % 10).astype(dtype)
        a, j = situ.asarray(x), situ.asarray(i)
        assert a[j].to_numpy().tolist() == x[i].tolist()
        assert situ.take(a, j).to_numpy().tolist() == x[i].tolist()
        assert situ.take(a, j, axis=0).to_numpy().tolist() == x[i].tolist()
        assert a[::-3][j % 4].to_numpy().tolist() == x[::-3][i % 4].tolist()
        assert a[j.reshape(2, 3)].to_numpy().tolist() == x[i.reshape(2, 3)].tolist()
        assert a[j[::2]].to_numpy().tolist() == x[i[::2]].tolist()
        assert a[j[3]].to_numpy().tolist() == x[i[3]].tolist()
        assert situ.asarray(rows)[j % 5].to_numpy().tolist() == rows[i % 5].tolist()
        with pytest.raises(IndexError, match="index 12 is out of bounds for axis 0 with size 10"):
            a[situ.asarray([1, 12], dtype=dtype)].queue.wait()
        with pytest.raises(situ.ShapeError):
            situ.take(situ.asarray(rows), j)
    kind = situ.asarray(x, usm_type="shared")[situ.asarray([1, 2], usm_type="host")].usm_type
    assert kind == "shared"


@pytest.mark.parametrize("shape", [(9,), (4, 5), (2, 3, 4), (4097,)])
def test_positions_agree_with_numpy(shape: tuple[int, ...], device: situ.Device) -> None:
    x = (np.arange(np.prod(shape)) % 3 - 1.0).reshape(shape).astype("float32")
    x.flat[0], x.flat[-1] = np.nan, -0.0
    a = situ.asarray(x, device=device)
    for mine, theirs in ((a, x), (a.T, x.T), (a > 0, x > 0), (a > 9, x > 9), (a[::-2], x[::-2])):
        for found, expected in zip(situ.nonzero(mine), np.nonzero(theirs), strict=True):
            assert found.dtype == np.int64
            assert found.to_numpy().tolist() == expected.tolist()
