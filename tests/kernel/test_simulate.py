"""`simulate`: the same source in plain Python."""

import threading

import numpy as np
import pytest

import situ
from situ.kernel_api import NdItem, group_barrier

SIZE = 4


@situ.device_func
def scaled(x, factor):
    return x * factor


@situ.kernel
def axpy(a, x, y):
    i = situ.get_global_id(0)
    y[i] = scaled(x[i], a) + y[i]


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


def test_it_does_what_the_kernel_does(device):
    x, y = np.arange(6.0), np.ones(6)
    simulated = situ.asarray(y, device=device)
    compiled = situ.asarray(y, device=device)
    sent = situ.asarray(x, device=device)
    axpy.simulate(2.0, sent, simulated)
    axpy(2.0, sent, compiled)
    np.testing.assert_array_equal(simulated.to_numpy(), compiled.to_numpy())
    axpy[2].simulate(a=1.0, x=sent, y=simulated)
    np.testing.assert_array_equal(simulated.to_numpy(), 2 * x + y + [0, 1, 0, 0, 0, 0])


def test_groups_wait_for_each_other(device):
    x = np.arange(12.0)
    sums = situ.asarray(np.zeros(3), device=device)
    group_sums[(12,), (SIZE,)].simulate(situ.asarray(x, device=device), sums)
    np.testing.assert_array_equal(sums.to_numpy(), x.reshape(3, SIZE).sum(axis=1))


def test_strided_and_overlapping_arrays_are_the_same_memory():
    @situ.kernel
    def kernel(a, b):
        i = situ.get_global_id(0)
        a[i] = b[i] + 1

    base = situ.asarray(np.arange(8.0))
    kernel.simulate(base[1::2], base[::2])
    np.testing.assert_array_equal(base.to_numpy(), [0, 1, 2, 3, 4, 5, 6, 7])
    kernel.simulate(base[1:], base[:-1])
    np.testing.assert_array_equal(base.to_numpy(), np.arange(8.0))


def test_numpy_arrays_are_taken_as_they_are():
    x, y = np.arange(3.0), np.zeros(3)
    axpy.simulate(3.0, x, y)
    np.testing.assert_array_equal(y, 3 * x)


def test_functions_of_situ_work_on_numbers():
    @situ.kernel
    def kernel(a):
        i = situ.get_global_id(0)
        a[i] = situ.sqrt(a[i]) + situ.minimum(a[i], 2) + situ.float32(0.5)

    a = np.arange(4.0)
    sent = situ.asarray(a)
    kernel(sent)
    kernel.simulate(a)
    np.testing.assert_array_equal(a, sent.to_numpy())
    with pytest.raises(TypeError, match="without an array"):
        situ.sqrt(2.0)


def test_python_runs_in_it_one_work_item_after_the_other(capsys):
    seen = []

    @situ.kernel
    def kernel(a):
        i = situ.get_global_id(0)
        print("work-item", i)
        seen.append((i, threading.current_thread() is threading.main_thread()))

    kernel[3].simulate(np.zeros(3))
    assert capsys.readouterr().out.splitlines() == ["work-item 0", "work-item 1", "work-item 2"]
    assert seen == [(0, True), (1, True), (2, True)]


def test_work_items_that_wait_run_in_order():
    seen = []

    @situ.kernel
    def kernel(item: NdItem, a):
        i = item.get_local_id(0)
        seen.append(("before", i))
        group_barrier(item.get_group())
        seen.append(("after", i))

    kernel[situ.NdRange(3, 3)].simulate(np.zeros(3))
    expected = [("before", 0), ("before", 1), ("before", 2)]
    assert seen == [*expected, ("after", 0), ("after", 1), ("after", 2)]


def test_an_exception_names_the_work_item():
    @situ.kernel
    def kernel(a):
        i = situ.get_global_id(0)
        a[i + 1] = 1

    with pytest.raises(IndexError) as caught:
        kernel.simulate(np.zeros(3))
    assert caught.value.__notes__ == ["in work-item (2,) of a simulated kernel"]


def test_an_exception_ends_the_whole_group():
    @situ.kernel
    def kernel(a):
        situ.barrier()
        if situ.get_local_id(0) == 1:
            raise ValueError
        situ.barrier()

    before = threading.active_count()
    with pytest.raises(ValueError):  # noqa: PT011 - it has no message
        kernel[(4,), (4,)].simulate(np.zeros(4))
    assert threading.active_count() == before


def test_a_barrier_that_not_all_reach_is_found():
    @situ.kernel
    def some_end(a):
        if situ.get_local_id(0) > 0:
            situ.barrier()

    @situ.kernel
    def two_places(a):
        if situ.get_local_id(0) > 0:
            situ.barrier()
        else:
            situ.barrier()

    with pytest.raises(situ.KernelError, match=r"work-item \(0,\) has ended"):
        some_end[(4,), (2,)].simulate(np.zeros(4))
    with pytest.raises(situ.KernelError, match=r"work-item \(1,\) waits at `barrier`"):
        two_places[(4,), (2,)].simulate(np.zeros(4))


def test_memory_that_nobody_wrote_is_conspicuous():
    @situ.kernel
    def kernel(a):
        tile = situ.local.array(2, situ.float32)
        own = situ.private.array(2, situ.int16)
        zeros = situ.private.array(2, situ.int16, fill_zeros=True)
        a[0], a[1], a[2] = tile[0], own[0], zeros[0]

    a = np.zeros(3)
    kernel[1].simulate(a)
    np.testing.assert_array_equal(a, [np.nan, 32767, 0])


def test_without_a_common_shape_a_range_is_asked_for():
    with pytest.raises(situ.ShapeError, match="needs a range"):
        axpy.simulate(1.0, np.zeros(3), np.zeros(4))
    with pytest.raises(situ.KernelTypeError, match="takes 3 arguments"):
        axpy.simulate(np.zeros(3))


def test_functions_of_work_items_are_refused_elsewhere():
    for call in (lambda: situ.get_global_id(0), situ.barrier, lambda: situ.local.array(1, "f4")):
        with pytest.raises(situ.KernelError, match="outside of a kernel"):
            call()
