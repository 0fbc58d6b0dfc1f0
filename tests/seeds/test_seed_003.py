"""The execution queue of a kernel: what its arguments say, and what they may not mix."""

import numpy as np
import pytest

import situ
from situ.testing import virtual_devices


@situ.kernel
def scale(source, target):
    i = situ.get_global_id(0)
    target[i] = 2 * source[i]


@pytest.fixture(scope="module")
def gpus():
    with virtual_devices("gpu:2") as devices:
        yield devices


def test_the_kernel_runs_where_its_data_is(gpus):
    for gpu in gpus:
        source, target = situ.ones(4, device=gpu), situ.zeros(4, device=gpu)
        assert situ.placement_of(source, target).device == gpu
        scale(source, target)
        np.testing.assert_array_equal(target.to_numpy(), 2)
    names = [text.split(" on ")[1] for text in scale.specializations]
    assert names == [gpu.filter_string for gpu in gpus]


def test_arrays_of_equivalent_queues_mix(gpus):
    source = situ.ones(4, queue=situ.Queue(gpus[0]))
    target = situ.zeros(4, queue=situ.Queue(gpus[0]))
    scale(source, target)
    np.testing.assert_array_equal(target.to_numpy(), 2)


@pytest.mark.parametrize(
    "other",
    [
        lambda gpus: situ.Queue(situ.Context(gpus[0]), gpus[0]),
        lambda gpus: situ.Queue(gpus[1]),
        lambda gpus: situ.Queue(gpus[0], enable_profiling=True),
    ],
    ids=["another context", "another device", "other properties"],
)
def test_each_part_of_equivalence_counts(other, gpus):
    source, target = situ.ones(4, queue=situ.Queue(gpus[0])), situ.zeros(4, queue=other(gpus))
    with pytest.raises(situ.PlacementError):
        scale(source, target)


@pytest.mark.parametrize("first", ["device", "shared", "host"])
@pytest.mark.parametrize("second", ["device", "shared", "host"])
def test_every_kind_of_memory_is_accessible(first, second, gpus):
    source = situ.ones(4, queue=situ.Queue(gpus[0]), usm_type=first)
    target = situ.zeros(4, queue=situ.Queue(gpus[0]), usm_type=second)
    scale(source, target)
    np.testing.assert_array_equal(target.to_numpy(), 2)


@pytest.mark.parametrize("host_first", [True, False])
def test_kinds_of_arrays_do_not_mix(host_first, gpus):
    host, there = np.ones(4), situ.ones(4, device=gpus[0])
    arguments = (host, there) if host_first else (there, host)
    with pytest.raises(situ.PlacementError, match="host and device arrays"):
        scale(*arguments)
    np.testing.assert_array_equal(host, 1)
    np.testing.assert_array_equal(there.to_numpy(), 1)


def test_a_default_has_no_say_when_there_are_arrays(gpus):
    source, target = situ.ones(4, device=gpus[1]), situ.zeros(4, device=gpus[1])
    with situ.current(gpus[0]):
        assert situ.placement_of(source, target).device == gpus[1]
        scale(source, target)
    np.testing.assert_array_equal(target.to_numpy(), 2)


def test_host_arrays_are_offloaded_to_the_queue_that_is_specified(gpus):
    source, target = np.ones(4), np.zeros(4)
    with pytest.raises(situ.PlacementError, match="cannot tell where to run kernel `scale`"):
        scale(source, target)
    for gpu in gpus:
        target[...] = 0
        with situ.host_data_on(gpu):
            scale(source, target)
        np.testing.assert_array_equal(target, 2)


def test_specifying_a_queue_has_no_effect_on_arrays_that_have_one(gpus):
    source, target = situ.ones(4, device=gpus[1]), situ.zeros(4, device=gpus[1])
    with (
        situ.host_data_on(gpus[0]),
        pytest.warns(situ.PlacementWarning, match="no effect on this call of kernel `scale`"),
    ):
        scale(source, target)
    np.testing.assert_array_equal(target.to_numpy(), 2)
