"""Arrays whose address was given away: what reads them never waits."""

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import situ
from situ.testing import deferral

SIZE = 100


@pytest.fixture(autouse=True)
def waiting() -> Iterator[None]:
    """Let every elementwise function wait."""
    with deferral(1, fuses=True):
        yield


def by_number(address: int) -> Any:
    return (ctypes.c_float * SIZE).from_address(address)


# Ways to an address, each with something that writes elements there.
WAYS: dict[str, Callable[[situ.ndarray], Any]] = {
    "USM interface": lambda x: by_number(x.__sycl_usm_array_interface__["data"][0]),
    "interface of the memory": lambda x: by_number(
        situ.memory.as_allocation(x).__sycl_usm_array_interface__["data"][0]
    ),
    "pointer": lambda x: by_number(situ.memory.as_allocation(x).pointer),
    "NumPy": np.asarray,
    "DLPack": np.from_dlpack,
    "buffer": memoryview,
    "buffer of the memory": lambda x: memoryview(situ.memory.as_allocation(x)).cast("f"),
    "ctypes": lambda x: (ctypes.c_float * SIZE).from_buffer(x),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("usm_type", ["shared", "host"])
def test_writes_by_the_address_change_no_earlier_result(way, when, usm_type):
    x = situ.ones(SIZE, dtype="float32", usm_type=usm_type)
    if when == "before":
        there = WAYS[way](x)
        y = x * 2 + 1
    else:
        y = x * 2 + 1
        there = WAYS[way](x)
    there[0] = 5.0
    z = x * 2 + 1
    assert float(y[0]) == 3.0
    assert float(z[0]) == 11.0


@pytest.mark.parametrize("way", ["USM interface", "pointer"])
def test_views_and_results_have_addresses_as_well(way):
    x = situ.ones(SIZE, dtype="float32")
    waiting = x + 1
    there = WAYS[way](waiting)
    y = waiting[::-1] * 10
    there[SIZE - 1] = 7.0
    assert float(y[0]) == 20.0
    assert float(waiting[SIZE - 1]) == 7.0


def test_asking_for_an_array_gives_no_address_away():
    x = situ.ones(SIZE, dtype="float32")
    assert situ.asarray(x) is x
    y = x + 1
    before = situ.memory.as_allocation(x)
    del before
    assert float(y[0]) == 2.0
