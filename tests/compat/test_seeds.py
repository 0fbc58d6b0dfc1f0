"""The rules that the peers' authors wrote down, in the peers' names.

Kernels follow their arrays; arrays of the host need a block that names a queue; mixes are refused.
Everything runs in one process with two graphics processors that are not there.
"""

import textwrap

import pytest
from compat.program import WITHOUT_DRIVERS, run

PROGRAM = """
import warnings

import dpctl
import dpctl.tensor
import dpctl.utils
import dpnp
import numba_dpex
import numba_dppy
import numpy
import situ


@numba_dppy.kernel
def f(a, b, c):
    i = numba_dppy.get_global_id(0)
    c[i] = a[i] * b[i]


gpu_queue = dpctl.SyclQueue("gpu:0")
gpu_queue_1 = dpctl.SyclQueue("gpu:1")
gpu_queue_2 = dpctl.SyclQueue("gpu:1")


def usm(queue, type="shared"):
    return dpctl.tensor.usm_ndarray([1, 2, 3, 4], type=type, queue=queue)


def host():
    return numpy.asarray([1, 2, 3, 4])


def refused(call, *arguments):
    try:
        call(*arguments)
    except dpctl.utils.ExecutionPlacementError:
        return True
    return False


def test_common_queue():
    a, b, c = (usm(gpu_queue) for _ in range(3))
    f(a, b, c)
    assert dpnp.asnumpy(c).tolist() == [1, 4, 9, 16]
    assert c.queue == c.sycl_queue == gpu_queue and c.usm_type == "shared"


def test_queues_that_are_not_equivalent():
    assert refused(f, usm(gpu_queue), usm(gpu_queue_1), usm(gpu_queue_1))


def test_equivalent_queues():
    c = usm(gpu_queue_2)
    f(usm(gpu_queue_1), usm(gpu_queue_2), c)
    assert c.asnumpy().tolist() == [1, 4, 9, 16]


def test_kinds_of_memory_mix():
    c = usm(gpu_queue, "host")
    f(usm(gpu_queue, "shared"), usm(gpu_queue, "device"), c)
    assert c.asnumpy().tolist() == [1, 4, 9, 16]


def test_asarray_makes_data_compatible():
    a, b, c = usm(gpu_queue), usm(gpu_queue_2), usm(gpu_queue_2)
    assert refused(f, a, b, c)
    f(dpctl.tensor.asarray(a, queue=gpu_queue_2), b, c)
    f(dpctl.tensor.asarray(a, sycl_queue=gpu_queue_2), b, c)
    f(dpctl.tensor.asarray(a, device=gpu_queue_2), b, c)
    assert c.asnumpy().tolist() == [1, 4, 9, 16]


def test_host_arrays_need_a_block():
    a, b, c = host(), host(), host()
    assert refused(f, a, b, c)
    with numba_dppy.offload_to_sycl_device(gpu_queue):
        f(a, b, c)
    assert c.tolist() == [1, 4, 9, 16]


def test_host_and_usm_arrays_do_not_mix():
    assert refused(f, host(), host(), usm(gpu_queue_2))
    for queue in (gpu_queue, gpu_queue_2):
        with numba_dppy.offload_to_sycl_device(queue):
            assert refused(f, host(), host(), usm(gpu_queue_2))


def test_device_context_is_deprecated_and_works():
    c = host()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with dpctl.device_context("gpu:1") as queue:
            assert queue.sycl_device == gpu_queue_1.sycl_device
            assert dpnp.zeros(3).sycl_device == gpu_queue_1.sycl_device
            f(host(), host(), c)
    assert [one.category for one in caught] == [DeprecationWarning]
    assert c.tolist() == [1, 4, 9, 16]


def test_block_has_no_effect_on_usm_arrays():
    c = usm(gpu_queue)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with numba_dppy.offload_to_sycl_device(gpu_queue_1):
            f(usm(gpu_queue), usm(gpu_queue), c)
    assert [one.category for one in caught] == [situ.PlacementWarning]
    assert c.asnumpy().tolist() == [1, 4, 9, 16] and c.sycl_queue == gpu_queue


def test_global_queue():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dpctl.set_global_queue("gpu:1")
        assert dpctl.get_current_queue().sycl_device == gpu_queue_1.sycl_device
        assert dpnp.empty(2).sycl_device == gpu_queue_1.sycl_device
        dpctl.reset_global_queue()
    assert {one.category for one in caught} == {DeprecationWarning} and len(caught) == 3


def test_module_bound_to_a_queue():
    library = dpnp.offload_to("gpu:1")
    result = library.add(host(), usm(gpu_queue_1))
    assert result.sycl_device == gpu_queue_1.sycl_device
    assert result.asnumpy().tolist() == [2, 4, 6, 8]


def test_tiles_of_a_device_share_a_context():
    tiles = dpctl.SyclDevice("gpu").create_sub_devices(partition="L2_cache")
    context = dpctl.SyclContext(tiles)
    queues = [dpctl.SyclQueue(context, tile) for tile in tiles]
    first, second = (dpnp.ones(4, sycl_queue=queue) for queue in queues[:2])
    assert first.sycl_context == second.sycl_context and first.queue != second.queue
    assert refused(dpnp.add, first, second)
    moved = dpnp.asarray(second, device=first.sycl_queue)
    assert (first + moved).asnumpy().tolist() == [2.0] * 4


def test_coerced_kinds():
    kinds = dpctl.utils.get_coerced_usm_type
    assert kinds(["host", "shared"]) == "shared" and kinds(["shared", "device"]) == "device"
    assert dpctl.utils.get_execution_queue([gpu_queue_1, gpu_queue_2]) == gpu_queue_1
    assert dpctl.utils.get_execution_queue([gpu_queue, gpu_queue_2]) is None


def test_numba_function_takes_arrays():
    @numba_dpex.dpjit
    def g(a, b):
        return dpnp.sin(a) + b

    a = dpnp.ones(3, sycl_queue=gpu_queue)
    assert g(a, a).sycl_queue == gpu_queue


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(name)
"""


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    program = tmp_path_factory.mktemp("seeds") / "program.py"
    program.write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    variables = {**WITHOUT_DRIVERS, "SITU_VIRTUAL_DEVICES": "gpu:2"}
    return run("-m", "situ.compat", program, variables=variables)


def test_rules_hold_in_the_peers_names(done):
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == PROGRAM.count("\ndef test_")
