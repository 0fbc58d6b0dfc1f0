"""Dtypes of results, of intermediate sums and products, and of several arrays together.

The same random calls on NumPy and on situ. `SITU_TEST_SECONDS=600` goes on for so long.
"""

import itertools
import os
import secrets
import time

import numpy as np
import pytest
from differential.dtype_programs import JOINING, TOTALS, UNARY, check, random_program
from differential.strategies import DTYPES, INTEGERS

import situ
from situ.testing import deferral

NAMES = [*TOTALS, *JOINING, *UNARY]


@pytest.mark.parametrize("name", NAMES)
def test_random_calls_agree_with_numpy(name):
    seed = 5 if "CI" in os.environ else secrets.randbits(32)
    rng = np.random.default_rng(seed)
    seconds = float(os.environ.get("SITU_TEST_SECONDS", "0")) / len(NAMES)
    end = time.monotonic() + seconds
    for count in itertools.count():
        if count >= 12 and time.monotonic() >= end:
            break
        try:
            check(random_program(rng, name))
        except AssertionError as error:
            error.add_note(f"call {count} of seed {seed}")
            raise
    if seconds:
        print(f"{name}: {count} random calls")


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("asked", ["int64", "uint64"])
@pytest.mark.parametrize("shape", [(3,), (70_001,), (300, 40), (40, 300)])
def test_sums_keep_the_sign_of_small_integers(dtype, asked, shape):
    lowest = np.iinfo(dtype).min
    host = np.full(shape, -1 if lowest else 255, dtype)
    for axis in (None, 0, -1):
        expected = np.sum(host, axis=axis, dtype=asked)
        found = situ.sum(situ.asarray(host), axis=axis, dtype=asked).to_numpy()
        np.testing.assert_array_equal(found, expected)
    expected = np.cumsum(host, dtype=asked)
    found = situ.cumsum(situ.asarray(host), dtype=asked).to_numpy()
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "cumprod"])
def test_sums_and_products_of_bools_are_logical(name, device):
    rng = np.random.default_rng(2)
    for shape in [(5,), (9001,)]:
        numbers = rng.integers(-2, 3, shape).astype("int16") * 256
        for host in (numbers, numbers.astype("float32") / 1024):
            x = situ.asarray(host, device=device)
            expected = getattr(np, name)(host, dtype=bool)
            found = getattr(situ, name)(x, dtype=bool)
            assert found.dtype == np.dtype(bool)
            np.testing.assert_array_equal(found.to_numpy(), expected)


@pytest.mark.parametrize("name", ["sum", "prod", "nansum"])
def test_logical_sums_join_what_waits(name):
    host = np.asarray([0.0, 0.25, 0.0] * 20_000)
    x = situ.asarray(host)
    with deferral(1, fuses=True):
        found = getattr(situ, name)(x * 0.5, dtype=bool)
        assert bool(found) == getattr(np, name)(host * 0.5, dtype=bool)


def test_products_of_three_have_the_dtype_of_all():
    bytes_, large = np.full(4, 100, "int8"), np.ones(4, "int64")
    arrays = [situ.asarray(x) for x in (bytes_, bytes_, large)]
    for equation in ("i,i,i->i", "i,i,i->", "i,j,k->ijk"):
        expected = np.einsum(equation, bytes_, bytes_, large)
        found = situ.einsum(equation, *arrays)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.to_numpy(), expected)
    half = np.full(4, 60_000, "float16")
    found = situ.einsum("i,i,i->i", *[situ.asarray(x) for x in (half, half, large)])
    np.testing.assert_array_equal(found.to_numpy(), np.einsum("i,i,i->i", half, half, large))


def test_many_arrays_are_promoted_together():
    ones = {dtype: np.ones(2, dtype) for dtype in DTYPES}
    there = {dtype: situ.asarray(x) for dtype, x in ones.items()}
    for names in itertools.combinations_with_replacement(DTYPES, 3):
        expected = np.result_type(*[ones[name] for name in names])
        for order in (names, names[::-1]):
            arrays = [there[name] for name in order]
            assert situ.concat(arrays).dtype == expected, order
            assert situ.result_type(*arrays) == expected, order
    arrays = [there[name] for name in ("uint16", "int16", "float16")]
    for name in ("stack", "hstack", "vstack", "dstack", "column_stack", "block"):
        assert getattr(situ, name)(arrays).dtype == np.float32, name


def test_numbers_join_many_arrays_as_in_numpy():
    ones = {dtype: np.ones(2, dtype) for dtype in DTYPES}
    for names in itertools.combinations_with_replacement(DTYPES, 2):
        for number in (True, 2, 2.5, 1j):
            expected = np.result_type(*[ones[name] for name in names], number)
            arrays = [situ.asarray(ones[name]) for name in names]
            assert situ.result_type(*arrays, number) == expected, (names, number)


@pytest.mark.parametrize("dtype", DTYPES)
def test_angles_have_numpys_dtypes(dtype):
    host = np.asarray([0, 1, 1], dtype)
    for deg in (False, True):
        expected = np.angle(host, deg)
        found = situ.angle(situ.asarray(host), deg)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.to_numpy(), expected)
