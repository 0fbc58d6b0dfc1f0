"""Ranges: explicit, from the arguments, in groups, empty, and impossible ones."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import situ


@situ.kernel
def number_1d(a):
    i = situ.get_global_id(0)
    a[i] = i


@situ.kernel
def number_2d(a):
    i, j = situ.get_global_id(0), situ.get_global_id(1)
    a[i, j] = 10 * i + j


@situ.kernel
def number_3d(a):
    i, j, k = situ.get_global_id(0), situ.get_global_id(1), situ.get_global_id(2)
    a[i, j, k] = 100 * i + 10 * j + k


@situ.kernel
def add(a, b, out):
    i = situ.get_global_id(0)
    out[i] = a[i] + b[i]


@situ.kernel
def groups(out):
    i = situ.get_global_id(0)
    out[i] = 1000 * situ.get_group_id(0) + 10 * situ.get_local_id(0) + situ.get_local_size(0)


def zeros(shape, device, dtype="int64"):
    return situ.asarray(np.zeros(shape, dtype), device=device)


@pytest.mark.parametrize(
    ("kernel", "shape"), [(number_1d, (7,)), (number_2d, (3, 5)), (number_3d, (2, 3, 4))]
)
def test_without_a_range_a_kernel_runs_over_the_common_shape(kernel, shape, device):
    a = zeros(shape, device)
    kernel(a)
    weights = [100, 10, 1][3 - len(shape) :]
    expected = sum(w * index for w, index in zip(weights, np.indices(shape), strict=True))
    np.testing.assert_array_equal(a.to_numpy(), expected)


def test_an_explicit_range_may_be_smaller_than_the_arrays(device):
    a = zeros(5, device)
    number_1d[3](a)
    np.testing.assert_array_equal(a.to_numpy(), [0, 1, 2, 0, 0])
    b = zeros((3, 3), device)
    number_2d[2, 2](b)
    number_2d[(1, 3)](b)
    number_2d[[np.int32(3), 1]](b)
    np.testing.assert_array_equal(b.to_numpy(), [[0, 1, 2], [10, 11, 0], [20, 0, 0]])


def test_call_kernel_is_the_same_as_brackets(device):
    a = zeros(4, device)
    situ.call_kernel(number_1d, (4,), a)
    np.testing.assert_array_equal(a.to_numpy(), [0, 1, 2, 3])


def test_work_groups_have_the_size_asked_for(device):
    out = zeros(8, device)
    groups[(8,), (4,)](out)
    expected = [4, 14, 24, 34, 1004, 1014, 1024, 1034]
    np.testing.assert_array_equal(out.to_numpy(), expected)
    groups[8, (2,)](out)
    assert out.to_numpy()[-1] == 3012


def test_a_kernel_that_needs_groups_gets_some(device):
    out = zeros(6, device)
    groups(out)
    sizes = out.to_numpy() % 10
    assert (sizes == sizes[0]).all()
    assert 6 % sizes[0] == 0


def test_views_of_any_strides_are_written_in_place(device):
    base = zeros(12, device)
    number_1d(base[::-2])
    np.testing.assert_array_equal(base.to_numpy(), [0, 5, 0, 4, 0, 3, 0, 2, 0, 1, 0, 0])
    grid = zeros((3, 4), device)
    number_2d(grid.T)
    np.testing.assert_array_equal(
        grid.to_numpy(), (10 * np.indices((4, 3))[0] + np.indices((4, 3))[1]).T
    )


def test_offset_views_start_at_their_first_element(device):
    base = zeros(6, device)
    number_1d(base[3:])
    np.testing.assert_array_equal(base.to_numpy(), [0, 0, 0, 0, 1, 2])


@pytest.mark.parametrize("range_", [0, (0,)])
def test_an_empty_range_does_nothing(range_, device):
    a = zeros(3, device)
    number_1d[range_](a)
    number_2d[0, 5](zeros((1, 1), device))
    np.testing.assert_array_equal(a.to_numpy(), [0, 0, 0])


def test_empty_arrays_are_an_empty_range(device):
    empty = zeros(0, device)
    add(empty, empty, empty)
    number_2d(zeros((0, 3), device))


def test_arrays_without_a_common_shape_need_a_range(device):
    with pytest.raises(situ.ShapeError) as caught:
        add(zeros(3, device), zeros(4, device), zeros(3, device))
    assert "no common shape: `a` is (3,), `b` is (4,), `out` is (3,)" in str(caught.value)
    assert "add[n](...)" in str(caught.value)


def test_other_dimensions_than_the_kernels_need_a_range(device):
    @situ.kernel
    def touch(a):
        i = situ.get_global_id(0)
        a[i, i] = i

    with pytest.raises(situ.ShapeError, match="written for 1 dimension, but its arrays have 2"):
        touch(zeros((2, 2), device))
    with pytest.raises(situ.ShapeError, match="over a range of 2 dimensions"):
        number_1d[2, 2](zeros(4, device))


@pytest.mark.parametrize(
    ("range_", "message"),
    [
        (-1, "fewer than 0 work-items"),
        (2**70, "cannot be counted"),
        ((2**40, 2**40), "more than 2"),
        ((1, 2, 3, 4), "1 to 3 dimensions, not 4"),
        ((), "1 to 3 dimensions, not 0"),
        (((8,), (0,)), "is empty"),
        (((8,), (3,)), "not a multiple"),
        (((8,), (2, 2)), "dimensions"),
    ],
)
def test_impossible_ranges_are_refused(range_, message):
    with pytest.raises(situ.ShapeError, match=message):
        number_1d[range_]


def test_refused_ranges_name_the_kernel_and_a_way_out():
    with pytest.raises(situ.ShapeError) as caught:
        number_1d[(8,), (3,)]
    assert "cannot launch `number_1d` over this range" in str(caught.value)
    assert "help: " in str(caught.value)


@pytest.mark.parametrize("launch", [situ.call_kernel, situ.call_kernel_async])
def test_only_kernels_are_launched(launch):
    with pytest.raises(situ.KernelTypeError, match="takes a kernel, its range and its arguments"):
        launch(len, 8)


@pytest.mark.parametrize("range_", [1.5, "8", None, slice(3), (1, None)])
def test_a_range_is_made_of_integers(range_):
    with pytest.raises(situ.KernelTypeError, match="a range is made of integers"):
        number_1d[range_]


def test_a_group_beyond_the_device_is_refused(device):
    a = zeros(1 << 20, device)
    with pytest.raises(situ.KernelError, match=r"can run .* in a group"):
        groups[(1 << 20,), (1 << 20,)](a)


def test_a_kernel_without_arrays_runs_nowhere_in_particular():
    @situ.kernel
    def nothing(n):
        n += 1

    nothing[3](1)
    with pytest.raises(situ.ShapeError, match="called without arrays"):
        nothing(1)


def test_threads_share_one_specialisation():
    @situ.kernel
    def count_up(a):
        i = situ.get_global_id(0)
        for _ in range(10):
            a[i] += 1

    def work(number):
        a = situ.asarray(np.full(1000, number))
        count_up(a)
        return a.to_numpy()

    with ThreadPoolExecutor(8) as pool:
        for number, values in enumerate(pool.map(work, range(32))):
            np.testing.assert_array_equal(values, number + 10)
    assert len(count_up.specializations) == 1
