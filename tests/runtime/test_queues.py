"""Queues: order, dependencies, host tasks, barriers, and how failures are told."""

import gc
import inspect
import pickle
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from places import driver_devices
from runtime.gates import PATIENCE_SECONDS, gate_on, run_program

import situ
import situ.testing


@situ.kernel
def step(x):
    i = situ.get_global_id(0)
    x[i] = x[i] * 3 + 1


@situ.kernel
def transfer(to, source):
    i = situ.get_global_id(0)
    to[i] = source[i]


def stepped(x, times):
    """Return what `step` makes of a number."""
    for _ in range(times):
        x = x * 3 + 1
    return x


@pytest.fixture(params=["native", "reference", "virtual", "sub-device", *driver_devices()])
def place(request):
    """Queues are asked for on every sort of device."""
    if request.param == "virtual":
        with situ.testing.virtual_devices("gpu:1") as (device,):
            yield device
    elif request.param == "sub-device":
        with situ.testing.virtual_devices("gpu:1") as (device,):
            yield device.create_sub_devices(equally=4)[0]
    else:
        yield situ.Device(request.param)


@pytest.fixture(params=[True, False], ids=["in order", "out of order"])
def queue(request, place):
    return situ.Queue(place, in_order=request.param)


def test_properties_are_what_was_asked_for():
    plain = situ.Queue("native")
    assert plain.in_order
    assert not plain.enable_profiling
    other = situ.Queue("native", in_order=False, enable_profiling=True)
    assert not other.in_order
    assert other.enable_profiling
    assert "out of order, profiling" in repr(other)
    assert plain != other
    assert len({plain, other, plain}) == 2
    assert situ.Queue().device == situ.Device()
    assert situ.Queue(situ.Device("reference")).device.backend == "reference"


@pytest.mark.parametrize("wrong", [3.5, [], object()])
def test_what_names_no_device_is_refused(wrong):
    with pytest.raises(TypeError):
        situ.Queue(wrong)
    with pytest.raises(TypeError):
        situ.Queue("native", in_order="maybe")


def test_submitting_does_not_wait_and_results_are_right(queue):
    x = situ.asarray(np.arange(5), queue=queue)
    with gate_on(queue) as gate:
        first = queue.submit(step, 5, x, depends=gate.event)
        events = [queue.submit(step, 5, x) for _ in range(9)]
        assert first.status == "submitted"
        assert not any(event.is_complete for event in events)
        assert queue.pending == 11
    queue.wait()
    assert queue.pending == 0
    assert all(event.status == "complete" for event in events)
    assert x.to_numpy().tolist() == [stepped(n, 10) for n in range(5)]


def test_reading_waits_for_what_writes(queue):
    x = situ.asarray(np.arange(3), queue=queue)
    y = situ.zeros(3, dtype=x.dtype, queue=queue)
    with gate_on(queue) as gate:
        queue.submit(step, 3, x, depends=gate.event)
        queue.submit(transfer, 3, y, x)
        queue.submit(step, 3, x)
        opener = threading.Timer(0.02, gate.open)
        opener.start()
        assert y.to_numpy().tolist() == [1, 4, 7]
    assert x.to_numpy().tolist() == [4, 13, 22]
    opener.join()


def test_array_functions_follow_pending_data(queue):
    x = situ.asarray(np.arange(4.0), queue=queue)
    with gate_on(queue) as gate:
        queue.submit(step, 4, x, depends=gate.event)
        total = situ.sum(x + x)
        x[1:3] = 0
        gate.open()
        assert float(total) == 2 * sum(3 * n + 1 for n in range(4))
    assert x.to_numpy().tolist() == [1, 0, 0, 10]


def test_arrays_may_go_while_their_kernels_are_pending(queue):
    target = situ.zeros(50_000, queue=queue)
    with gate_on(queue) as gate:
        source = situ.full(50_000, 7.0, queue=queue)
        queue.submit(transfer, 50_000, target, source, depends=gate.event)
        del source
        gc.collect()
        rivals = [situ.full(50_000, -1.0, queue=queue) for _ in range(3)]
    queue.wait()
    assert float(situ.sum(target)) == 7.0 * 50_000
    del rivals


def test_independent_work_overtakes_on_an_out_of_order_queue(place):
    queue = situ.Queue(place, in_order=False)
    x = situ.asarray([1], queue=queue)
    with gate_on(queue) as gate:
        queue.submit(step, 1, x).wait()
        assert not gate.event.is_complete
        barrier = queue.barrier()
        later = queue.submit(step, 1, x)
        assert not barrier.is_complete
        assert not later.is_complete
    later.wait()
    assert barrier.is_complete
    assert x.to_numpy().tolist() == [13]


def test_a_barrier_after_events_waits_for_those_only():
    queue = situ.Queue("native", in_order=False)
    with gate_on(queue) as slow:
        with gate_on(queue) as quick:
            barrier = queue.barrier(depends=[quick.event])
            assert not barrier.is_complete
        barrier.wait()
        assert not slow.event.is_complete
    queue.wait()


def test_a_marker_has_times_on_any_queue(queue):
    first, second = queue.marker(), queue.marker()
    situ.Event.wait_for([first, second])
    assert first.submit_ns <= first.start_ns <= first.end_ns <= second.end_ns


def test_host_tasks_take_arguments_and_their_turn(queue):
    seen = []
    with gate_on(queue) as gate:
        first = queue.host_task(seen.append, 1, depends=[gate.event])
        second = queue.host_task(seen.append, 2, depends=first)
        assert seen == []
    second.wait()
    assert seen == [1, 2]


@pytest.mark.parametrize("wrong", [None, 3, "print"])
def test_what_is_no_function_is_no_host_task(wrong):
    with pytest.raises(TypeError, match="host task"):
        situ.Queue("native").host_task(wrong)


@pytest.mark.parametrize("wrong", [3, [None], "abc", [[]]])
def test_what_is_no_event_is_nothing_to_wait_for(wrong):
    queue = situ.Queue("native")
    x = situ.ones(1, queue=queue)
    for submit in (
        lambda: queue.host_task(print, depends=wrong),
        lambda: queue.barrier(depends=wrong),
        lambda: queue.submit(step, 1, x, depends=wrong),
        lambda: situ.Event.wait_for(wrong),
    ):
        with pytest.raises(TypeError, match="event"):
            submit()
    assert queue.pending == 0
    assert x.to_numpy().tolist() == [1]


def test_copies_and_fills_take_their_turn(queue):
    large = 300_000
    x = situ.memory.Allocation(large, "shared", queue=queue)
    y = situ.memory.Allocation(large, "device", queue=queue)
    with gate_on(queue) as gate:
        first = queue.fill_async(x, 3, depends=gate.event)
        second = queue.fill_async(x, 9, 10, byte_offset=100)
        third = queue.copy_async(y, x)
        assert {first.status, second.status, third.status} == {"submitted"}
        assert second.dependencies == [first]
        assert third.dependencies == [second]
        # What waits for its end opens the gate itself, a moment later.
        opener = threading.Timer(0.02, gate.open)
        opener.start()
        queue.copy(x, y, 50, destination_offset=200, source_offset=90)
    opener.join()
    expected = np.full(large, 3, np.uint8)
    expected[100:110] = 9
    assert np.array_equal(y.copy_to_host(), expected)
    expected[200:250] = expected[90:140].copy()
    assert np.array_equal(x.copy_to_host(), expected)


def test_a_copy_that_depends_on_a_failure_does_nothing(queue):
    x = situ.memory.Allocation(8, "shared", queue=queue)
    queue.fill(x, 1)
    with gate_on(queue) as gate:
        failing = queue.host_task(fail, depends=gate.event)
        event = queue.fill_async(x, 2, depends=[failing])
        line = line_above()
        later = queue.copy_async(x, x, 4, source_offset=4)
    for each in (event, later):
        with pytest.raises(situ.HostTaskError, match="was not run"):
            each.wait()
    with pytest.raises(situ.HostTaskError) as caught:
        event.wait()
    assert line in str(caught.value)
    with pytest.raises(situ.HostTaskError):
        queue.wait()
    assert x.to_bytes() == b"\1" * 8


def test_a_pickled_queue_is_equivalent(place):
    queue = situ.Queue(place, in_order=False, enable_profiling=True)
    copy = pickle.loads(pickle.dumps(queue))
    assert situ.queues_equivalent(queue, copy)
    assert copy != queue
    own = situ.Queue(situ.Context(place.root_device), place)
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(own)


def fail(message="no, thank you"):
    raise LookupError(message)


def test_the_exception_of_a_host_task_is_the_cause(queue):
    event = queue.host_task(fail)
    for _ in range(2):
        with pytest.raises(situ.HostTaskError, match=r"(?s)no, thank you.*`fail`") as caught:
            event.wait()
        assert isinstance(caught.value.__cause__, LookupError)
        assert caught.value.__cause__.__traceback__ is not None
    queue.wait()


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_exceptions_that_are_no_errors_are_told_as_well(kind):
    def leave():
        raise kind

    event = situ.Queue("native").host_task(leave)
    with pytest.raises(situ.HostTaskError) as caught:
        event.wait()
    assert isinstance(caught.value.__cause__, kind)


def test_a_queue_tells_a_failure_once_and_goes_on(queue):
    x = situ.asarray([1], queue=queue)
    event = queue.host_task(fail)
    with pytest.raises(situ.HostTaskError, match="no, thank you"):
        queue.wait()
    queue.wait()
    with pytest.raises(situ.HostTaskError):
        event.wait()
    queue.submit(step, 1, x)
    queue.wait()
    assert x.to_numpy().tolist() == [4]


def test_several_failures_are_counted():
    queue = situ.Queue("native")
    for _ in range(4):
        queue.host_task(fail)
    with pytest.raises(situ.HostTaskError, match="3 more failed"):
        queue.wait()
    queue.wait()


def test_what_depends_on_a_failure_does_not_run(queue):
    x, seen = situ.asarray([1], queue=queue), []
    with gate_on(queue) as gate:
        failing = queue.host_task(fail, depends=gate.event)
        kernel = queue.submit(step, 1, x, depends=failing)
        task = queue.host_task(seen.append, 1, depends=[gate.event, failing])
        barrier = queue.barrier(depends=failing)
    for event, name in ((kernel, "kernel `step`"), (task, "`append`"), (barrier, "a barrier")):
        with pytest.raises(situ.HostTaskError, match=r"(?s)was not run.*no, thank you") as caught:
            event.wait()
        assert name in str(caught.value)
        assert isinstance(caught.value.__cause__, LookupError)
    with pytest.raises(situ.HostTaskError, match="was not run"):
        queue.submit(step, 1, x, depends=failing)
    with pytest.raises(situ.HostTaskError):
        queue.wait()
    assert seen == []
    assert x.to_numpy().tolist() == [1]


def line_above():
    """Name the line above the caller's as messages do."""
    return f"test_queues.py:{inspect.currentframe().f_back.f_lineno - 1}"


def test_a_fault_found_later_names_the_kernel_and_the_line():
    queue = situ.Queue("reference")
    x = situ.asarray([1, 2], queue=queue)
    with gate_on(queue):
        event = queue.submit(step, 3, x)
        line = line_above()
    for _ in range(2):
        with pytest.raises(situ.KernelError, match="kernel `step`") as caught:
            event.wait()
        assert line in str(caught.value)
    queue.wait()
    with gate_on(queue):
        step[3](x)
        line = line_above()
    with pytest.raises(situ.KernelError) as caught:
        queue.wait()
    assert line in str(caught.value)
    queue.wait()


def test_a_fault_found_later_is_told_by_whoever_reads():
    queue = situ.Queue("reference")
    x = situ.asarray([1, 2], queue=queue)
    with gate_on(queue) as gate:
        step[3](x)
        opener = threading.Timer(0.02, gate.open)
        opener.start()
        with pytest.raises(situ.KernelError, match="`step`"):
            x.to_numpy()
    opener.join()
    queue.wait()
    y = situ.asarray([1, 2], queue=queue)
    step[2](y)
    assert y.to_numpy().tolist() == [4, 7]


def test_a_failure_nobody_waited_for_becomes_a_warning():
    queue = situ.Queue("native")
    with gate_on(queue):
        queue.host_task(fail, "nobody asked")
        del queue
    deadline = time.monotonic() + PATIENCE_SECONDS
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        while not caught and time.monotonic() < deadline:
            situ.Queue("native").wait()
    assert [warning.category for warning in caught] == [situ.UnseenFailureWarning]
    assert "nobody asked" in str(caught[0].message)
    assert "test_queues.py" in str(caught[0].message)


def test_a_failure_that_was_told_is_no_warning():
    queue = situ.Queue("native")
    event = queue.host_task(fail)
    with pytest.raises(situ.HostTaskError):
        event.wait()
    del queue, event
    gc.collect()
    situ.Queue("native").wait()


def test_a_host_task_may_use_situ_but_not_wait_for_itself():
    queue, other = situ.Queue("native"), situ.Queue("native")
    x = situ.asarray([1, 2, 3], queue=queue)

    def work():
        y = situ.asarray(x.to_numpy() * 2, queue=other)
        assert int(situ.sum(y + 1)) == 15
        other.wait()
        with pytest.raises(situ.DeviceError, match="wait for itself"):
            queue.wait()
        queue.submit(step, 3, x)
        with pytest.raises(situ.DeviceError, match="wait for itself"):
            x.to_numpy()

    queue.host_task(work).wait()
    assert x.to_numpy().tolist() == [4, 7, 10]


def test_threads_submit_and_wait_while_host_tasks_take_the_gil():
    queues = [situ.Queue("native", in_order=order) for order in (True, False)] * 2
    counted = [0] * 8

    def count(worker):
        counted[worker] += 1

    def work(worker):
        queue = queues[worker % len(queues)]
        for number in range(30):
            x = situ.asarray([number], queue=queue)
            task = queue.host_task(count, worker)
            queue.submit(step, 1, x, depends=task)
            queue.host_task(lambda: sum(range(1000)))
            if number % 3 == 0:
                queue.wait()
            assert x.to_numpy().tolist() == [3 * number + 1]
            task.wait()
        return worker

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(work, range(8)))
    assert done == list(range(8))
    for queue in queues:
        queue.wait()
    assert counted == [30] * 8


def test_a_wait_lets_other_threads_run():
    queue = situ.Queue("native")
    with gate_on(queue) as gate:
        # The main thread waits for a host task that waits for a thread that needs the GIL.
        opener = threading.Thread(target=lambda: (sum(range(100_000)), gate.open()))
        opener.start()
        queue.wait()
    opener.join()


def test_blocking_mode_raises_at_the_line_that_fails(tmp_path):
    done = run_program(
        tmp_path,
        """
        import situ

        @situ.kernel
        def step(x):
            i = situ.get_global_id(0)
            x[i] = x[i] * 3 + 1

        def fail():
            raise LookupError("at once")

        for order in (True, False):
            queue = situ.Queue("reference", in_order=order)
            x = situ.asarray([1, 2], queue=queue)
            seen = []
            assert queue.host_task(seen.append, 1).is_complete and seen == [1]
            assert queue.submit(step, 2, x).is_complete
            for submit in (
                lambda: queue.host_task(fail),
                lambda: queue.submit(step, 3, x),
                lambda: step[3](x),
            ):
                try:
                    submit()
                except situ.SituError as error:
                    print(type(error).__name__)
                else:
                    print("nothing")
            queue.wait()
            # A task that uses its own queue cannot wait for what it submits there.
            y = situ.asarray([1], queue=queue)
            queue.host_task(lambda: queue.submit(step, 1, y))
            print(y.to_numpy().tolist())
        """,
        SITU_BLOCKING="1",
    )
    expected = ["HostTaskError", "KernelIndexError", "KernelIndexError", "[4]"] * 2
    assert (done.returncode, done.stdout.split("\n")[:-1]) == (0, expected), done.stderr
