"""Elementwise functions that wait for what follows: nobody can tell, except by the clock."""

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import situ
from situ.testing import deferral

SIZE = 100


@pytest.fixture(params=[True, False, None], ids=["fused", "one by one", "where it pays"])
def waiting(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let every elementwise function wait, and make kernels of expressions or not."""
    with deferral(1, fuses=request.param):
        yield


def host(seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).uniform(1.0, 2.0, SIZE)


def eager(work: Callable[..., Any], *arrays: situ.ndarray) -> np.ndarray[Any, Any]:
    """Return what the work gives if nothing waits."""
    with deferral(None):
        return work(*arrays).to_numpy()


EXPRESSIONS: dict[str, Callable[..., Any]] = {
    "chain": lambda a, b: a * b + a - b,
    "functions": lambda a, b: situ.exp(situ.sin(a) / b) ** 2 + situ.sqrt(a),
    "numbers": lambda a, b: 2 * a - b / 3 + 1.5,
    "shared parts": lambda a, b: (a + b) * (a + b) - situ.abs(a - b),
    "comparisons": lambda a, b: situ.where(a < b, a, b + 1) != a,
    "conversions": lambda a, b: (a > b) + situ.floor(a * 10) % 3,
    "broadcasting": lambda a, b: a.reshape(10, 10) * b[:10] + a[::10].reshape(10, 1),
    "views of what waits": lambda a, b: (a * b)[::-1] + (a + b)[::-1][::-1] - (a * b)[2],
    "squares": lambda a, b: (a - b) ** 2 + (a - b) ** 3 + (a + b) ** 2.0,
    "negative steps": lambda a, b: a[::-1] * 2 + b - a[::-1],
}


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.usefixtures("waiting")
def test_results_are_those_of_one_call_after_the_other(name: str, device: situ.Device) -> None:
    if not device.has_aspect_fp64:
        pytest.skip("the comparison is in double precision")
    work = EXPRESSIONS[name]
    a, b = (situ.asarray(host(seed), device=device) for seed in (1, 2))
    result = work(a, b)
    expected = eager(work, a, b)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    assert np.array_equal(result.to_numpy(), expected, equal_nan=True)
    np.testing.assert_allclose(expected, work_on_numpy(work, a, b), rtol=1e-12)


def work_on_numpy(work: Callable[..., Any], a: situ.ndarray, b: situ.ndarray) -> Any:
    module, situ_functions = a.to_numpy(), b.to_numpy()
    names = {**work.__globals__, "situ": np}
    return type(work)(work.__code__, names)(module, situ_functions)


def test_chains_are_one_launch_and_never_in_memory() -> None:
    program = """
import numpy as np, situ
a, b, c, d = (situ.asarray(np.full(1 << 20, n, "float64")) for n in (2, 3, 4, 5))
a.queue.wait()
for _ in range(12):
    e = a * b + c - d
    print("begin", flush=True)
    e.queue.wait()
    print("end", flush=True)
assert float(e[7]) == 5.0
"""
    command = [sys.executable, "-c", program]
    environment = {**os.environ, "SITU_TRACE": "launch", "SITU_OPENCL": "off"}
    run = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=True,
    )  # fmt: skip
    rounds = [part.split("end")[0].split() for part in run.stdout.split("begin")[1:]]
    launches = [len([line for line in one if "fused" in line]) for one in rounds]
    # Compiling has to pay first.
    assert launches[0] == 0
    assert launches[-1] == 1
    run = subprocess.run(
        command, env={**environment, "SITU_EAGER": "1"}, capture_output=True, text=True, check=True
    )
    assert "fused" not in run.stdout + run.stderr


@pytest.mark.usefixtures("waiting")
def test_mistakes_are_told_at_the_call() -> None:
    a = situ.asarray(np.arange(6, dtype=np.int8))
    with pytest.raises(situ.ShapeError):
        a + situ.arange(5)
    with pytest.raises(OverflowError):
        a + 1000
    with pytest.raises(TypeError):
        a + "text"
    with pytest.raises(TypeError):
        situ.bitwise_and(a, 1.5)
    with situ.testing.virtual_devices("gpu") as (gpu,), pytest.raises(situ.PlacementError):
        (a + 1) * situ.arange(6, device=gpu)


def _assign(x: situ.ndarray) -> None:
    x[3:5] = 0.0


def _assign_by_mask(x: situ.ndarray) -> None:
    x[x > 1.5] = 0.0


def _add_in_place(x: situ.ndarray) -> None:
    x += 1.0


def _write_output(x: situ.ndarray) -> None:
    situ.sin(x, out=x)


def _write_by_kernel(x: situ.ndarray) -> None:
    @situ.kernel
    def clear(values: Any) -> None:
        values[situ.get_global_id(0)] = 0.0

    clear[x.shape](x)


def _write_by_njit(x: situ.ndarray) -> None:
    @situ.njit
    def clear(values: Any) -> None:
        values[2:] = 0.0

    clear(x)


def _write_through_numpy(x: situ.ndarray) -> None:
    np.asarray(x)[:] = 0.0


def _write_through_dlpack(x: situ.ndarray) -> None:
    np.from_dlpack(x)[:] = 0.0


def _write_bytes(x: situ.ndarray) -> None:
    situ.memory.as_allocation(x).fill(0)


def _write_a_part(x: situ.ndarray) -> None:
    part = x[::2]
    part *= 0.0


def _write_through_the_interface(x: situ.ndarray) -> None:
    class Described:
        __sycl_usm_array_interface__ = x.__sycl_usm_array_interface__

    situ.asarray(Described())[:] = 0.0


WRITES = [
    _assign,
    _assign_by_mask,
    _add_in_place,
    _write_output,
    _write_by_kernel,
    _write_by_njit,
    _write_through_numpy,
    _write_through_dlpack,
    _write_bytes,
    _write_a_part,
    _write_through_the_interface,
]


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.usefixtures("waiting")
def test_what_was_read_before_a_write_is_as_it_was(write: Callable[[situ.ndarray], None]) -> None:
    before = host()
    x = situ.asarray(before)
    product = x * 2.0
    total = product + x
    view = product[1:] - 1.0
    write(x)
    write(product)
    np.testing.assert_array_equal(total.to_numpy(), before * 2.0 + before)
    np.testing.assert_array_equal(view.to_numpy(), (before * 2.0)[1:] - 1.0)
    assert not np.array_equal(x.to_numpy(), before)
    assert not np.array_equal(product.to_numpy(), before * 2.0)


@pytest.mark.usefixtures("waiting")
def test_an_array_that_is_changed_in_place_goes_on_from_there() -> None:
    expected = host()
    x = situ.asarray(expected)
    history, expected_history = [], []
    for step in range(100):
        x = x * 0.5 + step
        x += 1.0
        expected = expected * 0.5 + step
        expected += 1.0
        history.append(x - step)
        expected_history.append(expected - step)
    for one, other in zip(history, expected_history, strict=True):
        np.testing.assert_array_equal(one.to_numpy(), other)


@pytest.mark.usefixtures("waiting")
def test_long_expressions_are_cut() -> None:
    expected = host()
    x = situ.asarray(expected)
    for step in range(1000):
        x, expected = x * 0.999 + step, expected * 0.999 + step
    np.testing.assert_array_equal(x.to_numpy(), expected)
    many = [situ.asarray(host(seed)) for seed in range(30)]
    total, wanted = many[0], host(0)
    for seed in range(1, 30):
        total, wanted = total + many[seed], wanted + host(seed)
    np.testing.assert_array_equal(total.to_numpy(), wanted)


@pytest.mark.usefixtures("waiting")
def test_attributes_are_known_without_computing() -> None:
    x = situ.ones((64, 1024), usm_type="shared")
    x.queue.wait()
    y = (x + 1.0) * x
    assert (y.shape, y.dtype, y.strides) == ((64, 1024), np.float64, (8192, 8))
    assert (y.usm_type, y.device, y.queue) == ("shared", x.device, x.queue)
    assert (len(y), y.size, y.nbytes, y.ndim) == (64, 65536, 524288, 2)
    assert float(y.T[3, 5]) == 2.0


@pytest.mark.usefixtures("waiting")
def test_what_nobody_needs_takes_no_memory_and_waiting_for_the_queue_computes() -> None:
    device = situ.Device("native:cpu")
    queue = situ.Queue(situ.Context([device]), device)
    x = situ.ones(1 << 18, queue=queue)
    queue.wait()

    def used() -> int:
        return situ.memory.stats(queue).total.used_blocks

    before = used()
    for _ in range(10):
        x * 2.0 + 1.0
    assert used() == before
    y = x * 2.0 + 1.0
    assert used() == before
    queue.wait()
    assert used() == before + 1
    assert float(y[-1]) == 3.0


@pytest.mark.usefixtures("waiting")
def test_threads_see_one_result() -> None:
    for _ in range(20):
        base = situ.asarray(host())
        inner = situ.sin(base) * 2.0
        arrays = [inner + number for number in range(8)]
        results: list[Any] = [None] * 16
        barrier = threading.Barrier(16)

        def read(
            place: int, arrays: list[Any] = arrays, results: list[Any] = results, barrier=barrier
        ) -> None:
            barrier.wait()
            results[place] = arrays[place // 2].to_numpy()

        threads = [threading.Thread(target=read, args=(place,)) for place in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for place, result in enumerate(results):
            expected = inner.to_numpy() + place // 2
            np.testing.assert_array_equal(result, expected)


@pytest.mark.usefixtures("waiting")
def test_what_waits_goes_wherever_arrays_go() -> None:
    expected = host() * 2.0 + 1.0
    x = situ.asarray(host())

    def make() -> situ.ndarray:
        return x * 2.0 + 1.0

    np.testing.assert_array_equal(np.asarray(make()), expected)
    np.testing.assert_array_equal(np.from_dlpack(make()), expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(make())).to_numpy(), expected)
    np.testing.assert_array_equal(situ.asarray(memoryview(make())).to_numpy(), expected)
    np.testing.assert_array_equal(make().copy().to_numpy(), expected)
    assert make().tolist() == expected.tolist()
    assert repr(make()) == repr(situ.asarray(expected))
    assert float(make()[3]) == expected[3]
    assert [float(each) for each in make()] == expected.tolist()
    with situ.testing.virtual_devices("gpu") as (gpu,):
        there = make().to_device(gpu)
        np.testing.assert_array_equal((there - 1.0).to_numpy(), expected - 1.0)
    interface = make()
    again = situ.asarray(interface)
    np.testing.assert_array_equal(again.to_numpy(), expected)


@pytest.mark.usefixtures("waiting")
def test_host_tasks_come_after_what_was_written_before_them() -> None:
    x = situ.asarray(host())
    y = x * 3.0
    seen: list[float] = []
    event = x.queue.host_task(lambda: seen.append(float(y.to_numpy()[0])))
    event.wait()
    assert seen == [host()[0] * 3.0]


def test_memory_that_is_missing_is_told_where_the_result_is_needed() -> None:
    with situ.testing.virtual_devices("gpu", memory_bytes=40 << 20) as (gpu,), deferral(1):
        x = situ.ones(1 << 20, device=gpu)
        y = x + 1.0
        filling = [situ.empty(1 << 20, device=gpu) for _ in range(3)]
        gpu_full = situ.empty(1 << 19, device=gpu)
        with pytest.raises(MemoryError):
            y.to_numpy()
        with pytest.raises(MemoryError):
            x += 1.0
        assert float(x[0]) == 1.0
        del filling, gpu_full
        assert float(y[0]) == 2.0
        x += 1.0
        assert float(x[0]) == 2.0


def test_what_waits_does_not_keep_more_memory_than_there_is() -> None:
    with situ.testing.virtual_devices("gpu", memory_bytes=64 << 20) as (gpu,), deferral(1):
        results = []
        for number in range(40):
            a, b, c, d = (situ.full(1 << 17, number + n, device=gpu) for n in range(4))
            results.append(a * b + c - d)
        for number, result in enumerate(results):
            assert float(result[-1]) == number * (number + 1) - 1


def test_a_child_process_computes_what_waited_in_its_parent() -> None:
    program = """
import os, numpy as np, situ
from situ.testing import deferral
with deferral(1):
    x = situ.asarray(np.arange(10.0))
    y = x * 2.0 + 1.0
    child = os.fork()
    if child == 0:
        os._exit(0 if y.to_numpy().tolist() == (np.arange(10.0) * 2 + 1).tolist() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert y.to_numpy().tolist() == (np.arange(10.0) * 2 + 1).tolist()
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
