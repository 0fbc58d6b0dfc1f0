"""Memory that the host cannot reach, and memory that runs out: on virtual devices."""

import gc
import threading
from collections.abc import Iterator

import numpy as np
import pytest

import situ
import situ.testing
from situ.memory import Allocation, as_allocation, stats, trim

MIB = 1 << 20


@pytest.fixture
def gpus() -> Iterator[list[situ.Device]]:
    """Two devices with 64 MiB each."""
    with situ.testing.virtual_devices("gpu:2", memory_bytes=64 * MIB) as devices:
        yield devices
        # An exception that was caught holds its frame, which holds the exception.
        gc.collect()
        for device in devices:
            trim(device)


def test_the_host_cannot_look_into_device_memory(gpus: list[situ.Device]) -> None:
    memory = Allocation(16, device=gpus[0])
    assert not memory.is_host_accessible
    with pytest.raises(situ.HostAccessError, match=r"`\.to_bytes\(\)`") as raised:
        memoryview(memory)
    assert isinstance(raised.value, BufferError)
    with pytest.raises(situ.HostAccessError):
        np.frombuffer(memory)
    memory.fill(3)
    assert memory.to_bytes() == b"\x03" * 16
    for usm_type in ("shared", "host"):
        reachable = Allocation(16, usm_type, device=gpus[0])
        assert reachable.is_host_accessible
        reachable.fill(4)
        assert bytes(memoryview(reachable)) == b"\x04" * 16


def test_copies_between_devices_go_through_the_host(gpus: list[situ.Device]) -> None:
    content = np.random.default_rng(5).integers(0, 256, 9 * MIB, dtype=np.uint8)
    first, second = (Allocation(content.size, device=device) for device in gpus)
    assert first.context != second.context
    first.copy_from_host(content)
    second.copy_from(first)
    assert (second.copy_to_host() == content).all()
    home = Allocation(5)
    home.copy_from(second, source_offset=100, size_bytes=5)
    assert (home.copy_to_host() == content[100:105]).all()


def test_an_address_leads_back_to_its_own_context(gpus: list[situ.Device]) -> None:
    memory = Allocation(16, device=gpus[1])

    class Described:
        def __init__(self, syclobj: object) -> None:
            changes = {"syclobj": syclobj}
            self.__sycl_usm_array_interface__ = memory.__sycl_usm_array_interface__ | changes

    for syclobj in (None, gpus[1].filter_string, situ.Queue(gpus[1])):
        again = as_allocation(Described(syclobj))
        assert (again.context, again.device) == (memory.context, gpus[1])
    for syclobj in ("native", gpus[0].filter_string, situ.Queue(gpus[0])):
        with pytest.raises(situ.AddressError, match="is not where it says"):
            as_allocation(Described(syclobj))


def test_contexts_have_pools_of_their_own(gpus: list[situ.Device]) -> None:
    context = situ.Context(gpus)
    memory = Allocation(100, queue=situ.Queue(context, gpus[1]))
    assert memory.context == context
    assert stats(context).total.used_blocks == 1
    assert stats(context).device_names == tuple(device.filter_string for device in gpus)
    before = stats(gpus[0]).total.used_blocks
    del memory
    assert stats(context).total.used_blocks == 0
    assert stats(gpus[0]).total.used_blocks == before
    assert trim(context) == 128


def test_idle_memory_makes_room_before_an_allocation_fails(gpus: list[situ.Device]) -> None:
    for megabytes in (40, 48, 56):
        Allocation(megabytes * MIB, device=gpus[0])
    held = Allocation(40 * MIB, device=gpus[0])
    with pytest.raises(situ.OutOfMemoryError) as raised:
        Allocation(32 * MIB, "device", device=gpus[0])
    assert str(raised.value) == (
        "out of memory: cannot allocate 32 MiB (33554432 bytes) of device memory on "
        f"{gpus[0].filter_string}\n"
        "  why:  the device has 64 MiB (67108864 bytes) in all, 24 MiB (25165824 bytes) free; "
        "situ's arrays use 40 MiB (41943040 bytes), unfinished work 0 bytes, and 0 bytes are kept "
        "for reuse\n"
        "  help: release arrays that are no longer needed, or work on smaller pieces"
    )
    held.fill(1)
    assert held.copy_to_host()[-1] == 1, "what was there before is as it was"
    assert Allocation(32 * MIB, device=gpus[1]).nbytes == 32 * MIB
    del held
    assert Allocation(32 * MIB, device=gpus[0]).nbytes == 32 * MIB


def test_unfinished_work_is_waited_for_before_an_allocation_fails(
    gpus: list[situ.Device],
) -> None:
    queue = situ.Queue(gpus[0])
    started, go_on = threading.Event(), threading.Event()

    def block() -> None:
        started.set()
        go_on.wait(30)

    queue.host_task(block)
    assert started.wait(30)
    big = situ.zeros(2 * MIB, device=queue)
    pending = big + 1
    del big, pending
    assert stats(gpus[0]).total.pending_bytes > 0
    timer = threading.Timer(0.05, go_on.set)
    timer.start()
    assert Allocation(50 * MIB, device=gpus[0]).nbytes == 50 * MIB
    timer.join()
    queue.wait()
    assert stats(gpus[0]).total.pending_blocks == 0
