"""Work-groups: barriers, local memory and atomics."""

import numpy as np
import pytest

import situ

SIZE = 16


@situ.kernel
def group_sums(x, sums):
    tile = situ.local.array(SIZE, situ.float64)
    i = situ.get_local_id(0)
    tile[i] = x[situ.get_global_id(0)]
    situ.barrier()
    step = SIZE // 2
    while step > 0:
        if i < step:
            tile[i] += tile[i + step]
        situ.barrier()
        step //= 2
    if i == 0:
        sums[situ.get_group_id(0)] = tile[0]


def test_groups_reduce_in_local_memory(device):
    x = np.arange(256, dtype="float64")
    data, sums = situ.asarray(x, device=device), situ.asarray(np.zeros(16), device=device)
    group_sums[(256,), (SIZE,)](data, sums)
    np.testing.assert_array_equal(sums.to_numpy(), x.reshape(16, 16).sum(axis=1))


def test_tiles_of_two_dimensions_transpose(device):
    @situ.kernel
    def transpose(a, out):
        tile = situ.local.array((4, 4), situ.float32)
        i, j = situ.get_local_id(0), situ.get_local_id(1)
        tile[i, j] = a[situ.get_global_id(0), situ.get_global_id(1)]
        situ.barrier()
        row = situ.get_group_id(1) * 4 + i
        column = situ.get_group_id(0) * 4 + j
        out[row, column] = tile[j, i]

    values = np.arange(96, dtype="float32").reshape(8, 12)
    a = situ.asarray(values, device=device)
    out = situ.asarray(np.zeros((12, 8), "float32"), device=device)
    transpose[(8, 12), (4, 4)](a, out)
    np.testing.assert_array_equal(out.to_numpy(), values.T)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64", "float32", "float64"])
def test_atomics_lose_no_update(dtype, device):
    @situ.kernel
    def count(total, lowest, highest):
        i = situ.get_global_id(0)
        situ.atomic.add(total, 0, 1)
        situ.atomic.min(lowest, 0, i)
        situ.atomic.max(highest, 0, i)

    total, highest = (situ.asarray(np.zeros(1, dtype), device=device) for _ in range(2))
    lowest = situ.asarray(np.full(1, 5, dtype), device=device)
    count[1000](total, lowest, highest)
    found = [int(array.to_numpy()[0]) for array in (total, lowest, highest)]
    assert found == [1000, 0, 999]


def test_exchange_hands_out_each_ticket_once(device):
    @situ.kernel
    def tickets(counter, seen):
        ticket = situ.atomic.add(counter, 0, 1)
        seen[ticket] = 1

    counter = situ.asarray(np.zeros(1, "int64"), device=device)
    seen = situ.asarray(np.zeros(100, "int64"), device=device)
    tickets[100](counter, seen)
    np.testing.assert_array_equal(seen.to_numpy(), np.ones(100))


def test_a_barrier_that_not_all_reach_is_refused():
    @situ.kernel
    def divergent(a):
        if situ.get_local_id(0) == 0:
            situ.barrier()
        a[0] = 1

    with pytest.raises(situ.KernelError) as caught:
        divergent[(4,), (4,)](situ.asarray(np.zeros(4)))
    assert "V070" in str(caught.value)
    assert "if situ.get_local_id(0) == 0:" in str(caught.value)


@situ.kernel
def largest_private_array(a, out):
    i = situ.get_global_id(0)
    p = situ.private.array(65536, situ.float32)
    for j in range(65536):
        p[j] = a[i] + j
    s = p[0]
    for j in range(0, 65536, 4096):
        s = s + p[j]
    out[i] = s


@pytest.mark.parametrize("items", [1, 100])
def test_private_arrays_of_the_largest_size_fit_every_device(device, items):
    """Some drivers have them on a stack, for all work-items of a group at once."""
    if device.backend == "reference":
        items = 1
    a = situ.zeros(items, dtype=situ.float32, device=device)
    out = situ.ones(items, dtype=situ.float32, device=device)
    largest_private_array(a, out)
    expected = np.full(items, sum(range(0, 65536, 4096)), dtype=np.float32)
    np.testing.assert_array_equal(out.to_numpy(), expected)
