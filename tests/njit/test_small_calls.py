"""Expressions of few elements take a short way once it is known: nobody can tell."""

import threading

import numpy as np
import pytest

import situ

# After so many calls the kernel is there, and known to be short.
REPEATS = 12


def plain(a, b, c):
    return a * b + c


def with_numbers(a, b, c):
    return 2 * a - b / 3.0 + c**2


def shared(a, b, c):
    t = a + b
    return t * t - np.sin(t) + c


def converted(a, b, c):
    return (a * b).astype(np.float32) + c.astype(np.float32)


def several(a, b, c):
    return a * b, a * c, (a + b) * 0.5


FUNCTIONS = [plain, with_numbers, shared, converted, several]


def numbers(dtype, turn, shape=(7,)):
    generator = np.random.default_rng(turn)
    return [generator.integers(1, 5, shape).astype(dtype) for _ in range(3)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_every_call_gives_what_numpy_gives(function):
    compiled = situ.njit(function)
    for turn in range(REPEATS):
        for dtype in ("float64", "float32", "int32"):
            given = numbers(dtype, turn)
            expected = function(*given)
            found = compiled(*map(situ.asarray, given))
            if not isinstance(expected, tuple):
                expected, found = (expected,), (found,)
            for one, other in zip(found, expected, strict=True):
                assert one.dtype == other.dtype
                np.testing.assert_allclose(one.to_numpy(), other, rtol=1e-6)


def test_numbers_and_shapes_are_those_of_the_call():
    @situ.njit
    def scaled(x, y, k):
        return x * k + y

    for turn in range(REPEATS):
        for shape in ((7,), (2, 3), (3, 2)):
            x, y, _ = numbers("float64", turn, shape)
            for k in (turn, 0.5 * turn, np.float32(turn)):
                found = scaled(situ.asarray(x), situ.asarray(y), k)
                np.testing.assert_allclose(found.to_numpy(), x * k + y)
            found = scaled(situ.asarray(x), situ.asarray(y).T.copy().T, 2)
            np.testing.assert_allclose(found.to_numpy(), x * 2 + y)
            found = scaled(situ.asarray(x), situ.asarray(y)[:1], 2)
            np.testing.assert_allclose(found.to_numpy(), x * 2 + y[:1])


def test_what_is_written_meanwhile_is_read():
    @situ.njit
    def step(x, y):
        x[:] = x + y
        return x * y + y

    x, y = np.arange(5.0), np.ones(5)
    own, other = situ.asarray(x), situ.asarray(y)
    for _ in range(REPEATS):
        found = step(own, other)
        x += y
        np.testing.assert_array_equal(found.to_numpy(), x * y + y)


def test_threads_do_not_disturb_each_other():
    compiled = situ.njit(shared)
    wrong = []

    def work(seed):
        for turn in range(50):
            given = numbers("float64", 100 * seed + turn)
            found = compiled(*map(situ.asarray, given)).to_numpy()
            if not np.allclose(found, shared(*given)):
                wrong.append((seed, turn))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
