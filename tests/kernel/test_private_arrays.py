"""Private arrays on devices of all sorts, and in the rounds of `prange` loops."""

import numpy as np
import pytest

import situ
from situ.testing import virtual_devices

SIZE = 100


@situ.kernel
def mirrored(x, out):
    i = situ.get_global_id(0)
    own = situ.private.array((2, 3), np.float64)
    flags = situ.private.array(4, np.bool_)
    for j in range(2):
        for k in range(3):
            own[j, k] = x[i] + 10 * j + k
    for j in range(4):
        flags[j] = (i + j) % 2 == 0
    total = 0.0
    for j in range(2):
        for k in range(3):
            if flags[j + k]:
                total += own[1 - j, 2 - k]
    out[i] = total


def check(place) -> None:
    host = np.arange(float(SIZE))
    expected = np.zeros(SIZE)
    mirrored[SIZE].simulate(host, expected)
    out = situ.zeros(SIZE, device=place)
    mirrored[SIZE](situ.asarray(host, device=place), out)
    np.testing.assert_array_equal(out.to_numpy(), expected)


def test_on_each_device(device):
    check(device)


def test_on_sub_devices():
    parts = situ.Device("native").create_sub_devices(partition=1)
    for part in parts:
        check(part)


def test_on_virtual_devices():
    with virtual_devices("gpu:1,cpu:1") as devices:
        for device in devices:
            check(device)


def reversed_parts(x):
    out = np.zeros_like(x)
    for i in situ.prange(x.shape[0]):
        own = situ.private.array(3, np.float64)
        for k in range(3):
            own[k] = x[i] * k
        for k in range(3):
            out[i] += own[2 - k] * (k + 1)
    return out


def summed_tables(x):
    total = 0.0
    for i in situ.prange(x.shape[0]):
        own = situ.private.array((2, 2), np.float64)
        for j in range(2):
            for k in range(2):
                own[j, k] = x[i] + j - k
        total += own[0, 1] * own[1, 0]
    return total


def test_in_prange_loops(device):
    host = np.arange(float(SIZE))
    x = situ.asarray(host, device=device)
    compiled = situ.njit(reversed_parts)
    np.testing.assert_array_equal(compiled(x).to_numpy(), 4.0 * host)
    assert "one round after the other" not in str(compiled.inspect())
    assert situ.njit(summed_tables)(x) == float(np.sum((host - 1) * (host + 1)))


def test_in_prange_loops_on_virtual_devices_and_sub_devices():
    host = np.arange(float(SIZE))
    compiled = situ.njit(reversed_parts)
    with virtual_devices("gpu:1") as (gpu,):
        part = situ.Device("native").create_sub_devices(partition=1)[0]
        for place in (gpu, part):
            x = situ.asarray(host, device=place)
            np.testing.assert_array_equal(compiled(x).to_numpy(), 4.0 * host)


def test_memory_of_kernels_is_refused_elsewhere():
    @situ.njit
    def outside(x):
        own = situ.private.array(3, np.float64)
        return x + own

    @situ.njit
    def of_a_group(x):
        for i in situ.prange(x.shape[0]):
            own = situ.local.array(3, np.float64)
            x[i] = own[0]

    with pytest.raises(situ.KernelTypeError, match=r"`situ\.private\.array` is called outside"):
        outside(situ.arange(3.0))
    with pytest.raises(situ.KernelTypeError, match=r"`situ\.local\.array` is called outside"):
        of_a_group(situ.arange(3.0))
