"""What the work-items of a group compute together."""

import numpy as np
import pytest

import situ
from situ.kernel_api import (
    NdItem,
    all_of_group,
    any_of_group,
    exclusive_scan_over_group,
    group_broadcast,
    inclusive_scan_over_group,
    none_of_group,
    reduce_over_group,
    this_sub_group,
    this_work_group,
)

SIZE = 8


def run(kernel, device, *arrays, size=SIZE, simulated=False):
    """Run a kernel over two groups; give the arrays as they are afterwards."""
    sent = [situ.asarray(array, device=device) for array in arrays]
    ranged = kernel[situ.NdRange(2 * size, size)]
    (ranged.simulate if simulated else ranged)(*sent)
    return [array.to_numpy() for array in sent]


@situ.kernel
def sums(item: NdItem, x, out):
    i = item.get_global_id(0)
    group = item.get_group()
    out[i, 0] = reduce_over_group(group, x[i])
    out[i, 1] = inclusive_scan_over_group(group, x[i], np.add)
    out[i, 2] = exclusive_scan_over_group(group, x[i], situ.add)
    out[i, 3] = reduce_over_group(group, x[i], min)
    out[i, 4] = inclusive_scan_over_group(group, x[i], np.maximum)
    out[i, 5] = group_broadcast(group, x[i], 3)
    out[i, 6] = group_broadcast(group, x[i])
    out[i, 7] = reduce_over_group(group, x[i], np.multiply)


@pytest.mark.parametrize("simulated", [False, True])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "float32", "float64"])
def test_reductions_and_scans_over_a_work_group(device, dtype, simulated):
    x = (np.arange(2 * SIZE) * 5 % 7 + 1).astype(dtype)
    _, out = run(sums, device, x, np.zeros((2 * SIZE, 8), dtype), simulated=simulated)
    for start in (0, SIZE):
        part = x[start : start + SIZE]
        found = out[start : start + SIZE]
        np.testing.assert_allclose(found[:, 0], np.full(SIZE, part.sum()))
        np.testing.assert_allclose(found[:, 1], np.cumsum(part))
        np.testing.assert_allclose(found[:, 2], np.cumsum(part) - part)
        np.testing.assert_allclose(found[:, 3], np.full(SIZE, part.min()))
        np.testing.assert_allclose(found[:, 4], np.maximum.accumulate(part))
        np.testing.assert_allclose(found[:, 5], np.full(SIZE, part[3]))
        np.testing.assert_allclose(found[:, 6], np.full(SIZE, part[0]))
        np.testing.assert_allclose(found[:, 7], np.full(SIZE, part.astype("float64").prod()))


@pytest.mark.parametrize("simulated", [False, True])
def test_votes_and_bits(device, simulated):
    @situ.kernel
    def kernel(x, out):
        i = situ.get_global_id(0)
        group = this_work_group()
        out[i, 0] = any_of_group(group, x[i] > 14)
        out[i, 1] = all_of_group(group, x[i] >= 0)
        out[i, 2] = none_of_group(group, x[i] > 14)
        out[i, 3] = reduce_over_group(group, x[i], np.bitwise_or)
        out[i, 4] = reduce_over_group(group, x[i], np.bitwise_xor)
        out[i, 5] = exclusive_scan_over_group(group, x[i], np.bitwise_and)
        out[i, 6] = reduce_over_group(group, x[i] % 2 == 0)

    x = np.arange(2 * SIZE, dtype="int32")
    _, out = run(kernel, device, x, np.zeros((2 * SIZE, 7), "int32"), simulated=simulated)
    assert out[0, :5].tolist() == [0, 1, 1, 7, 0]
    assert out[-1, :5].tolist() == [1, 1, 0, 15, 0]
    np.testing.assert_array_equal(out[:3, 5], [-1, 0, 0])
    assert (out[:, 6] == SIZE // 2).all()


@pytest.mark.parametrize("simulated", [False, True])
def test_sub_groups_are_parts_of_the_group(device, simulated):
    @situ.kernel
    def kernel(item: NdItem, x, out):
        i = item.get_global_id(0)
        sub = item.get_sub_group()
        out[i, 0] = sub.get_group_id()
        out[i, 1] = sub.get_local_id()
        out[i, 2] = sub.get_local_range()
        out[i, 3] = sub.get_group_range()
        out[i, 4] = reduce_over_group(sub, x[i])
        out[i, 5] = exclusive_scan_over_group(sub, x[i])
        out[i, 6] = sub.leader
        out[i, 7] = reduce_over_group(this_sub_group(), 1)

    size = 20
    x = np.arange(2 * size, dtype="int64")
    try:
        _, out = run(
            kernel, device, x, np.zeros((2 * size, 8), "int64"), size=size, simulated=simulated
        )
    except situ.SituError as error:
        if "sub-group" in str(error):
            pytest.skip("the device has no sub-groups of one size")
        raise
    for group in (0, 1):
        found = out[group * size : (group + 1) * size]
        values = x[group * size : (group + 1) * size]
        assert (found[:, 3] == found[:, 0].max() + 1).all()
        for sub in range(found[0, 3]):
            rows = found[:, 0] == sub
            order = np.argsort(found[rows, 1])
            np.testing.assert_array_equal(found[rows, 1][order], np.arange(rows.sum()))
            assert (found[rows, 2] == rows.sum()).all()
            assert (found[rows, 4] == values[rows].sum()).all()
            ordered = values[rows][order]
            np.testing.assert_array_equal(found[rows, 5][order], np.cumsum(ordered) - ordered)
            np.testing.assert_array_equal(found[rows, 6], found[rows, 1] == 0)
            assert (found[rows, 7] == rows.sum()).all()


def test_a_collective_that_not_all_reach_is_refused():
    @situ.kernel
    def kernel(item: NdItem, x):
        if item.get_local_id(0) > 0:
            x[0] = reduce_over_group(item.get_group(), 1)

    x = situ.asarray(np.zeros(8))
    with pytest.raises(situ.KernelError, match="V070"):
        kernel[situ.NdRange(8, 4)](x)
    with pytest.raises(situ.KernelError, match="not every work-item"):
        kernel[situ.NdRange(8, 4)].simulate(x)
