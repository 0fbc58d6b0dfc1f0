"""Forked children: work of the parent is lost in them, and said to be so; everything else works."""

import multiprocessing
import os
import sys
import warnings

import pytest
from places import driver_devices
from runtime.elsewhere import double
from runtime.gates import run_program

PREAMBLE = """
import os, sys, threading, time, warnings
import numpy as np
import situ

@situ.kernel
def step(x):
    i = situ.get_global_id(0)
    x[i] = x[i] * 3 + 1

def in_child(work):
    # What a child says and how it ends.
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:
            print(type(error).__name__, error)
            sys.stdout.flush()
            os._exit(1)
        sys.stdout.flush()
        os._exit(0)
    deadline = time.monotonic() + 30
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            os.kill(child, 9)
            os.waitpid(child, 0)
            return "hangs"
        time.sleep(0.002)

def use(queue):
    # Every sort of work.
    count = 50_000 if queue.device.backend == "native" else 50
    x = situ.asarray(np.arange(count), queue=queue)
    event = queue.submit(step, count, x)
    seen = []
    queue.host_task(seen.append, 1, depends=event)
    queue.barrier().wait()
    queue.wait()
    assert seen == [1]
    assert int(situ.sum(x)) == sum(3 * n + 1 for n in range(count))

for in_order in (True, False):
    queue = situ.Queue(sys.argv[1], in_order=in_order)
    use(queue)
"""


@pytest.fixture(params=["native", "reference"])
def run(tmp_path, request):
    """Return a function that runs a program for both sorts of queues and returns what it prints."""

    def run(program):
        lines = program.strip("\n").split("\n")
        indent = len(lines[0]) - len(lines[0].lstrip())
        body = "".join(f"    {line[indent:]}\n" for line in lines)
        done = run_program(tmp_path, PREAMBLE + body, request.param)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        half = len(done.stdout) // 2
        assert done.stdout[:half] == done.stdout[half:], "both sorts of queues say the same"
        return done.stdout[:half].splitlines()

    return run


def test_a_child_of_an_idle_parent_goes_on_as_if_nothing_had_happened(run):
    said = run(
        """
        x = situ.asarray([1], queue=queue)
        def work():
            queue.submit(step, 1, x)
            print(x.to_numpy().tolist())
            use(queue)
            use(situ.Queue())
            print(in_child(lambda: use(queue)))
        print(in_child(work))
        print(x.to_numpy().tolist())
        use(queue)
        """
    )
    assert said == ["[4]", "0", "0", "[1]"]


def test_pending_work_is_lost_once_and_the_queue_usable_afterwards(run):
    said = run(
        """
        gate = threading.Event()
        x = situ.asarray([1], queue=queue)
        event = queue.host_task(gate.wait)
        queue.submit(step, 1, x, depends=event)
        def work():
            for attempt in (queue.wait, queue.wait, event.wait, event.wait, x.to_numpy):
                try:
                    attempt()
                    print("fine")
                except situ.DeviceError as error:
                    print(str(error).splitlines()[0].split(" on ")[0])
                    assert "help:" in str(error)
            assert queue.pending == 0
            use(queue)
        print(in_child(work))
        gate.set()
        queue.wait()
        print(x.to_numpy().tolist())
        """
    )
    assert said == ["work", "fine", "work", "work", "work", "0", "[4]"]


def test_what_was_only_read_by_pending_work_can_be_used(run):
    said = run(
        """
        gate = threading.Event()
        x, y = situ.asarray([1], queue=queue), situ.asarray([0], queue=queue)
        @situ.kernel
        def transfer(to, source):
            i = situ.get_global_id(0)
            to[i] = source[i]
        queue.submit(transfer, 1, y, x, depends=queue.host_task(gate.wait))
        def work():
            try:
                queue.wait()
            except situ.DeviceError:
                queue.submit(step, 1, x)
                print(x.to_numpy().tolist())
        print(in_child(work))
        gate.set()
        queue.wait()
        print(x.to_numpy().tolist(), y.to_numpy().tolist())
        """
    )
    assert said == ["[4]", "0", "[1] [1]"]


def test_lost_events_call_back_and_can_be_awaited(run):
    said = run(
        """
        import asyncio
        gate = threading.Event()
        event = queue.host_task(gate.wait)
        async def main():
            try:
                await event
            except situ.DeviceError as error:
                print("lost" in str(error))
        def work():
            called = threading.Event()
            event.add_done_callback(lambda _: called.set())
            print(called.wait(20))
            asyncio.run(main())
        print(in_child(work))
        gate.set()
        queue.wait()
        """
    )
    assert said == ["True", "True", "0"]


def test_children_forked_while_other_threads_work(run):
    said = run(
        """
        stop = threading.Event()
        shared = situ.asarray([1], queue=queue)
        def submit():
            own = situ.Queue(queue.device, in_order=queue.in_order)
            while not stop.is_set():
                use(own)
                queue.submit(step, 1, shared)
                own.submit(step, 1, shared)
        threads = [threading.Thread(target=submit) for _ in range(3)]
        for thread in threads:
            thread.start()
        def work():
            try:
                queue.wait()
            except situ.DeviceError:
                pass
            try:
                shared.to_numpy()
            except situ.DeviceError:
                pass
            use(queue)
            use(situ.Queue(queue.device))
        print({in_child(work) for _ in range(15)})
        stop.set()
        for thread in threads:
            thread.join()
        """
    )
    assert said == ["{0}"]


def test_a_child_may_end_as_any_program_does(run):
    said = run(
        """
        gate = threading.Event()
        event = queue.host_task(gate.wait)
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            own = situ.Queue(queue.device)
            own.host_task(time.sleep, 0.05)
            own.host_task(print, "child")
            sys.exit(5)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        gate.set()
        queue.wait()
        """
    )
    assert said == ["child", "5"]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_of_multiprocessing(method):
    assert double([1]) == [2]
    context = multiprocessing.get_context(method)
    with warnings.catch_warnings():
        # Newer Pythons warn of forks when there are threads.
        warnings.simplefilter("ignore", DeprecationWarning)
        with context.Pool(2) as pool:
            jobs = [pool.apply_async(double, ([number],)) for number in range(6)]
            assert [job.get(timeout=60) for job in jobs] == [[2 * number] for number in range(6)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.skipif(sys.platform != "linux", reason="the list of threads is in /proc")
def test_a_child_has_no_threads_before_it_needs_them(run):
    said = run(
        """
        print(in_child(lambda: print(len(os.listdir("/proc/self/task")))))
        """
    )
    assert said == ["1", "0"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("name", driver_devices())
def test_a_child_is_told_that_a_driver_stayed_with_the_parent(name, tmp_path):
    """A driver has threads of its own; without them, a child would wait for ever."""
    program = """
    x = situ.asarray([1], queue=queue)
    def work():
        for attempt in (lambda: queue.submit(step, 1, x).wait(), x.to_numpy, lambda: x + x):
            try:
                attempt()
                print("fine")
            except situ.DeviceError as error:
                print(str(error).splitlines()[0])
                assert "help: start child processes by spawning" in str(error)
        use(situ.Queue("native"))
    print(in_child(work))
    use(queue)
"""
    done = run_program(tmp_path, PREAMBLE + program, name)
    assert done.returncode == 0, done.stderr
    told = f"cannot use {name} in a forked process"
    assert done.stdout.splitlines() == [told, told, told, "0"] * 2
