"""What the reference device finds in a kernel: the line, the work-items and a way out."""

import numpy as np
import pytest

import situ


def line_of(kernel, offset):
    return kernel.__wrapped__.__code__.co_firstlineno + offset


def message_of(kernel, sizes, *arrays, error=situ.KernelError):
    """Launch a kernel with a mistake on the reference device; give what the error says."""
    arrays = [situ.asarray(each, device="reference") for each in arrays]
    with pytest.raises(error) as caught:
        kernel[sizes](*arrays)
    # The queue goes on.
    arrays[0].queue.wait()
    assert float(situ.sum(situ.ones(3, queue=arrays[0].queue))) == 3
    return str(caught.value)


def test_an_access_outside_is_an_index_error():
    @situ.kernel
    def too_far(a):
        i = situ.get_global_id(0)
        a[i + 1] = i

    message = message_of(too_far, 4, np.zeros(4), error=situ.KernelIndexError)
    assert "kernel `too_far` reached outside of `a`: the index is (4,)" in message
    assert "its shape is (4,)" in message
    assert f"work-item (3,) did so at {__file__}:{line_of(too_far, 3)}" in message
    assert "`if i < a.shape[0]:`" in message


def test_the_end_of_a_row_and_of_a_view_are_ends():
    @situ.kernel
    def across(a, out):
        i = situ.get_global_id(0)
        out[i] = a[0, i + 1]

    message = message_of(across, 3, np.zeros((2, 3)), np.zeros(3), error=situ.KernelIndexError)
    assert "`a`: the index is (0, 3), and its shape is (2, 3)" in message
    whole = situ.asarray(np.arange(8.0), device="reference")
    out = situ.asarray(np.zeros(4), device="reference")

    @situ.kernel
    def copy(a, out):
        i = situ.get_global_id(0)
        out[i] = a[i]

    with pytest.raises(situ.KernelIndexError, match=r"index is \(3,\), and its shape is \(3,\)"):
        copy[4](whole[2:5], out)


def test_a_race_names_both_work_items():
    @situ.kernel
    def both(a):
        a[0] = situ.get_global_id(0)

    message = message_of(both, 2, np.zeros(4))
    assert "error[F002]: two work-items write `a[0]` at once" in message
    assert f"{__file__}:{line_of(both, 2)}" in message
    assert "kernel `both`, work-item [1] ([1] of work-group [0])" in message
    assert "the other access was by work-item [0]" in message
    assert "help: use an atomic" in message


def test_local_memory_that_nobody_wrote():
    @situ.kernel
    def unwritten(a):
        tile = situ.local.array(4, a.dtype)
        i = situ.get_local_id(0)
        a[i] = tile[i]

    message = message_of(unwritten, ((4,), (4,)), np.zeros(4))
    assert "error[F003]: `tile[0]` is read before anybody wrote it" in message
    assert f"{__file__}:{line_of(unwritten, 4)}" in message
    assert "kernel `unwritten`, work-item [0]" in message
    assert "help: write the element first; local memory also needs a barrier" in message


def test_local_memory_without_a_barrier():
    @situ.kernel
    def hasty(a):
        tile = situ.local.array(4, a.dtype)
        i = situ.get_local_id(0)
        tile[i] = a[i]
        a[i] = tile[3 - i]

    message = message_of(hasty, ((4,), (4,)), np.zeros(4))
    assert "error[F00" in message
    assert f"{__file__}:{line_of(hasty, 5)}" in message
    assert "barrier" in message


def test_a_barrier_that_some_do_not_reach_is_refused_before_it_runs():
    @situ.kernel
    def divergent(a):
        i = situ.get_local_id(0)
        if i < 2:
            situ.barrier()
        a[i] = 1

    message = message_of(divergent, ((4,), (4,)), np.zeros(4))
    assert "error[V070]: a barrier in `divergent` may not be reached by every work-item" in message
    assert f"{__file__}:{line_of(divergent, 4)}" in message
    assert "help: move it out of the branch or loop" in message
