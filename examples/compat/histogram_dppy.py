"""A histogram with the older kernel functions: NumPy arrays, local memory, barriers and atomics."""

import dpctl
import numba_dppy as dppy
import numpy as np

BINS = 16
GROUP = 32


@dppy.kernel
def histogram(values, counts):
    own = dppy.local.static_alloc(BINS, dtype=np.int32)
    local = dppy.get_local_id(0)
    if local < BINS:
        own[local] = 0
    dppy.barrier(dppy.CLK_LOCAL_MEM_FENCE)
    dppy.atomic.add(own, values[dppy.get_global_id(0)], 1)
    dppy.barrier(dppy.CLK_LOCAL_MEM_FENCE)
    if local < BINS:
        dppy.atomic.add(counts, local, own[local])


@dppy.kernel
def total(a, b, c):
    i = dppy.get_global_id(0)
    c[i] = a[i] * b[i]


def main() -> None:
    """Count on the device that a filter string names, and compare with NumPy."""
    values = np.random.default_rng(5).integers(0, BINS, size=1024).astype(np.int32)
    counts = np.zeros(BINS, dtype=np.int32)
    with dppy.offload_to_sycl_device(dpctl.SyclQueue("cpu")):
        histogram[values.size, GROUP](values, counts)
    assert np.array_equal(counts, np.bincount(values, minlength=BINS))

    a, b, c = np.arange(4), np.arange(4), np.zeros(4, dtype=np.int64)
    with dpctl.device_context("cpu") as queue:
        total[a.size, dppy.DEFAULT_LOCAL_SIZE](a, b, c)
    assert np.array_equal(c, a * b)
    print(f"{values.size} values on {queue.sycl_device.filter_string}: {counts}")


if __name__ == "__main__":
    main()
