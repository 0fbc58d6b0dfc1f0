"""R40: native packages take arrays and queues from Python objects, submit work, return arrays.

The extension modules are built here: from `examples/native`, as a user would build them, and from
`c_api_probe.c`, which reaches every function of `situ.h`.
"""

import ctypes
import gc
import importlib.util
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from places import driver_devices

import situ
from situ.testing import deferral, virtual_devices

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "native"
PROBE = Path(__file__).with_name("c_api_probe.c")
HEADER = Path(situ.get_include()) / "situ.h"

DEVICE, SHARED, HOST = 0, 1, 2
READ, WRITE = 0, 1
READ_ONLY, HOST_ACCESSIBLE, CONTIGUOUS = 1, 2, 4

SETUP = """
from setuptools import Extension, setup
setup(ext_modules=[Extension("c_api_probe", [{source!r}], include_dirs=[{include!r}],
                             extra_compile_args={flags!r}, define_macros={macros!r})])
"""


def build(folder: Path) -> Path:
    """Build the extension module that a `setup.py` describes; return its file."""
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = folder.glob("*.so")
    return file


def load(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.name.split(".")[0], file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build_probe(
    folder: Path, standard: str = "c11", macros: tuple[tuple[str, str], ...] = ()
) -> Path:
    source = "c_api_probe.cpp" if "++" in standard else "c_api_probe.c"
    text = SETUP.format(
        source=source,
        include=situ.get_include(),
        flags=[f"-std={standard}", "-Wall", "-Wextra", "-Werror"],
        macros=list(macros),
    )
    folder.joinpath("setup.py").write_text(text, encoding="utf-8")
    shutil.copy(PROBE, folder / source)
    return build(folder)


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(build_probe(tmp_path_factory.mktemp("probe")))


@pytest.fixture(scope="module", params=["c_extension", "cython_extension"])
def example(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    folder = tmp_path_factory.mktemp("native") / request.param
    shutil.copytree(EXAMPLES / request.param, folder)
    return load(build(folder))


@pytest.fixture(params=["native", "virtual gpu", *driver_devices()])
def queue(request: pytest.FixtureRequest) -> Iterator[situ.Queue]:
    """Return a queue of each sort of device that has shared memory."""
    if request.param == "virtual gpu":
        with virtual_devices("gpu") as (device,):
            yield situ.Queue(device)
        return
    yield situ.Queue(request.param)


@pytest.fixture
def gpu() -> Iterator[situ.Device]:
    with virtual_devices("gpu") as (device,):
        yield device


def compute(example: ModuleType, x: situ.ndarray, y: situ.ndarray) -> situ.ndarray:
    """Call the function of an example with one array or with two."""
    if hasattr(example, "scaled_sum"):
        return example.scaled_sum(x, y, 2.0)
    return example.moving_mean(x, 3)


def expected(example: ModuleType, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if hasattr(example, "scaled_sum"):
        return x + 2.0 * y
    return np.lib.stride_tricks.sliding_window_view(x, 3).sum(axis=-1) / 3


def on(queue: situ.Queue, values: np.ndarray, usm_type: str = "shared") -> situ.ndarray:
    return situ.asarray(values, queue=queue, usm_type=usm_type)


# --- the examples ---------------------------------------------------------------------------------


def test_examples_compute_where_the_arrays_are(example, queue):
    x, y = np.arange(1000.0), np.linspace(-1.0, 1.0, 1000)
    result = compute(example, on(queue, x), on(queue, y))
    assert isinstance(result, situ.ndarray)
    assert result.queue == queue
    assert result.usm_type == "shared"
    np.testing.assert_allclose(result.to_numpy(), expected(example, x, y), rtol=1e-15)


def test_examples_take_any_strides(example, queue):
    x, y = np.arange(60.0), np.arange(60.0) ** 2
    on_x, on_y = on(queue, x), on(queue, y)
    result = compute(example, on_x[::-2], on_y[::-2])
    np.testing.assert_allclose(result.to_numpy(), expected(example, x[::-2], y[::-2]), rtol=1e-15)


def test_examples_come_after_what_writes_and_before_what_overwrites(example, queue):
    count = 1_000_000
    source = on(queue, np.arange(float(count)))
    opened = threading.Event()
    # Nothing on the queue runs before the gate is open, so only the order of submission counts.
    queue.host_task(opened.wait)
    x = source + 1.0
    result = compute(example, x, x)
    x[...] = -1.0
    later = result * 2.0
    pending = queue.pending
    opened.set()
    assert pending > 0, "somebody has waited"
    host = np.arange(float(count)) + 1.0
    np.testing.assert_allclose(later.to_numpy(), 2.0 * expected(example, host, host), rtol=1e-15)


def test_examples_refuse_memory_that_the_host_cannot_read(example, gpu):
    x = situ.ones(10, device=gpu, dtype="float64")
    assert x.usm_type == "device"
    with pytest.raises(situ.HostAccessError, match="only the device itself can reach") as caught:
        compute(example, x, x)
    assert 'usm_type="shared"' in str(caught.value)


def test_examples_refuse_what_is_no_device_array(example):
    with pytest.raises(TypeError, match=r"expected a situ array, not `numpy\.ndarray`"):
        compute(example, np.ones(10), np.ones(10))
    with pytest.raises(TypeError, match="expected a situ array, not `str`"):
        compute(example, "x", "y")
    with pytest.raises(TypeError, match="float64"):
        compute(example, situ.ones(10, dtype="int32"), situ.ones(10, dtype="int32"))


def test_examples_take_arrays_of_others_in_place(example):
    ours = situ.asarray(np.arange(100.0))
    theirs = SimpleNamespace(__sycl_usm_array_interface__=ours.__sycl_usm_array_interface__)
    result = compute(example, theirs, theirs)
    host = np.arange(100.0)
    np.testing.assert_allclose(result.to_numpy(), expected(example, host, host), rtol=1e-15)


def test_examples_give_their_memory_back(example):
    device = situ.Device("native")

    def used() -> int:
        gc.collect()
        situ.Queue(device).wait()
        return situ.memory.stats(device).total.used_blocks

    before = used()
    for _ in range(50):
        x = situ.ones(5000, device=device, dtype="float64")
        compute(example, x, x).to_numpy()
        wrong = situ.ones(5000, device=device, dtype="int32")
        with pytest.raises(TypeError):
            compute(example, wrong, x)
    del x, wrong
    assert used() == before


def test_the_c_example_refuses_arrays_that_do_not_meet(tmp_path, gpu):
    shutil.copytree(EXAMPLES / "c_extension", tmp_path / "c")
    module = load(build(tmp_path / "c"))
    here, there = situ.ones(5, device="native"), situ.ones(5, device=gpu)
    with pytest.raises(situ.PlacementError, match="scaled_sum") as caught:
        module.scaled_sum(here, there)
    for part in ("`x`", "`y`", "native:cpu:0", gpu.filter_string, "help:"):
        assert part in str(caught.value)
    with pytest.raises(ValueError, match="different shapes"):
        module.scaled_sum(here, situ.ones(6, device="native"))


# --- what structs say -----------------------------------------------------------------------------


def test_an_array_is_described(probe, queue):
    x = on(queue, np.arange(24.0).reshape(2, 3, 4))[:, ::-1, 1:]
    told = probe.describe_array(x)
    start = situ.memory.as_allocation(x).pointer
    assert told["memory_pointer"] == start
    assert told["pointer"] == x.__sycl_usm_array_interface__["data"][0] == start + 9 * 8
    assert told["byte_offset"] == 9 * 8
    assert told["dtype"] == "float64"
    assert told["shape"] == x.shape == (2, 3, 3)
    assert told["strides"] == tuple(step // 8 for step in x.strides)
    assert told["size"] == 18
    assert told["usm_kind"] == SHARED
    assert told["flags"] == HOST_ACCESSIBLE
    assert told["memory_size"] == 24 * 8
    assert told["is_queue_of_memory"] == 1


def test_flags_tell_what_may_be_done(probe, gpu):
    assert probe.describe_array(situ.ones(3, device=gpu))["flags"] == CONTIGUOUS
    here = situ.ones((3, 2), device="native")
    assert probe.describe_array(here)["flags"] == CONTIGUOUS | HOST_ACCESSIBLE
    assert probe.describe_array(here.T)["flags"] == HOST_ACCESSIBLE
    interface = here.__sycl_usm_array_interface__
    interface["data"] = (interface["data"][0], True)
    theirs = SimpleNamespace(__sycl_usm_array_interface__=interface)
    assert probe.describe_array(theirs)["flags"] == CONTIGUOUS | HOST_ACCESSIBLE | READ_ONLY
    probe.host_call(theirs, READ, 0, "").wait()
    with pytest.raises(ValueError, match="read-only"):
        probe.host_call(theirs, WRITE, 0, "")
    with pytest.raises(ValueError, match="read-only"):
        probe.copy(theirs, here, 8)


def test_an_array_without_dimensions_or_elements(probe):
    assert probe.describe_array(situ.asarray(3))["shape"] == ()
    empty = probe.describe_array(situ.empty((0, 4)))
    assert (empty["shape"], empty["size"]) == ((0, 4), 0)


def test_a_device_is_described(probe, device):
    told = probe.describe_device(device)
    for name in told.keys() - {"aspects"}:
        assert told[name] == getattr(device, name), name
    aspects = ("fp16", "fp64", "atomic64", "usm_device_allocations", "usm_shared_allocations")
    aspects += ("usm_host_allocations", "usm_system_allocations", "emulated")
    bits = {name for bit, name in enumerate(aspects) if told["aspects"] >> bit & 1}
    assert bits == set(aspects) & set(device.aspects)


@pytest.mark.parametrize("name", ["bool", "int8", "uint64", "float16", "complex128"])
def test_dtypes_have_numbers(probe, name):
    code, told, size, dtype = probe.dtype_round_trip(name)
    assert (told, dtype) == (name, np.dtype(name))
    assert size == dtype.itemsize
    assert probe.dtype_round_trip(dtype)[0] == code
    header = HEADER.read_text(encoding="utf-8")
    assert re.search(rf"SITU_{name.upper()} = {code}\b", header)


def test_a_dtype_that_situ_has_not(probe):
    with pytest.raises(situ.DTypeError, match="datetime64"):
        probe.dtype_round_trip("datetime64[s]")


# --- objects there and back -----------------------------------------------------------------------


def test_arrays_queues_and_memory_come_back_as_they_were(probe, queue):
    x = on(queue, np.arange(12).reshape(3, 4))[1:]
    back = probe.array_round_trip(x)
    assert situ.may_share_memory(back, x)
    np.testing.assert_array_equal(back.to_numpy(), x.to_numpy())
    assert probe.queue_round_trip(queue) == queue
    assert probe.queue_round_trip(x) == queue
    memory = probe.memory_round_trip(x)
    assert memory.pointer == situ.memory.as_allocation(x).pointer
    assert memory.queue == queue


def test_anything_that_selects_a_queue(probe):
    native = situ.Device("native")
    for selector in ("native", "native:cpu:0", native, situ.ones(2, device="native")):
        assert probe.queue_round_trip(selector).device == native
    memory = situ.memory.Allocation(8, device="reference")
    described = SimpleNamespace(__sycl_usm_array_interface__=memory.__sycl_usm_array_interface__)
    assert probe.queue_round_trip(described) == memory.queue
    with situ.current("reference"):
        assert probe.queue_round_trip(None).device == situ.Device("reference")
    with pytest.raises(situ.DeviceError, match="no such device"):
        probe.queue_round_trip("no such device")
    with pytest.raises(TypeError):
        probe.queue_round_trip(3.5)


def test_equivalent_queues(probe):
    one, other = situ.Queue("native"), situ.Queue("native")
    assert probe.queues_equivalent(one, other)
    assert not probe.queues_equivalent(one, situ.Queue("native", in_order=False))
    assert not probe.queues_equivalent(one, "reference")


def test_placement_follows_data(probe, queue):
    x, y = on(queue, np.ones(3)), on(queue, np.ones(3), "host")
    assert probe.placement(x, y, None) == (queue, SHARED)
    assert probe.placement(y, y, None) == (queue, HOST)
    other = situ.Queue(queue.context, queue.device)
    assert probe.placement(x, y, other) == (other, SHARED)
    elsewhere = situ.ones(3, device="reference")
    with pytest.raises(situ.PlacementError, match="`right`"):
        probe.placement(x, elsewhere, None)
    with pytest.raises(situ.PlacementError):
        probe.placement(x, elsewhere, queue)


# --- memory ---------------------------------------------------------------------------------------


def test_an_array_over_memory(probe, queue):
    memory = situ.memory.Allocation(64, "shared", queue=queue)
    memory.copy_from_host(np.arange(16, dtype=np.int32))
    view = probe.over(memory, 3, (2, 3), (-1, 2), 20)
    host = np.array([[5, 7, 9], [4, 6, 8]])
    np.testing.assert_array_equal(view.to_numpy(), host)
    np.testing.assert_array_equal(probe.over(memory, 3, (4,), None, 0).to_numpy(), np.arange(4))
    with pytest.raises(situ.AddressError):
        probe.over(memory, 3, (4,), (-1,), 0)


def test_memory_of_the_package_is_used_in_place_and_freed_once(probe):
    before = probe.number_destroyed()
    x = probe.adopt("native", 1000)
    assert (x.usm_type, x.device) == ("host", situ.Device("native"))
    y = x[::2] + 1
    x[0] = 7
    np.testing.assert_array_equal(y.to_numpy(), np.arange(0, 1000, 2) + 1)
    assert int(x[0]) == 7
    assert probe.number_destroyed() == before
    del x
    gc.collect()
    assert probe.number_destroyed() == before + 1


def test_memory_that_a_device_cannot_use_is_refused_and_freed(probe, gpu):
    before = probe.number_destroyed()
    with pytest.raises(ValueError, match="enqueue_copy_from_host"):
        probe.adopt(gpu, 10)
    assert probe.number_destroyed() == before + 1


def test_waiting_for_memory(probe, queue):
    x = on(queue, np.zeros(1_000_000))
    x += 1.0
    probe.wait_for_memory(x, READ)
    y = x * 2.0
    probe.wait_for_memory(x, WRITE)
    assert float(y[-1]) == 2.0


def test_shared_memory_is_up_to_date_when_a_submission_returns(probe):
    queue = situ.Queue("native")
    x = on(queue, np.zeros(1_000_000))
    probe.share(x)
    x += 1.0
    assert queue.pending == 0


# --- work -----------------------------------------------------------------------------------------


def test_copies_to_the_host_and_back_wait_for_events(probe, queue):
    for usm_type in ("device", "shared"):
        x = on(queue, np.arange(300_000.0), usm_type) + 1.0
        y = situ.zeros(300_000, dtype="float64", queue=queue, usm_type=usm_type)
        assert probe.there_and_back(y, x)
        np.testing.assert_array_equal(y.to_numpy(), np.arange(300_000.0) + 1.0)


def test_copies_between_devices(probe, queue):
    x = situ.asarray(np.arange(100.0), device="reference")
    y = situ.zeros(100, dtype="float64", queue=queue)
    event = probe.copy(y, x, 800)
    assert isinstance(event, situ.Event)
    np.testing.assert_array_equal(y.to_numpy(), np.arange(100.0))
    with pytest.raises(situ.AddressError):
        probe.copy(y, x, 808)


def test_a_failed_host_call_is_told_with_its_reason(probe):
    queue = situ.Queue("native")
    x = on(queue, np.zeros(10))
    before = probe.number_destroyed()
    event = probe.host_call(x, WRITE, 3, "the matrix is singular")
    with pytest.raises(situ.HostTaskError) as caught:
        event.wait()
    for part in ("the matrix is singular", "returned 3", "`probe`", Path(__file__).name):
        assert part in str(caught.value)
    assert probe.number_destroyed() == before + 1
    # What depends on it does not run; the queue goes on.
    with pytest.raises(situ.HostTaskError):
        probe.host_call(on(queue, np.zeros(10)), WRITE, 4, "").wait()
    np.testing.assert_array_equal((on(queue, np.zeros(10)) + 1.0).to_numpy(), np.ones(10))


def test_what_a_host_call_holds_is_destroyed_also_when_it_does_not_run(probe, gpu):
    before = probe.number_destroyed()
    with pytest.raises(situ.HostAccessError):
        probe.host_call(situ.ones(3, device=gpu), READ, 0, "")
    assert probe.number_destroyed() == before + 1
    queue = situ.Queue("native")
    x = on(queue, np.zeros(10))
    opened = threading.Event()
    queue.host_task(opened.wait)
    failing = probe.host_call(x, WRITE, 1, "")
    skipped = probe.host_call(x, WRITE, 0, "")
    opened.set()
    for event in (failing, skipped):
        with pytest.raises(situ.HostTaskError):
            event.wait()
    assert probe.number_destroyed() == before + 3
    queue.wait()


def test_a_kernel_is_launched(probe, queue):
    @situ.kernel
    def scale(x, factor):
        i = situ.get_global_id(0)
        x[i] = x[i] * factor

    x = on(queue, np.arange(100.0))
    probe.launch(scale, (100,), (x, 3.0), None).wait()
    probe.launch(scale, (50,), (x, 2.0), queue)
    host = np.arange(100.0) * 3.0
    host[:50] *= 2.0
    np.testing.assert_array_equal(x.to_numpy(), host)
    with pytest.raises(TypeError, match=r"expected a situ\.Kernel, not `function`"):
        probe.launch(lambda x: x, (100,), (x,), None)


def test_a_barrier_waits_for_an_event(probe):
    queue = situ.Queue("native")
    opened = threading.Event()
    gate = queue.host_task(opened.wait)
    barrier = probe.barrier(gate)
    was_complete = barrier.is_complete
    opened.set()
    barrier.wait()
    assert not was_complete
    assert gate.is_complete
    with pytest.raises(TypeError, match=r"expected a situ\.Event, not `int`"):
        probe.barrier(5)


def test_memory_and_queues_of_dpctl_are_used_in_place(probe):
    if not situ.devices("sycl"):
        pytest.skip("there is no device of the backend `sycl`")
    dpctl = pytest.importorskip("dpctl")
    dpm = pytest.importorskip("dpctl.memory")
    theirs = situ.Queue("sycl").to_dpctl()
    theirs = dpctl.SyclQueue(theirs.sycl_context, theirs.sycl_device)
    queue = probe.queue_round_trip(theirs)
    assert queue == situ.Queue(theirs)
    memory = dpm.MemoryUSMShared(80, queue=theirs)
    assert probe.describe_array(memory)["flags"] == HOST_ACCESSIBLE | CONTIGUOUS
    own = {"typestr": "<f8", "shape": (10,), "strides": None, "offset": 0}
    own["data"] = (memory._pointer, False)
    interface = memory.__sycl_usm_array_interface__ | own
    view = SimpleNamespace(__sycl_usm_array_interface__=interface, memory=memory)
    assert probe.queue_round_trip(view) == queue
    told = probe.describe_array(view)
    assert told["pointer"] == memory._pointer
    assert told["usm_kind"] == SHARED
    assert told["flags"] == HOST_ACCESSIBLE | CONTIGUOUS
    x = situ.asarray(np.arange(10.0), queue=queue, usm_type="shared")
    probe.copy(view, x, 80).wait()
    np.testing.assert_array_equal(np.frombuffer(memory.copy_to_host()), np.arange(10.0))


# --- mistakes and versions ------------------------------------------------------------------------


def test_mistakes_of_a_package_are_exceptions(probe):
    number = 0
    while True:
        try:
            with pytest.raises((ValueError, situ.AddressError)) as caught:
                probe.mistake(number)
        except StopIteration:
            break
        message = str(caught.value)
        assert "why:" in message, message
        number += 1
    assert number == 27
    assert probe.nothing()


def test_a_null_pointer_is_named(probe):
    with pytest.raises(ValueError, match=r"`queue_wait` of situ's C interface .* `queue`"):
        probe.mistake(0)


def test_the_header_is_c_plus_plus_as_well(tmp_path):
    folder = tmp_path / "cpp"
    folder.mkdir()
    module = load(build_probe(folder, "c++17"))
    assert module.array_round_trip(situ.ones(3)).shape == (3,)


def test_a_package_for_a_newer_situ_says_so(tmp_path):
    folder = tmp_path / "newer"
    folder.mkdir()
    file = build_probe(folder, macros=(("SITU_REQUIRED_MINOR", "99"),))
    with pytest.raises(ImportError, match=r"C interface 1\.0, and 1\.99 is needed") as caught:
        load(file)
    assert "pip install --upgrade situ" in str(caught.value)


def test_the_table_is_as_large_as_the_header_says(probe):
    major, minor, size, compiled_size = probe.version()
    header = HEADER.read_text(encoding="utf-8")
    assert f"SITU_API_MAJOR {major}\n" in header
    assert f"SITU_API_MINOR {minor}\n" in header
    assert size == compiled_size


def fields_of_c(name: str) -> list[str]:
    """Return the fields of a struct of the header, in their order."""
    header = re.sub(r"/\*.*?\*/", "", HEADER.read_text(encoding="utf-8"), flags=re.DOTALL)
    (body,) = re.findall(rf"typedef struct {name} {{(.*?)}} {name};", header, re.DOTALL)
    found = []
    for field in filter(None, map(str.strip, body.split(";"))):
        pointer = re.match(r"[^(]*\(\*(\w+)\)\(", field)
        plain = re.search(r"(\w+)$", field)
        assert pointer or plain, field
        found.append(pointer.group(1) if pointer else plain.group(1))
    return found


def fields_of_rust(file: str, name: str) -> list[str]:
    """Return the fields of a struct of situ's that the header has, too, in their order."""
    source = (ROOT / "crates/situ-python/src/c_api" / file).read_text(encoding="utf-8")
    (body,) = re.findall(rf"#\[repr\(C\)\][^{{]*struct {name} {{\n(.*?)\n}}\n", source, re.DOTALL)
    body = body.split("// What follows is not in the header.")[0]
    return re.findall(r"^    (\w+):\s", body, re.MULTILINE)


@pytest.mark.parametrize(
    ("c_name", "file", "rust_name"),
    [
        ("situ_api", "table.rs", "Api"),
        ("situ_array", "array.rs", "CArray"),
        ("situ_device", "device.rs", "CDevice"),
        ("situ_events", "event.rs", "Events"),
        ("situ_host_call", "host_call.rs", "HostCall"),
        ("situ_memory", "memory.rs", "CMemory"),
        ("situ_place", "copies.rs", "Place"),
        ("situ_use", "host_call.rs", "Use"),
    ],
)
def test_header_and_table_have_the_same_fields(c_name, file, rust_name):
    fields = fields_of_c(c_name)
    assert len(fields) > 1
    assert fields == fields_of_rust(file, rust_name)


# --- addresses that were given away ---------------------------------------------------------------


@pytest.mark.parametrize("when", ["before", "after"])
def test_writes_by_an_address_of_the_c_interface_change_no_earlier_result(probe, queue, when):
    with deferral(1, fuses=True):
        x = situ.ones(SIZE_OF_LATE_READS, queue=queue, usm_type="shared")
        if when == "before":
            there = elements_of(probe, x)
            y = x * 2 + 1
        else:
            y = x * 2 + 1
            there = elements_of(probe, x)
        queue.wait()
        there[0] = 5.0
        z = x * 2 + 1
        assert float(y[0]) == 3.0
        assert float(z[0]) == 11.0


def test_what_waits_is_computed_before_its_address_is_given_away(probe, queue):
    with deferral(1, fuses=True):
        x = situ.ones(SIZE_OF_LATE_READS, queue=queue, usm_type="shared")
        waiting = x + 1
        there = elements_of(probe, waiting)
        y = waiting[::-1] * 10
        queue.wait()
        assert there[0] == 2.0
        there[SIZE_OF_LATE_READS - 1] = 7.0
        assert float(y[0]) == 20.0
        assert float(waiting[SIZE_OF_LATE_READS - 1]) == 7.0


SIZE_OF_LATE_READS = 100


def elements_of(probe: ModuleType, x: situ.ndarray) -> Any:
    """Return the elements that are where the C interface says the array is."""
    pointer = probe.describe_array(x)["pointer"]
    kind = ctypes.c_float if x.dtype == np.float32 else ctypes.c_double
    return (kind * x.size).from_address(pointer)
