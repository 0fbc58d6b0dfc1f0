"""Events: status, dependencies, times, callbacks."""

import gc
import sys
import threading
import weakref

import pytest
from places import driver_devices
from runtime.gates import PATIENCE_SECONDS, gate_on

import situ


@situ.kernel
def step(x):
    i = situ.get_global_id(0)
    x[i] = x[i] * 3 + 1


@pytest.fixture(params=["native", *driver_devices()])
def place(request):
    return request.param


@pytest.fixture(params=[True, False], ids=["in order", "out of order"])
def queue(request, place):
    return situ.Queue(place, in_order=request.param)


def test_an_event_without_work_is_complete():
    event = situ.Event()
    assert event.status == "complete"
    assert event.is_complete
    assert event.dependencies == []
    event.wait()
    situ.Event.wait_for([])
    situ.Event.wait_for(event)
    assert event == situ.Event()
    assert repr(event) == "<situ.Event complete>"


def test_status_goes_from_submitted_to_running_to_complete(queue):
    begun, finish = threading.Event(), threading.Event()

    def work():
        begun.set()
        assert finish.wait(PATIENCE_SECONDS)

    with gate_on(queue) as gate:
        event = queue.host_task(work, depends=gate.event)
        assert event.status == "submitted"
        assert "`work`, submitted" in repr(event)
    assert begun.wait(PATIENCE_SECONDS)
    assert event.status == "running"
    finish.set()
    event.wait()
    assert event.status == "complete"


def test_dependencies_are_those_that_have_not_ended(queue):
    x = situ.asarray([1], queue=queue)
    with gate_on(queue) as gate:
        named = queue.submit(step, 1, x, depends=[gate.event, situ.Event()])
        by_data = queue.submit(step, 1, x)
        both = queue.barrier(depends=[named, gate.event])
        assert named.dependencies == [gate.event]
        assert by_data.dependencies == [named]
        assert set(both.dependencies) == {named, gate.event}
    queue.wait()
    assert named.dependencies == by_data.dependencies == both.dependencies == []


def test_equality_is_identity_and_events_are_hashable(queue):
    with gate_on(queue) as gate:
        other = queue.host_task(int)
        same = queue.barrier(depends=gate.event).dependencies[0]
        assert gate.event == same
        assert len({gate.event, same, other}) == 2
        assert gate.event != other


def test_times_need_a_profiling_queue(queue):
    profiled = situ.Queue("native", in_order=queue.in_order, enable_profiling=True)
    with gate_on(profiled) as gate:
        event = profiled.host_task(int, depends=gate.event)
        for name in ("submit_ns", "start_ns", "end_ns"):
            with pytest.raises(situ.DeviceError, match="wait for it first"):
                getattr(event, name)
    event.wait()
    assert 0 < event.submit_ns <= event.start_ns <= event.end_ns
    assert gate.event.end_ns <= event.start_ns
    plain = queue.host_task(int)
    plain.wait()
    with pytest.raises(situ.DeviceError, match="enable_profiling=True"):
        _ = plain.end_ns


def test_times_of_work_that_runs_at_once():
    queue = situ.Queue("native", enable_profiling=True)
    x = situ.asarray([1], queue=queue)
    for _ in range(20):
        event = queue.submit(step, 1, x)
        event.wait()
        assert 0 < event.submit_ns <= event.start_ns <= event.end_ns


def test_wait_for_waits_for_all_and_raises_the_first_failure(queue):
    def fail(message):
        raise LookupError(message)

    with gate_on(queue) as gate:
        events = [
            queue.host_task(int, depends=gate.event),
            queue.host_task(fail, "first", depends=gate.event),
            queue.host_task(fail, "second", depends=gate.event),
            queue.host_task(int, depends=gate.event),
        ]
    with pytest.raises(situ.HostTaskError, match="first"):
        situ.Event.wait_for(iter(events))
    assert all(event.is_complete for event in events)
    queue.wait()


def test_callbacks_are_called_once_with_the_event(queue):
    called = []
    all_called = threading.Semaphore(0)

    def note(event):
        called.append(event)
        all_called.release()

    with gate_on(queue) as gate:
        for _ in range(5):
            gate.event.add_done_callback(note)
        assert called == []
    gate.event.wait()
    gate.event.add_done_callback(note)
    situ.Event().add_done_callback(note)
    for _ in range(7):
        assert all_called.acquire(timeout=PATIENCE_SECONDS)
    assert not all_called.acquire(timeout=0.05)
    assert called.count(gate.event) == 6
    assert called.count(situ.Event()) == 1


def test_callbacks_of_failures_are_called_and_hide_nothing(queue):
    called = threading.Event()

    def fail():
        raise LookupError

    event = queue.host_task(fail)
    event.add_done_callback(lambda _: called.set())
    assert called.wait(PATIENCE_SECONDS)
    with pytest.raises(situ.HostTaskError):
        queue.wait()


def test_a_callback_may_wait_submit_and_add_callbacks(queue):
    done = threading.Event()

    def last(_):
        done.set()

    def first(event):
        event.wait()
        queue.host_task(int).wait()
        queue.wait()
        queue.barrier().add_done_callback(last)

    with gate_on(queue) as gate:
        gate.event.add_done_callback(first)
    assert done.wait(PATIENCE_SECONDS)
    queue.wait()


def test_an_exception_in_a_callback_is_told_and_nothing_else(queue, monkeypatch):
    told, after = [], threading.Event()
    seen = threading.Semaphore(0)

    def hook(unraisable):
        told.append((unraisable.exc_type, str(unraisable.exc_value), unraisable.object))
        seen.release()

    def stumble(event):
        message = "over its own feet"
        raise RuntimeError(message)

    monkeypatch.setattr(sys, "unraisablehook", hook)
    with gate_on(queue) as gate:
        gate.event.add_done_callback(stumble)
        gate.event.add_done_callback(lambda _: after.set())
    gate.event.wait()
    queue.wait()
    assert seen.acquire(timeout=PATIENCE_SECONDS)
    assert after.wait(PATIENCE_SECONDS)
    assert told == [(RuntimeError, "over its own feet", stumble)]
    assert queue.host_task(int).wait() is None


@pytest.mark.parametrize("wrong", [None, 3, "print"])
def test_what_is_no_function_is_no_callback(wrong):
    with pytest.raises(TypeError, match="callback"):
        situ.Event().add_done_callback(wrong)


def test_a_finished_task_keeps_nothing_alive(queue):
    class Thing:
        pass

    def work(thing):
        assert thing is not None

    thing = Thing()
    reference = weakref.ref(thing)
    event = queue.host_task(work, thing)
    event.add_done_callback(lambda _, thing=thing: work(thing))
    del thing
    event.wait()
    queue.wait()
    for _ in range(1000):
        # What other threads let go of is released by the next call of situ.
        queue.host_task(int).wait()
        gc.collect()
        if reference() is None:
            break
    assert reference() is None


def test_many_threads_wait_for_one_event(queue):
    with gate_on(queue) as gate:
        waiting = threading.Barrier(17)

        def wait():
            waiting.wait(PATIENCE_SECONDS)
            gate.event.wait()

        threads = [threading.Thread(target=wait) for _ in range(16)]
        for thread in threads:
            thread.start()
        waiting.wait(PATIENCE_SECONDS)
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()
