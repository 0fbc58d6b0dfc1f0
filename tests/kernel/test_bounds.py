"""Kernels that check their bounds: nothing outside of an array is touched, and the host is told."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from places import driver_devices

import situ
from situ.kernel_api import AtomicRef
from situ.testing import virtual_devices


@pytest.fixture(params=["native", "reference", "virtual"])
def place(request):
    if request.param != "virtual":
        yield request.param
        return
    with virtual_devices("gpu:1") as (gpu,):
        yield gpu


def array(values, place, dtype=None):
    return situ.asarray(np.asarray(values, dtype), device=place)


def message_of(launch, x):
    """Launch a kernel that reaches outside, and wait for it; give what the error says."""

    def launch_and_wait():
        launch()
        x.queue.wait()

    with pytest.raises(situ.KernelIndexError) as caught:
        launch_and_wait()
    assert isinstance(caught.value, IndexError)
    assert isinstance(caught.value, situ.KernelError)
    return str(caught.value)


@situ.kernel(bounds=True)
def shift(x, y, distance):
    i = situ.get_global_id(0)
    y[i] = x[i + distance] + 1


def line_of(kernel, offset):
    return kernel.__wrapped__.__code__.co_firstlineno + offset


def test_accesses_inside_are_not_changed(place):
    x, y = array(np.arange(8.0), place), array(np.zeros(8), place)
    shift[7](x, y, 1)
    np.testing.assert_array_equal(y.to_numpy(), [2, 3, 4, 5, 6, 7, 8, 0])


@pytest.mark.parametrize(
    ("distance", "index", "item"), [(1, 8, 7), (-1, -1, 0), (10**12, None, None)]
)
def test_a_load_outside_names_everything(place, distance, index, item):
    x, y = array(np.arange(8.0), place), array(np.zeros(8), place)
    message = message_of(lambda: shift(x, y, distance), x)
    assert "kernel `shift` reached outside of `x`" in message
    assert "shape is (8,)" in message
    assert f"test_bounds.py:{line_of(shift, 3)}" in message
    if index is not None:
        assert f"the index is ({index},)" in message
        assert f"work-item ({item},)" in message


def test_a_work_item_ends_at_the_access_and_the_queue_goes_on(place):
    x, y = array(np.arange(4.0), place), array(np.full(4, -1.0), place)
    message_of(lambda: shift(x, y, 1), x)
    np.testing.assert_array_equal(y.to_numpy(), [2, 3, 4, -1])
    shift[3](x, y, 0)
    np.testing.assert_array_equal(y.to_numpy(), [1, 2, 3, -1])


def test_stores_outside_are_skipped(place):
    @situ.kernel(bounds=True)
    def scatter(y, where):
        i = situ.get_global_id(0)
        y[where[i], 1] = i + 1

    whole = array(np.zeros((5, 2)), place)
    middle = whole[1:4]
    where = array([0, 3, 2, -1], place)
    message = message_of(lambda: scatter[4](middle, where), whole)
    assert "`y`" in message
    assert "shape is (3, 2)" in message
    np.testing.assert_array_equal(whole.to_numpy()[:, 1], [0, 1, 0, 3, 0])


def test_constants_count_from_the_end_and_are_checked(place):
    @situ.kernel(bounds=True)
    def last(x):
        x[0] = x[-3]

    x = array([1.0, 2.0, 3.0], place)
    last[1](x)
    assert x.to_numpy()[0] == 1
    short = array([1.0, 2.0], place)
    assert "shape is (2,)" in message_of(lambda: last[1](short), short)


def test_wrapped_indices_are_checked_after_wrapping(place):
    @situ.kernel(bounds=True, wrap_indices=True)
    def before(x, y, n):
        i = situ.get_global_id(0)
        y[i] = x[i - n]

    x, y = array([1.0, 2.0, 3.0], place), array(np.zeros(3), place)
    before(x, y, 3)
    np.testing.assert_array_equal(y.to_numpy(), [1, 2, 3])
    assert "`x`" in message_of(lambda: before(x, y, 4), x)


def test_parts_of_arrays(place):
    @situ.kernel(bounds=True)
    def rows(a, row, column, out):
        part = a[row]
        tail = part[1:]
        out[0] = tail[column]

    a, out = array(np.arange(12.0).reshape(3, 4), place), array([0.0], place)
    rows[1](a, 2, 1, out)
    assert out.to_numpy()[0] == 10
    assert "(3,), and its shape is (3,)" in message_of(lambda: rows[1](a, 2, 3, out), a)
    assert "(5,), and its shape is (3,)" in message_of(lambda: rows[1](a, 5, 0, out), a)
    assert "(-1,), and its shape is (3,)" in message_of(lambda: rows[1](a, -1, 0, out), a)


def test_slices_stay_inside(place):
    @situ.kernel(bounds=True)
    def count(a, start, end, out):
        part = a[start:end]
        out[0] = len(part)
        if len(part) > 0:
            out[1] = part[0]

    a, out = array([5.0, 6.0, 7.0], place), array([0.0, 0.0], place)
    count[1](a, -4, 9, out)
    np.testing.assert_array_equal(out.to_numpy(), [3, 5])


def test_local_and_private_arrays(place):
    @situ.kernel(bounds=True)
    def tiles(x, at):
        tile = situ.local.array(4, x.dtype)
        own = situ.private.array(2, x.dtype)
        i = situ.get_local_id(0)
        tile[i] = i
        situ.barrier()
        own[i % 2] = tile[(i + 1) % 4]
        x[i] = own[i % 2] + tile[i + at]

    x = array(np.zeros(4), place)
    tiles[(4,), (4,)](x, 0)
    np.testing.assert_array_equal(x.to_numpy(), [1, 3, 5, 3])
    message = message_of(lambda: tiles[(4,), (4,)](x, 1), x)
    assert "`tile`: the index is (4,), and its shape is (4,)" in message
    # Others wait at the barrier, so the work-item went on, with 0 for what it could not read.
    np.testing.assert_array_equal(x.to_numpy(), [2, 4, 6, 0])


def test_a_row_that_does_not_exist_is_empty_where_others_wait(place):
    @situ.kernel(bounds=True)
    def meet(a, row, out):
        part = a[row]
        situ.barrier()
        part[0] = 9
        out[situ.get_local_id(0)] = len(part)

    a, out = array(np.zeros((2, 3)), place), array(np.ones(2), place)
    message_of(lambda: meet[(2,), (2,)](a, 10**9, out), a)
    np.testing.assert_array_equal(a.to_numpy(), np.zeros((2, 3)))
    np.testing.assert_array_equal(out.to_numpy(), [0, 0])


def test_atomics(place):
    @situ.kernel(bounds=True)
    def count(bins, x, seen):
        i = situ.get_global_id(0)
        situ.atomic.add(bins, x[i], 1)
        seen[i] = AtomicRef(bins, x[i]).fetch_add(1)

    bins, seen = array([0, 0], place, np.int64), array([5, 5, 5], place, np.int64)
    x = array([0, 1, 2], place)
    message = message_of(lambda: count[3](bins, x, seen), bins)
    assert "`bins`: the index is (2,), and its shape is (2,)" in message
    np.testing.assert_array_equal(bins.to_numpy(), [2, 2])
    np.testing.assert_array_equal(seen.to_numpy(), [1, 1, 5])


@situ.kernel(bounds=True)
def add_to_part(a, row, at, seen):
    part = a[row]
    reference = AtomicRef(part, at)
    situ.barrier()
    seen[situ.get_local_id(0)] = reference.fetch_add(1)


@situ.kernel(bounds=True)
def add_to_part_alone(a, row, at, seen):
    part = a[row]
    reference = AtomicRef(part, at)
    seen[situ.get_local_id(0)] = reference.fetch_add(1)


@pytest.mark.parametrize("kernel", [add_to_part, add_to_part_alone], ids=lambda k: k.__name__)
@pytest.mark.parametrize(
    ("row", "at", "found"),
    [
        (1, 3, "the index is (3,), and its shape is (3,)"),
        (1, -1, "the index is (-1,), and its shape is (3,)"),
        (0, 10**12, "its shape is (3,)"),
        (2, 0, "the index is (2,), and its shape is (2,)"),
        (-1, 1, "the index is (-1,), and its shape is (2,)"),
    ],
)
def test_references_to_parts_that_are_kept(place, kernel, row, at, found):
    a, seen = array(np.zeros((2, 3)), place), array(np.full(2, 5.0), place)
    kernel[(2,), (2,)](a, 1, 2, seen)
    expected = np.array([[0.0, 0, 0], [0, 0, 2]])
    np.testing.assert_array_equal(a.to_numpy(), expected)
    assert found in message_of(lambda: kernel[(2,), (2,)](a, row, at, seen), a)
    # Not even the first element is touched.
    np.testing.assert_array_equal(a.to_numpy(), expected)


def test_conditions_are_checked_only_where_they_are_evaluated(place):
    @situ.kernel(bounds=True)
    def search(x, wanted, out):
        i = 0
        while i < len(x) and x[i] != wanted:
            i += 1
        out[0] = i
        out[1] = x[i] if i < len(x) else -1

    x, out = array([1, 2, 3], place), array([0, 0], place)
    search[1](x, 2, out)
    np.testing.assert_array_equal(out.to_numpy(), [1, 2])
    search[1](x, 7, out)
    np.testing.assert_array_equal(out.to_numpy(), [3, -1])


def test_a_loop_that_runs_away_ends(place):
    @situ.kernel(bounds=True)
    def run(x, out):
        i = 0
        while x[i] > 0:
            i += 1
        out[0] = i

    x, out = array([1, 2, 3], place), array([0], place)
    assert "the index is (3,)" in message_of(lambda: run[1](x, out), x)
    assert out.to_numpy()[0] == 0


@situ.device_func
def third(x, i):
    return x[i + 2]


def test_device_functions_are_checked_and_named(place):
    @situ.kernel(bounds=True)
    def kernel(x, y):
        i = situ.get_global_id(0)
        y[i] = third(x, i)

    x, y = array([1.0, 2.0, 3.0], place), array([0.0] * 3, place)
    kernel[1](x, y)
    assert y.to_numpy()[0] == 3
    message = message_of(lambda: kernel(x, y), x)
    assert "kernel `kernel` reached outside of `x`" in message
    assert f"test_bounds.py:{line_of(third, 2)}" in message


def test_strided_and_empty_arrays(place):
    whole = array(np.arange(10.0), place)
    y = array(np.zeros(6), place)
    shift[4](whole[::2], y, 1)
    np.testing.assert_array_equal(y.to_numpy(), [3, 5, 7, 9, 0, 0])
    message = message_of(lambda: shift[6](whole[::-2], y, 0), whole)
    assert "the index is (5,), and its shape is (5,)" in message
    empty = array(np.zeros(0), place)
    assert "shape is (0,)" in message_of(lambda: shift[1](empty, y, 0), y)


def test_without_the_option_there_is_no_check():
    @situ.kernel
    def plain(x):
        i = situ.get_global_id(0)
        x[i] = i

    x = situ.asarray(np.zeros(3))
    plain(x)
    assert "report" not in plain.inspect()
    shift[3](x, x, 0)
    assert "report" in shift.inspect()


def test_virtual_devices_always_check():
    @situ.kernel
    def plain(x):
        i = situ.get_global_id(0)
        x[i] = x[i + 1]

    with virtual_devices("gpu:1") as (gpu,):
        x = array(np.arange(3.0), gpu)
        assert "the index is (3,)" in message_of(lambda: plain(x), x)
        plain[2](x)
        np.testing.assert_array_equal(x.to_numpy(), [2, 2, 2])


@pytest.mark.parametrize("device", driver_devices())
def test_on_drivers(device):
    x, y = array(np.arange(4, dtype=np.float32), device), array(np.zeros(4, np.float32), device)
    message = message_of(lambda: shift(x, y, 1), x)
    assert "`x`: the index is (4,), and its shape is (4,)" in message
    np.testing.assert_array_equal(y.to_numpy(), [2, 3, 4, 0])


def test_the_environment_checks_all_kernels(tmp_path):
    script = tmp_path / "outside.py"
    script.write_text(
        textwrap.dedent("""
        import numpy as np
        import situ

        @situ.kernel
        def outside(x):
            i = situ.get_global_id(0)
            x[i] = x[i + 1]

        x = situ.asarray(np.arange(3.0))
        try:
            outside(x)
            x.queue.wait()
        except situ.KernelIndexError as error:
            print(error)
        """)
    )
    environment = {**os.environ, "SITU_BOUNDS": "1"}
    run = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=True
    )
    assert "kernel `outside` reached outside of `x`: the index is (3,)" in run.stdout
    assert "outside.py:8" in run.stdout
