"""What pools hold is counted, comes back, and is given to the system when asked."""

import gc
import threading

import numpy as np
import pytest

import situ
from situ.memory import Allocation, PoolStatistics, stats, trim


def in_use() -> tuple[int, int]:
    """Return the number of blocks that somebody or something uses, after everything has ended."""
    gc.collect()
    for device in situ.devices():
        situ.Queue(device).wait()
    total = stats().total
    return total.used_blocks, total.pending_blocks


def test_used_memory_is_counted_by_kind_and_rounded_up(device: situ.Device) -> None:
    before = stats(device)
    held = [Allocation(1000, kind, device=device) for kind in ("device", "shared", "shared")]
    after = stats(device)
    assert after.device.used_blocks - before.device.used_blocks == 1
    assert after.shared.used_blocks - before.shared.used_blocks == 2
    assert after.host.used_blocks == before.host.used_blocks
    assert after.shared.used_bytes - before.shared.used_bytes == 2 * 1024
    assert after.total.requests - before.total.requests == 3
    assert after.total.peak_bytes >= after.total.used_bytes
    del held
    assert stats(device).total.used_blocks == before.total.used_blocks


def test_freed_memory_is_reused() -> None:
    Allocation(5_000_000, "host")
    before = stats().host
    for _ in range(10):
        Allocation(5_000_000, "host")
    after = stats().host
    assert after.reused - before.reused == 10
    assert after.system_requests == before.system_requests


def test_the_sum_is_over_all_contexts() -> None:
    held = [Allocation(100, device=place) for place in ("native", "reference")]
    everything = stats()
    names = [context.device_names for context in everything.contexts]
    assert ("native:cpu:0",) in names
    assert ("reference:cpu:0",) in names
    used = sum(context.total.used_blocks for context in everything.contexts)
    assert everything.total.used_blocks == used >= len(held)
    assert stats(held[1].queue).device_names == ("reference:cpu:0",)
    assert stats(situ.ones(1)).device_names == ("native:cpu:0",)


def test_trimming_returns_idle_memory_only() -> None:
    held = Allocation(3_000_000)
    held.fill(1)
    Allocation(3_000_000)
    assert stats("native").total.idle_bytes > 0
    released = trim("native")
    assert released >= 3_000_000
    assert stats("native").total.idle_bytes == 0
    assert trim("native") == 0
    assert set(held.to_bytes()) == {1}
    trim()
    assert stats().total.idle_blocks == 0


def test_statistics_print_as_a_table() -> None:
    memory = Allocation(1 << 20, "host")
    text = str(stats(memory.queue))
    assert text.splitlines()[0] == "memory of native:cpu:0"
    assert [line.split()[0] for line in text.splitlines()[2:]] == [
        "device",
        "shared",
        "host",
        "total",
    ]
    assert "MiB" in text


def test_numbers_are_consistent() -> None:
    assert PoolStatistics(requests=5, system_requests=2).reused == 3
    for context in stats().contexts:
        for pool in (context.device, context.shared, context.host):
            held = pool.used_bytes + pool.pending_bytes + pool.idle_bytes
            assert pool.peak_bytes >= held
            assert pool.requests >= pool.system_requests


def test_an_impossible_request_names_what_is_there_and_changes_nothing() -> None:
    before = in_use()
    with pytest.raises(situ.OutOfMemoryError) as raised:
        Allocation(2**60, "shared")
    assert isinstance(raised.value, MemoryError)
    message = str(raised.value)
    for part in (
        "cannot allocate 1 EiB (1152921504606846976 bytes) of shared memory on native:cpu:0",
        "the device has",
        "situ's arrays use",
        "unfinished work",
        "kept for reuse",
    ):
        assert part in message
    with pytest.raises(situ.OutOfMemoryError):
        situ.empty((2**30, 2**27))
    assert in_use() == before


@situ.kernel
def add_one(x):
    i = situ.get_global_id(0)
    x[i] = x[i] + 1.0


def test_everything_comes_back() -> None:
    x = situ.ones(1000)
    add_one(x)
    before = in_use()

    for size in (0, 1, 10, 1000, 200_000, 2_000_000):
        y = situ.ones(size) + 1
        view = y[::2][::-1]
        situ.sum(situ.sin(view))
        (y * 2).to_numpy()
        memory = Allocation(size, "shared")
        buffer = memoryview(memory)
        del memory, buffer, y, view

    for _ in range(20):
        # Dropped while their kernels may still run.
        a = situ.ones(500_000)
        b = situ.sin(a) + situ.cos(a)
        add_one(b)
        del a, b

    with pytest.raises(situ.ShapeError):
        situ.ones(1000) + situ.ones(999)
    with pytest.raises(situ.AddressError):
        Allocation(10).copy_from_host(b"x" * 11)
    with pytest.raises(situ.OutOfMemoryError):
        Allocation(2**50)
    with pytest.raises(TypeError):
        add_one(situ.ones(5), situ.ones(5))

    def work() -> None:
        for size in range(100):
            np.asarray((situ.ones(size) + situ.ones(size)).to_numpy())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert in_use() == before
