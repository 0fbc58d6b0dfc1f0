"""Elementary functions of `float64` that situ computes itself: their last bits and their edges."""

import numpy as np
import pytest

import situ

# What 64-bit mantissas lack is too little to be seen in these tests.
IS_EXTENDED = np.finfo(np.longdouble).nmant >= 63
EDGES = np.asarray(
    (
        *(0.0, 1.0, 2.0, 3.0, 0.5, 1.5, 2.5, 1023.0, 1024.0, 1074.0, 1075.0),
        *(1e-310, 5e-324, 1e300, 1e308, np.inf, np.nan),
        *(2.0**52 + 1, 2.0**53, 2.0**53 + 2, np.nextafter(1.0, 2.0), np.nextafter(1.0, 0.0)),
    )
)
EDGES = np.concatenate([EDGES, -EDGES])


def random_floats(seed, count):
    """Return positive finite numbers, each exponent as often as the others."""
    bits = np.random.default_rng(seed).integers(1, 0x7FF0_0000_0000_0000, count)
    return bits.view(np.float64)


def spread(seed, low, high, count=200_000):
    return np.random.default_rng(seed).uniform(low, high, count)


def bases_and_exponents():
    """Return arguments of powers whose results are spread over all numbers."""
    base = random_floats(1, 200_000)
    yield base, spread(2, -1.1, 1.1)
    yield spread(3, 0.5, 2.0), spread(4, -1100.0, 1100.0)
    yield spread(5, 0.99, 1.01), spread(6, -70_000.0, 70_000.0)
    yield spread(11, 0.70, 0.72), spread(12, -2200.0, 2200.0)
    yield -spread(7, 0.1, 20.0), np.trunc(spread(8, -250.0, 250.0))


ARGUMENTS = [
    ("exp", [(spread(0, -746.0, 710.0),), (spread(1, -1.0, 1.0),)]),
    ("log", [(random_floats(0, 200_000),), (spread(2, 0.5, 2.0),)]),
    ("pow", list(bases_and_exponents())),
]


@pytest.mark.skipif(not IS_EXTENDED, reason="nothing here is more precise than float64")
@pytest.mark.parametrize(("name", "cases"), ARGUMENTS)
def test_results_are_within_one_unit_in_the_last_place(name, cases):
    truth_of = {"pow": np.power}.get(name) or getattr(np, name)
    for hosts in cases:
        found = getattr(situ, name)(*(situ.asarray(host, device="native") for host in hosts))
        with np.errstate(all="ignore"):
            truth = truth_of(*(host.astype(np.longdouble) for host in hosts))
            rounded = truth.astype(np.float64)
        finite = np.isfinite(rounded)
        found = found.to_numpy()
        np.testing.assert_array_equal(found[~finite], rounded[~finite])
        found, truth = found[finite], truth[finite]
        distance = np.abs(found - truth) / np.spacing(np.abs(rounded[finite]))
        assert distance.max() < 1.0


@pytest.mark.parametrize("device", ["native", "reference"])
@pytest.mark.parametrize("name", ["exp", "log", "pow"])
def test_edges_are_those_of_c(name, device):
    hosts = (EDGES,)
    if name == "pow":
        hosts = tuple(grid.ravel().copy() for grid in np.meshgrid(EDGES, EDGES))
    found = getattr(situ, name)(*(situ.asarray(host, device=device) for host in hosts)).to_numpy()
    with np.errstate(all="ignore"):
        expected = getattr(np, {"pow": "power"}.get(name, name))(*hosts)
    is_number = np.isfinite(expected) & (expected != 0)
    np.testing.assert_array_max_ulp(found[is_number], expected[is_number], 2)
    np.testing.assert_array_equal(found[~is_number], expected[~is_number])
    same_sign = np.signbit(found) == np.signbit(expected)
    assert (same_sign | np.isnan(expected)).all()


@pytest.mark.parametrize("name", ["exp", "log", "pow"])
def test_a_result_depends_neither_on_its_place_nor_on_its_neighbours(name):
    x = situ.asarray(spread(9, 0.1, 20.0, 101), device="native")
    y = situ.asarray(spread(10, -9.0, 9.0, 101), device="native")
    arguments = (x, y) if name == "pow" else (x,)
    whole = getattr(situ, name)(*arguments).to_numpy()
    for first in range(9):
        for length in (1, 2, 7, 8, 9, 15, 33, 64):
            part = slice(first, first + length)
            found = getattr(situ, name)(*(argument[part] for argument in arguments))
            np.testing.assert_array_equal(found.to_numpy(), whole[part])
