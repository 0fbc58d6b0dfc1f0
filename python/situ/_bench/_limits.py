"""What the machine can do at most: how fast memory is copied, FMA peak, cost of an empty launch.

Times of a line say little without them: `a + b` that is as fast as memory is done, whatever the
ratio to NumPy.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

import situ
from situ._bench._limit_kernels import copy, multiply_add, nothing
from situ._bench._timing import Timer
from situ._native import Device

_COPIED = 10_000_000
_QUICK_COPIED = 100_000
_ITEMS = 1 << 16
_ROUNDS = 1000
_QUICK_ROUNDS = 10
# Multiply-adds of a work-item in a round, and operations of one.
_CHAINS = 10
_OPERATIONS = 2


@dataclass
class Limits:
    """The limits that were measured; nothing where the device has no such numbers."""

    # Read and written by plain copies of the host on all threads.
    host_copy_gb_per_s: float
    # The same by a kernel on the device.
    device_copy_gb_per_s: float
    fma_float32_gflop_per_s: float
    fma_float64_gflop_per_s: float | None
    empty_launch_us: float


def measure(device: Device, *, is_quick: bool) -> Limits:
    """Measure every limit of a device and its host."""
    has_float64 = device.has_aspect("fp64")
    return Limits(
        _host_copy(is_quick),
        _device_copy(device, is_quick),
        _fma_peak(device, "float32", is_quick),
        _fma_peak(device, "float64", is_quick) if has_float64 else None,
        _empty_launch(device),
    )


def _host_copy(is_quick: bool) -> float:
    """Return how many billion bytes the threads of the host read and write in a second."""
    count = _QUICK_COPIED if is_quick else _COPIED
    source, target = np.ones(count), np.zeros(count)
    threads = len(os.sched_getaffinity(0))
    sources, targets = np.array_split(source, threads), np.array_split(target, threads)
    with ThreadPoolExecutor(threads) as pool:

        def run() -> None:
            # NumPy lets go of the GIL while it copies.
            list(pool.map(np.copyto, targets, sources))

        return _per_nanosecond(2 * source.nbytes, run, is_quick)


def _device_copy(device: Device, is_quick: bool) -> float:
    count = _QUICK_COPIED if is_quick else _COPIED
    source = situ.ones(count, dtype="float32", device=device)
    target = situ.zeros(count, dtype="float32", device=device)
    launch, wait = copy[count], target.queue.wait

    def run() -> None:
        launch(source, target)
        wait()

    return _per_nanosecond(2 * source.nbytes, run, is_quick)


def _fma_peak(device: Device, dtype: str, is_quick: bool) -> float:
    rounds = _QUICK_ROUNDS if is_quick else _ROUNDS
    factor = situ.full(_ITEMS, 0.999, dtype=dtype, device=device)
    out = situ.empty(_ITEMS, dtype=dtype, device=device)
    launch, wait = multiply_add[_ITEMS], out.queue.wait

    def run() -> None:
        launch(factor, out, rounds)
        wait()

    return _per_nanosecond(_ITEMS * rounds * _CHAINS * _OPERATIONS, run, is_quick)


def _empty_launch(device: Device) -> float:
    """Return the microseconds of a launch that does nothing, with the wait, from Python."""
    array = situ.ones(1, dtype="float32", device=device)
    launch, wait = nothing[1], array.queue.wait

    def run() -> None:
        launch(array)
        wait()

    return 1e6 * Timer(run).turn(0.05).best_s


def _per_nanosecond(count: int, run: Any, is_quick: bool) -> float:
    return count / Timer(run).turn(0.0 if is_quick else 0.5).best_s / 1e9
