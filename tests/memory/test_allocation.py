"""`situ.memory.Allocation`: bytes in, bytes out, and what is refused."""

import copy
import pickle

import numpy as np
import pytest
from places import driver_devices

import situ
from situ.memory import Allocation

KINDS = ["device", "shared", "host"]


@pytest.mark.parametrize("usm_type", KINDS)
def test_properties(device: situ.Device, usm_type: str) -> None:
    memory = Allocation(100, usm_type, device=device)
    assert memory.size_bytes == memory.nbytes == len(memory) == 100
    assert memory.usm_type == usm_type
    assert memory.device == device
    assert memory.queue.device == device
    assert memory.pointer % 64 == 0
    assert memory.pointer != Allocation(100, usm_type, device=device).pointer
    assert repr(memory) == (
        f"<situ.memory.Allocation of 100 bytes, {usm_type}, on {device.filter_string}>"
    )


def test_a_place_is_a_device_a_queue_or_an_array() -> None:
    queue = situ.Queue("reference")
    x = situ.ones(3, device=queue)
    assert Allocation(8, queue=queue).queue == queue
    assert Allocation(8, device=queue).queue == queue
    assert Allocation(8, device=x).queue == queue
    assert Allocation(8, device="reference").device == queue.device
    assert Allocation(8).device == situ.Device()
    with pytest.raises(TypeError, match="not both"):
        Allocation(8, device="reference", queue=queue)
    with pytest.raises(situ.DeviceError, match="there is no device `moon`"):
        Allocation(8, device="moon")


@pytest.mark.parametrize("usm_type", KINDS)
def test_bytes_travel_both_ways(device: situ.Device, usm_type: str) -> None:
    memory = Allocation(6, usm_type, device=device)
    memory.fill(0xAA)
    memory.copy_from_host(b"bcd", 1)
    assert memory.to_bytes() == bytes(memory) == b"\xaabcd\xaa\xaa"
    target = bytearray(2)
    assert memory.copy_to_host(target, byte_offset=1) is target
    assert target == b"bc"
    tail = memory.copy_to_host(byte_offset=3)
    assert tail.dtype == np.uint8
    assert tail.tolist() == [ord("d"), 0xAA, 0xAA]


def test_any_contiguous_buffer_of_any_dtype_is_host_memory() -> None:
    memory = Allocation(24)
    numbers = np.arange(3, dtype=np.complex64)
    memory.copy_from_host(numbers)
    found = np.empty(3, dtype=np.complex64)
    memory.copy_to_host(found)
    assert (found == numbers).all()
    memory.copy_from_host(memoryview(b"abc").cast("c"))
    assert bytes(memory)[:3] == b"abc"


def test_empty_memory_is_memory_too(device: situ.Device) -> None:
    memory = Allocation(0, device=device)
    assert memory.to_bytes() == b""
    assert memory.copy_to_host().size == 0
    memory.fill(1)
    memory.copy_from_host(b"")
    memory.copy_from(Allocation(0, device=device))
    assert memory.pointer > 0
    assert not memory


def test_the_host_reads_and_writes_in_place() -> None:
    memory = Allocation(16, "shared")
    view = memoryview(memory)
    assert (view.nbytes, view.format, view.readonly, view.contiguous) == (16, "B", False, True)
    numbers = np.frombuffer(memory, dtype=np.float64)
    numbers[:] = [1.5, -2.5]
    assert memory.to_bytes() == np.array([1.5, -2.5]).tobytes()
    del memory
    assert numbers.tolist() == [1.5, -2.5], "the buffer keeps the memory alive"


def test_copies_within_and_between_contexts(device: situ.Device) -> None:
    content = np.random.default_rng(3).integers(0, 256, 10_000_000, dtype=np.uint8)
    first = Allocation(content.size, device=device)
    first.copy_from_host(content)
    for place in ["native", "reference", *driver_devices()]:
        second = Allocation(content.size + 2, device=place)
        second.fill(7)
        second.copy_from(first, byte_offset=1)
        found = second.copy_to_host()
        assert found[0] == found[-1] == 7
        assert (found[1:-1] == content).all()
    part = Allocation(3, device="reference")
    part.copy_from(first, source_offset=5, size_bytes=2, byte_offset=1)
    assert (part.copy_to_host(byte_offset=1) == content[5:7]).all()


def test_overlapping_copies_read_before_they_write(device: situ.Device) -> None:
    memory = Allocation(6, device=device)
    memory.copy_from_host(b"abcdef")
    memory.copy_from(memory, byte_offset=2, size_bytes=4)
    assert bytes(memory) == b"ababcd"


@pytest.mark.parametrize(
    ("size", "error", "match"),
    [
        (-1, ValueError, "cannot be negative, but is -1"),
        (1.5, TypeError, "is an integer, not `float`"),
        ("8", TypeError, "is an integer, not `str`"),
        (None, TypeError, "is an integer, not `NoneType`"),
        (2**60, situ.OutOfMemoryError, r"cannot allocate 1 EiB \(1152921504606846976 bytes\)"),
        (2**64, situ.OutOfMemoryError, "18446744073709551616"),
    ],
)
def test_sizes_that_are_refused(size: object, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        Allocation(size)  # type: ignore[arg-type]


def test_numpy_integers_are_sizes() -> None:
    assert Allocation(np.int32(5)).size_bytes == 5


def test_unknown_usm_types_are_refused_with_the_choices() -> None:
    with pytest.raises(ValueError, match="`device`, `shared` or `host`"):
        Allocation(8, "global")


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.copy_from_host(b"x" * 11),
        lambda m: m.copy_from_host(b"x", 10),
        lambda m: m.copy_to_host(bytearray(2), 9),
        lambda m: m.copy_to_host(byte_offset=11),
        lambda m: m.copy_from(Allocation(11)),
        lambda m: m.copy_from(Allocation(4), source_offset=5),
        lambda m: m.copy_from(Allocation(4), size_bytes=5),
        lambda m: m.copy_from(Allocation(4, device="reference"), byte_offset=7),
        lambda m: m.copy_from(Allocation(4), size_bytes=2**63),
    ],
)
def test_copies_out_of_range_change_nothing(call) -> None:
    memory = Allocation(10)
    memory.fill(1)
    with pytest.raises(situ.AddressError, match="beyond its end"):
        call(memory)
    assert bytes(memory) == b"\x01" * 10


def test_offsets_and_values_are_checked() -> None:
    memory = Allocation(4)
    with pytest.raises(ValueError, match="a byte offset cannot be negative"):
        memory.copy_from_host(b"x", -1)
    with pytest.raises(TypeError, match="a byte offset is an integer"):
        memory.copy_to_host(byte_offset=0.5)  # type: ignore[call-overload]
    for value in (-1, 256):
        with pytest.raises(ValueError, match="byte"):
            memory.fill(value)


def test_what_is_not_host_memory_is_refused() -> None:
    memory = Allocation(80)
    with pytest.raises(TypeError, match="`list` is not host memory"):
        memory.copy_from_host([1, 2, 3])  # type: ignore[arg-type]
    with pytest.raises(BufferError, match="ascontiguousarray"):
        memory.copy_from_host(np.arange(10)[::2])
    with pytest.raises(BufferError, match="cannot be written"):
        memory.copy_to_host(b"12345678")


def test_allocations_are_told_apart_and_can_be_keys() -> None:
    first, second = Allocation(8), Allocation(8)
    assert first == first
    assert first != second
    assert {first: 1, second: 2}[first] == 1


@pytest.mark.parametrize("usm_type", KINDS)
def test_pickles_carry_the_content(device: situ.Device, usm_type: str) -> None:
    memory = Allocation(5, usm_type, device=device)
    memory.copy_from_host(b"hello")
    for restored in (pickle.loads(pickle.dumps(memory)), copy.copy(memory)):
        assert restored != memory
        assert bytes(restored) == b"hello"
        assert restored.usm_type == usm_type
        assert restored.device == device


def test_a_pickle_of_a_missing_device_is_restored_on_the_default() -> None:
    from situ import _restore

    restored = _restore.allocation(b"abc", "host", "sycl:gpu:7")
    assert bytes(restored) == b"abc"
    assert restored.device == situ.Device()
