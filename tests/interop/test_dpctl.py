"""Queues, contexts and memory that situ and dpctl have in common.

Nothing here runs without dpctl and a device that it shares with situ. `make test` has both, and
`tests/runtime/test_expected_drivers.py` fails there if they are missing.
"""

import ctypes
import gc
import subprocess
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import situ

if not situ.devices("sycl"):
    pytest.skip("there is no device of the backend `sycl`", allow_module_level=True)

dpctl = pytest.importorskip("dpctl")
dpm = pytest.importorskip("dpctl.memory")

KINDS = ["Device", "Shared", "Host"]


class View:
    """Memory of dpctl as an array, as packages on top of dpctl describe theirs."""

    def __init__(self, memory: Any, dtype: str, shape: tuple[int, ...], **more: Any) -> None:
        self.memory = memory
        typestr = np.dtype(dtype).str
        own = {"typestr": typestr, "shape": shape, "strides": None, "offset": 0}
        self.__sycl_usm_array_interface__ = memory.__sycl_usm_array_interface__ | own | more


@situ.kernel
def scale(factor, x):
    """Multiply each element."""
    i = situ.get_global_id(0)
    x[i] = factor * x[i]


@pytest.fixture
def queue() -> Any:
    """Return a queue of dpctl on a device that situ uses."""
    ours = situ.Queue("sycl").to_dpctl()
    return dpctl.SyclQueue(ours.sycl_context, ours.sycl_device)


@pytest.fixture
def elsewhere(queue: Any) -> Any:
    """Return a queue of the same device in a context of its own."""
    return dpctl.SyclQueue(dpctl.SyclContext([queue.sycl_device]), queue.sycl_device)


def host(memory: Any, dtype: str) -> np.ndarray[Any, Any]:
    """Return what dpctl reads."""
    return np.frombuffer(memory.copy_to_host(), dtype=dtype)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kernel_runs_on_a_queue_of_dpctl_over_its_memory_without_a_copy(
    queue: Any, kind: str
) -> None:
    memory = getattr(dpm, f"MemoryUSM{kind}")(80, queue=queue)
    memory.copy_from_host(np.arange(10.0).view("u1"))
    x = situ.asarray(View(memory, "f8", (10,)))
    assert x.queue == situ.Queue(queue)
    assert x.usm_type == kind.lower()
    assert situ.memory.as_allocation(x).pointer == memory._pointer
    scale(3.0, x)
    np.testing.assert_array_equal(host(memory, "f8"), np.arange(10.0) * 3)
    x[2:4] = -1.0
    assert host(memory, "f8")[2:5].tolist() == [-1.0, -1.0, 12.0]


def test_memory_itself_is_an_array_of_bytes(queue: Any) -> None:
    memory = dpm.MemoryUSMShared(6, queue=queue)
    x = situ.asarray(memory)
    assert (x.dtype, x.shape) == (np.uint8, (6,))
    x[:] = 7
    assert bytes(memory) == b"\7" * 6
    np.asarray(memory)[1] = 9
    assert x.to_numpy().tolist() == [7, 9, 7, 7, 7, 7]


def test_strides_and_offsets_lead_to_the_same_elements(queue: Any) -> None:
    memory = dpm.MemoryUSMShared(96, queue=queue)
    numbers = np.frombuffer(memory, dtype="i4")
    numbers[:] = np.arange(24)
    backwards = View(memory, "i4", (4, 3), strides=(-6, 2), offset=18)
    x = situ.asarray(backwards)
    expected = numbers.reshape(4, 6)[::-1, ::2]
    np.testing.assert_array_equal(x.to_numpy(), expected)
    x[0, 0] = -5
    assert numbers[18] == -5
    assert situ.asarray(View(memory, "i4", (0, 3))).shape == (0, 3)


def test_the_producer_lives_as_long_as_the_array(queue: Any) -> None:
    view = View(dpm.MemoryUSMDevice(80, queue=queue), "f8", (10,))
    alive = weakref.ref(view)
    x = situ.asarray(view)
    y = x[3:]
    del view, x
    gc.collect()
    assert alive() is not None
    y[:] = 2.0
    assert y.to_numpy().tolist() == [2.0] * 7
    del y
    gc.collect()
    assert alive() is None


def test_dpctl_reads_and_writes_memory_of_situ(queue: Any) -> None:
    x = situ.asarray(np.arange(5.0), queue=queue, usm_type="shared")
    scale(2.0, x)
    memory = dpm.as_usm_memory(x)
    assert memory._pointer == situ.memory.as_allocation(x).pointer
    assert memory.sycl_queue == queue
    np.testing.assert_array_equal(host(memory, "f8"), np.arange(5.0) * 2)
    memory.copy_from_host(np.full(5, 1.5).view("u1"))
    np.testing.assert_array_equal((x + 1).to_numpy(), np.full(5, 2.5))
    assert situ.memory.as_allocation(memory).pointer == memory._pointer

    allocation = situ.memory.Allocation(16, "device", device="sycl")
    allocation.fill(3)
    assert bytes(dpm.as_usm_memory(allocation).copy_to_host()) == b"\3" * 16


def test_results_are_made_where_the_arguments_are(queue: Any) -> None:
    memory = dpm.MemoryUSMDevice(80, queue=queue)
    x = situ.asarray(View(memory, "f4", (20,)))
    x[:] = 4.0
    y = situ.sqrt(x) + x
    assert y.queue == x.queue == situ.Queue(queue)
    assert y.usm_type == "device"
    assert situ.sum(y).to_numpy() == 120.0


def test_a_queue_stays_one_queue_in_both_directions(queue: Any) -> None:
    ours = situ.Queue(queue)
    assert ours == situ.Queue(queue) == situ.Queue(queue._get_capsule())
    assert ours.to_dpctl() == queue
    assert ours.device == situ.Device("sycl")
    assert ours.context == situ.Device("sycl").default_context
    assert not ours.in_order
    made = situ.Queue("sycl")
    theirs = made.to_dpctl()
    assert theirs.is_in_order
    assert made.to_dpctl() == theirs
    assert situ.Queue(theirs) == made
    for in_order in (False, True):
        properties = ["in_order"] * in_order + ["enable_profiling"]
        other = dpctl.SyclQueue(queue.sycl_context, queue.sycl_device, property=properties)
        assert situ.Queue(other).in_order == in_order
        assert situ.Queue(other).enable_profiling


def test_contexts_are_shared(queue: Any, elsewhere: Any) -> None:
    default = situ.Device("sycl").default_context
    assert situ.Context(queue.sycl_context) == default
    assert default.to_dpctl() == queue.sycl_context
    theirs = elsewhere.sycl_context
    ours = situ.Context(theirs)
    assert ours == situ.Context(theirs._get_capsule()) == situ.Queue(elsewhere).context
    assert ours != default
    assert ours.to_dpctl() == theirs
    assert situ.Queue(elsewhere).device != situ.Device("sycl")
    assert situ.Queue(elsewhere).device.filter_string.startswith("sycl:")


def test_memory_of_another_context_is_used_there(elsewhere: Any) -> None:
    memory = dpm.MemoryUSMDevice(80, queue=elsewhere)
    x = situ.asarray(View(memory, "f8", (10,)))
    x[:] = 5.0
    scale(2.0, x)
    np.testing.assert_array_equal(host(memory, "f8"), np.full(10, 10.0))
    by_context = View(memory, "f8", (10,), syclobj=elsewhere.sycl_context)
    y = situ.asarray(by_context)
    assert y.queue.context == x.queue.context
    assert y.to_numpy().tolist() == [10.0] * 10
    moved = y.to_device(situ.Queue("sycl"))
    assert (moved + 1).to_numpy().tolist() == [11.0] * 10


def test_memory_is_found_by_any_description_of_its_queue(queue: Any) -> None:
    memory = dpm.MemoryUSMShared(4, queue=queue)
    name = queue.sycl_device.filter_string
    backend, device_type, number = name.split(":")
    for described in (
        queue,
        queue.sycl_context,
        queue._get_capsule(),
        queue.sycl_context._get_capsule(),
        name,
        (backend, device_type, int(number)),
    ):
        x = situ.asarray(View(memory, "u1", (4,), syclobj=described))
        assert situ.memory.as_allocation(x).pointer == memory._pointer
        assert x.queue.device == situ.Device("sycl")
    memory = dpm.MemoryUSMShared(4, queue=queue)
    for unknown in ("nowhere:cpu:0", ("a", "b"), None, 7.5):
        with pytest.raises(situ.AddressError):
            situ.asarray(View(memory, "u1", (4,), syclobj=unknown))


def test_arrays_of_two_contexts_are_not_mixed(queue: Any, elsewhere: Any) -> None:
    x = situ.asarray(View(dpm.MemoryUSMShared(8, queue=queue), "f8", (1,)))
    y = situ.asarray(View(dpm.MemoryUSMShared(8, queue=elsewhere), "f8", (1,)))
    with pytest.raises(situ.PlacementError, match="different devices"):
        x + y


def test_bound_modules_take_memory_of_dpctl_in_place(queue: Any, elsewhere: Any) -> None:
    lib = situ.offload_to(queue)
    memory, far = (dpm.MemoryUSMShared(32, queue=each) for each in (queue, elsewhere))
    for each in (memory, far):
        each.copy_from_host(np.arange(4.0).view("u1"))
    near = lib.asarray(View(memory, "f8", (4,)))
    assert near.queue == lib.queue
    assert situ.memory.as_allocation(near).pointer == memory._pointer
    total = lib.add(View(memory, "f8", (4,)), View(far, "f8", (4,)))
    assert total.queue == lib.queue
    assert total.to_numpy().tolist() == [0, 2, 4, 6]
    lib.kernel(scale)(10.0, View(memory, "f8", (4,)))
    lib.kernel(scale)(10.0, View(far, "f8", (4,)))  # comes home from another context
    situ.offload_to("native").kernel(scale)(10.0, View(memory, "f8", (4,)))  # and device
    assert host(memory, "f8").tolist() == [0, 100, 200, 300]
    assert host(far, "f8").tolist() == [0, 10, 20, 30]


def test_an_array_over_memory_has_any_dtype_and_shape(queue: Any) -> None:
    memory = dpm.MemoryUSMShared(48, queue=queue)
    x = situ.memory.as_array(memory, situ.int16, (4, 6))
    x[:] = situ.asarray(np.arange(24).reshape(4, 6), queue=queue)
    np.testing.assert_array_equal(np.frombuffer(memory, dtype="i2"), np.arange(24))
    assert situ.memory.as_array(x, "f8").shape == (6,)
    assert situ.memory.as_array(memory, "c16", 2).shape == (2,)
    with pytest.raises(situ.AddressError):
        situ.memory.as_array(memory, "f8", (7,))


def test_a_part_of_a_device_works(queue: Any) -> None:
    if not queue.sycl_device.partition_max_sub_devices:
        pytest.skip("the device has no parts")
    part = dpctl.SyclQueue(queue.sycl_device.create_sub_devices(partition=1)[0])
    memory = dpm.MemoryUSMShared(40, queue=part)
    x = situ.asarray(View(memory, "f8", (5,)))
    x[:] = 1.0
    scale(6.0, x)
    assert np.frombuffer(memory, dtype="f8").tolist() == [6.0] * 5
    assert x.queue.device.compute_units == 1


SLOW = """
kernel void slow(global double *x, long turns) {
    size_t i = get_global_id(0);
    double value = x[i];
    for (long turn = 0; turn < turns; turn++) value = sin(value) + 1.0;
    x[i] = value > 0.0 ? 3.0 : 4.0;
}
"""


def test_work_of_dpctl_comes_first_and_work_of_situ_is_done_before_it_goes_on(queue: Any) -> None:
    import dpctl.program as dpp

    kernel = dpp.create_program_from_source(queue, SLOW).get_sycl_kernel("slow")
    memory = dpm.MemoryUSMDevice(80, queue=queue)
    x = situ.asarray(View(memory, "f8", (10,)))
    turns = ctypes.c_longlong(100_000)
    for turn in range(20):
        x[:] = 1.0
        queue.submit_async(kernel, [memory, turns], [10])
        scale(float(turn), x)
        # Not through situ, which would wait.
        np.testing.assert_array_equal(host(memory, "f8"), np.full(10, 3.0 * turn))
        queue.submit_async(kernel, [memory, turns], [10])
        assert x.to_numpy().tolist() == [3.0] * 10
    queue.submit_async(kernel, [memory, turns], [10])
    situ.Queue(queue).wait()
    assert host(memory, "f8")[0] == 3.0


def test_memory_that_went_out_is_waited_for_on_other_queues_too(queue: Any) -> None:
    x = situ.zeros(1_000_000, queue=situ.Queue("sycl", in_order=False))
    memory = dpm.as_usm_memory(x)
    other = x.to_device(situ.Queue("sycl"))
    for turn in range(1, 6):
        other += 1
        np.testing.assert_array_equal(host(memory, "f8")[[0, -1]], [turn, turn])


def test_host_views_wait_for_dpctl(queue: Any) -> None:
    source = dpm.MemoryUSMShared(1 << 20, queue=queue)
    target = dpm.MemoryUSMShared(1 << 20, queue=queue)
    x = situ.asarray(target)
    for value in range(5):
        np.asarray(source)[:] = value
        queue.memcpy_async(target, source, 1 << 20)
        assert (np.asarray(x) == value).all()


def test_a_capsule_is_good_for_one_use(queue: Any) -> None:
    capsule = queue._get_capsule()
    situ.Queue(capsule)
    with pytest.raises(ValueError, match="used before") as failure:
        situ.Queue(capsule)
    assert "_get_capsule()" in str(failure.value)
    capsule = queue.sycl_context._get_capsule()
    situ.Context(capsule)
    with pytest.raises(ValueError, match="used before"):
        situ.Context(capsule)
    with pytest.raises(TypeError, match="SyclContext"):
        situ.Queue(queue.sycl_context)


def test_a_device_that_situ_refuses_is_refused_with_the_reason() -> None:
    without_usm = [one for one in dpctl.get_devices() if not one.has_aspect_usm_device_allocations]
    if not without_usm:
        pytest.skip("every device has USM memory")
    for use in (situ.Queue, lambda queue: situ.Context(queue.sycl_context)):
        with pytest.raises(situ.DeviceError, match="usm_device_allocations") as failure:
            use(dpctl.SyclQueue(without_usm[0]))
        assert without_usm[0].name in str(failure.value)


def test_memory_that_is_not_of_the_context_is_refused(queue: Any, elsewhere: Any) -> None:
    memory = dpm.MemoryUSMShared(80, queue=elsewhere)
    wrong = View(memory, "f8", (10,), syclobj=queue)
    with pytest.raises(situ.AddressError, match="not USM memory of the context") as failure:
        situ.asarray(wrong)
    assert hex(memory._pointer) in str(failure.value)
    own = np.zeros(10)
    on_host = View(memory, "f8", (10,), syclobj=queue, data=(own.ctypes.data, False))
    with pytest.raises(situ.AddressError, match="not USM memory"):
        situ.asarray(on_host)
    too_much = View(memory, "f8", (10**9,), syclobj=elsewhere)
    with pytest.raises(situ.AddressError):
        situ.asarray(too_much)


def test_queues_of_other_devices_have_nothing_for_dpctl() -> None:
    for queue in (situ.Queue("native"), situ.Queue("native").context):
        for ask in (queue.to_dpctl, queue._get_capsule):
            with pytest.raises(situ.DeviceError, match="driven by another backend"):
                ask()
    with pytest.raises(situ.DeviceError, match="another backend"):
        dpm.as_usm_memory(situ.zeros(3, device="native"))


def in_a_process(program: str, **variables: str) -> str:
    """Return what a program prints in a process of its own."""
    import os

    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_dpctl_there_is_advice() -> None:
    said = in_a_process(
        """
import situ, sys
queue = situ.Queue("sycl")
sys.modules["dpctl"] = None
for one in (queue, queue.context):
    try:
        one.to_dpctl()
    except ModuleNotFoundError as error:
        print(error)
"""
    )
    assert said.count("pip install dpctl") == 2


@pytest.mark.parametrize(
    ("library", "why"),
    [
        ("off", "set to `off`"),
        ("/nowhere/libDPCTLSyclInterface.so", "/nowhere/libDPCTLSyclInterface.so"),
        ("libm.so.6", "not dpctl's C library"),
    ],
)
def test_a_wrong_library_is_named_with_the_reason(library: str, why: str) -> None:
    program = """
import dpctl, situ
assert situ.devices("sycl") == []
assert situ.ones(3).to_numpy().sum() == 3.0
try:
    situ.Queue(dpctl.SyclQueue())
except situ.DeviceError as error:
    print(error)
"""
    said = in_a_process(program, SITU_SYCL_LIBRARY=library)
    assert why in said
    assert "help:" in said


def test_importing_situ_and_using_the_default_device_leaves_dpctl_alone() -> None:
    program = """
import sys
import situ
assert situ.ones(3, device="cpu").to_numpy().sum() == 3.0
loaded = [line for line in open("/proc/self/maps") if "DPCTL" in line or "libsycl" in line]
assert not loaded and "dpctl" not in sys.modules
situ.devices()
assert "dpctl" not in sys.modules
loaded = [line for line in open("/proc/self/maps") if "libDPCTLSyclInterface" in line]
print(bool(loaded))
"""
    assert in_a_process(program).strip() == "True"
