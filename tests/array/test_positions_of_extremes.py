"""Where extremes are, in rows that are short, fill all accumulators, or have several blocks.

Hypothesis compares `argmax` and `argmin` with NumPy's in `tests/differential`, for small arrays.
These have their extremes at every kind of place that the kernels tell apart, more than once.
"""

import numpy as np
import pytest

import situ

# Around the number of lanes, of elements that are looked at together, and of elements in a block.
LENGTHS = [1, 2, 9, 16, 17, 31, 32, 33, 64, 65, 130, 1000, 2047, 2048, 2049, 4097, 10_001]
DTYPES = ["float64", "float32", "float16", "int64", "int8", "uint16", "bool"]


def rows(dtype, length, count=24):
    """Return rows of few different numbers, so that most have their extremes more than once."""
    generator = np.random.default_rng(length)
    numbers = generator.integers(0, 2 if dtype == "bool" else 40, (count, length))
    host = numbers.astype(dtype)
    # Each extreme once, at places that are spread over the row.
    places = np.linspace(0, length - 1, count).astype(int)
    host[np.arange(count), places] = 1 if dtype == "bool" else 41
    host[np.arange(count), places[::-1]] = 0
    return host


def compare(host, device):
    array = situ.asarray(host, device=device)
    for name in ("argmax", "argmin"):
        for axis in (None, 0, 1):
            found = getattr(situ, name)(array, axis=axis)
            expected = getattr(np, name)(host, axis=axis)
            np.testing.assert_array_equal(found.to_numpy(), expected, err_msg=f"{name}, {axis}")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", LENGTHS)
def test_the_first_of_equal_extremes_is_found(dtype, length):
    compare(rows(dtype, length), "native")


@pytest.mark.parametrize("length", LENGTHS)
def test_the_first_nan_is_found(length):
    host = rows("float64", length)
    half = len(host) // 2
    places = np.linspace(0, length - 1, half).astype(int)
    host[np.arange(half), places] = np.nan
    host[np.arange(half), places[::-1]] = -np.nan
    compare(host, "native")


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("value", [np.inf, -np.inf, 0.0, np.nan])
def test_where_all_elements_are_equal_the_first_is_found(length, value):
    compare(np.full((3, length), value), "native")


@pytest.mark.parametrize("length", [1, 33, 2049])
def test_elements_with_gaps_are_found(length):
    host = rows("float32", 2 * length)
    for view in (np.s_[:, ::2], np.s_[:, ::-1], np.s_[::-1, 1::2]):
        array = situ.asarray(host, device="native")[view]
        found = situ.argmax(array, axis=1).to_numpy()
        np.testing.assert_array_equal(found, np.argmax(host[view], axis=1))


def test_positions_are_the_same_on_every_device(device):
    for length in (10, 33, 2049):
        compare(rows("float32", length, count=5), device)


@pytest.mark.parametrize("length", LENGTHS)
def test_extremes_keep_nan_and_signs(length):
    host = rows("float64", length) - 20.0
    host[0, length // 2] = np.nan
    array = situ.asarray(host, device="native")
    for name in ("max", "min"):
        found = getattr(situ, name)(array, axis=1).to_numpy()
        np.testing.assert_array_equal(found, getattr(np, name)(host, axis=1))


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex128"])
def test_sums_and_products_of_rows_of_every_length(dtype, length):
    host = rows("float64", length).astype(dtype)
    array = situ.asarray(host, device="native")
    # Whole numbers, whose sums are exact in any order.
    np.testing.assert_array_equal(situ.sum(array, axis=1).to_numpy(), host.sum(axis=1))
    ones = np.where(host == 41, 2, 1).astype(dtype)
    powers = situ.prod(situ.asarray(ones, device="native"), axis=1).to_numpy()
    np.testing.assert_array_equal(powers, ones.prod(axis=1))
    squares = situ.vecdot(array, array).to_numpy()
    np.testing.assert_array_equal(squares, np.vecdot(host, host))
