"""`__sycl_usm_array_interface__` out and in: only live memory of situ is accepted."""

import gc

import numpy as np
import pytest

import situ
from situ.memory import Allocation, as_allocation


class Described:
    """An object of another library that passes a description on."""

    def __init__(self, description: object) -> None:
        self.__sycl_usm_array_interface__ = description


def described(address: int) -> Described:
    return Described({"version": 1, "data": (address, False), "shape": (1,), "typestr": "|u1"})


def test_allocations_describe_themselves() -> None:
    memory = Allocation(10, "shared")
    assert memory.__sycl_usm_array_interface__ == {
        "data": (memory.pointer, False),
        "shape": (10,),
        "strides": None,
        "typestr": "|u1",
        "offset": 0,
        "syclobj": memory.queue,
        "version": 1,
    }


def test_descriptions_lead_back_to_the_memory_without_a_copy(device: situ.Device) -> None:
    memory = Allocation(10, "host", device=device)
    again = as_allocation(Described(memory.__sycl_usm_array_interface__))
    assert (again.pointer, again.usm_type, again.queue) == (memory.pointer, "host", memory.queue)
    again.fill(3)
    assert bytes(memory) == b"\x03" * 10
    assert as_allocation(memory) is memory
    inside = as_allocation(described(memory.pointer + 4))
    assert (inside.pointer, inside.device) == (memory.pointer, memory.device)


def test_the_memory_of_an_array_is_shared_with_it(device: situ.Device) -> None:
    x = situ.asarray(np.arange(6, dtype=np.uint8), device=device)
    memory = as_allocation(x[2:4])
    assert bytes(memory) == bytes(range(6))
    memory.copy_from_host(b"\x09", 3)
    assert x.to_numpy().tolist() == [0, 1, 2, 9, 4, 5]
    del x
    gc.collect()
    assert bytes(memory) == bytes([0, 1, 2, 9, 4, 5])


def test_descriptions_of_arrays_lead_to_their_memory() -> None:
    x = situ.asarray(np.arange(4, dtype=np.int32))
    memory = as_allocation(Described(x[1:].__sycl_usm_array_interface__))
    assert memory.pointer == as_allocation(x).pointer
    assert memory.copy_to_host().view(np.int32).tolist() == [0, 1, 2, 3]


def test_host_addresses_are_refused() -> None:
    host = np.zeros(100)
    with pytest.raises(situ.AddressError, match=f"at address {host.ctypes.data:#x}"):
        as_allocation(described(host.ctypes.data))
    for address in (0, 1, 2**63):
        with pytest.raises(situ.AddressError):
            as_allocation(described(address))


def test_freed_addresses_are_refused_even_when_the_memory_is_used_again() -> None:
    memory = Allocation(1234)
    address = memory.pointer
    del memory
    with pytest.raises(situ.AddressError, match="was freed"):
        as_allocation(described(address))
    situ.memory.Allocation(1234)
    with pytest.raises(situ.AddressError):
        as_allocation(described(address))


def test_addresses_behind_the_end_are_refused() -> None:
    memory = Allocation(100)
    with pytest.raises(situ.AddressError):
        as_allocation(described(memory.pointer + 101))


@pytest.mark.parametrize(
    ("description", "match"),
    [
        (5, "it is not a dict"),
        ({}, "its version is not 1"),
        ({"version": 2, "data": (64, False)}, "its version is not 1"),
        ({"version": 1}, "no entry `data`"),
        ({"version": 1, "data": 64}, "not a pair"),
        ({"version": 1, "data": (-1, False)}, "not a pair"),
        ({"version": 1, "data": ("x", False)}, "not a pair"),
    ],
)
def test_malformed_descriptions_are_refused(description: object, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        as_allocation(Described(description))


@pytest.mark.parametrize("obj", [b"host", np.zeros(3), None, 64])
def test_other_objects_are_refused_with_advice(obj: object) -> None:
    with pytest.raises(TypeError, match="is not USM memory") as raised:
        as_allocation(obj)
    assert "situ.asarray" in str(raised.value)
