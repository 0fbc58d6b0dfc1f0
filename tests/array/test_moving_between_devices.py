"""Arrays go from every device to every other: values, dtype, shape and strides arrive."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import situ
from situ.testing import virtual_devices

DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
]

MOVES = {
    "to_device": lambda x, queue: x.to_device(queue),
    "copy_to": lambda x, queue: x.copy_to(queue),
    "asarray": lambda x, queue: situ.asarray(x, device=queue),
    "collocate": lambda x, queue: x.collocate(situ.zeros(1, queue=queue)),
}

VIEWS = {
    "whole": lambda x: x,
    "transposed": lambda x: x.T,
    "backwards": lambda x: x[::-1, ::-1, ::-1],
    "every second": lambda x: x[:, 1::2, ::2],
    "a plane in the middle": lambda x: x[1],
    "a column": lambda x: x[:, 2, 3],
    "one element": lambda x: x[1, 2, 3],
    "nothing": lambda x: x[:, 2:2],
}


@pytest.fixture(scope="module")
def queues() -> Iterator[list[situ.Queue]]:
    """Return a queue of every device of the machine and of a virtual one."""
    with virtual_devices("gpu:1"):
        yield [situ.Queue(device) for device in situ.devices()]


def numbers(dtype: str) -> np.ndarray:
    """Return numbers of which no two neighbours are alike, with a sign where the dtype has one."""
    values = np.arange(2 * 5 * 7).reshape(2, 5, 7) % 53 - (0 if dtype.startswith("u") else 26)
    if dtype.startswith("complex"):
        return (values + 1j * values[::-1]).astype(dtype)
    return values.astype(dtype)


def assert_arrived(moved: situ.ndarray, expected: np.ndarray, queue: situ.Queue) -> None:
    """Check that an array is on a queue, contiguous, and what it should be."""
    assert moved.queue == queue
    assert moved.dtype == expected.dtype
    assert moved.shape == expected.shape
    if expected.size:
        assert moved.strides == np.ascontiguousarray(expected).reshape(expected.shape).strides
    np.testing.assert_array_equal(moved.to_numpy(), expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_arrives(dtype: str, queues: list[situ.Queue]) -> None:
    host = numbers(dtype)
    for source in queues:
        x = situ.asarray(host, queue=source)
        for target in queues:
            assert_arrived(x.copy_to(target), host, target)


@pytest.mark.parametrize("view", VIEWS)
def test_every_layout_arrives(view: str, queues: list[situ.Queue]) -> None:
    host = numbers("int32")
    take: Callable = VIEWS[view]
    for source in queues:
        x = take(situ.asarray(host, queue=source))
        for target in queues:
            for name, move in MOVES.items():
                moved = move(x, target)
                if source == target and name != "copy_to":
                    assert moved.strides == x.strides
                else:
                    assert_arrived(moved, take(host), target)


@pytest.mark.parametrize("usm_type", ["device", "shared", "host"])
def test_every_kind_of_memory_arrives(usm_type: str, queues: list[situ.Queue]) -> None:
    host = numbers("float32")
    for source in queues:
        x = situ.asarray(host, queue=source, usm_type=usm_type)
        for target in queues:
            moved = x.copy_to(target)
            assert moved.usm_type == usm_type
            assert_arrived(moved, host, target)
            for other in ("device", "shared", "host"):
                moved = situ.asarray(x, device=target, usm_type=other, copy=True)
                assert moved.usm_type == other
                assert_arrived(moved, host, target)


def test_dtypes_change_on_the_way(queues: list[situ.Queue]) -> None:
    host = numbers("int32")
    for source in queues:
        x = situ.asarray(host, queue=source)
        for target in queues:
            for dtype in ("int16", "float64"):
                moved = situ.asarray(x.T, device=target, dtype=dtype)
                np.testing.assert_array_equal(moved.to_numpy(), host.T.astype(dtype))
                assert moved.dtype == dtype


def test_large_arrays_arrive_behind_work_that_writes_them(queues: list[situ.Queue]) -> None:
    length = 1_500_001
    expected = np.arange(length, dtype=np.float32)[::-1] * 2
    for source in queues:
        if source.device.backend == "reference":
            continue
        x = situ.asarray(np.arange(length, dtype=np.float32), queue=source)
        for target in queues:
            # Nobody waits in between: each step has to wait for the one before by itself.
            doubled = x[::-1] * 2
            there = doubled.copy_to(target)
            doubled[...] = 0
            back = there.copy_to(source)
            there[...] = 1
            np.testing.assert_array_equal(back.to_numpy(), expected)


def test_allocations_are_copied_from_any_device(queues: list[situ.Queue]) -> None:
    text = bytes(range(200))
    for source in queues:
        from_ = situ.memory.Allocation(len(text), queue=source)
        from_.copy_from_host(text)
        for target in queues:
            to = situ.memory.Allocation(210, queue=target)
            to.fill(7)
            to.copy_from(from_, byte_offset=3, source_offset=5, size_bytes=150)
            expected = bytes([7]) * 3 + text[5:155] + bytes([7]) * 57
            assert to.to_bytes() == expected
            to.copy_from(from_, size_bytes=0)
            with pytest.raises(ValueError, match="bytes"):
                to.copy_from(from_, byte_offset=11)
            assert to.to_bytes() == expected
