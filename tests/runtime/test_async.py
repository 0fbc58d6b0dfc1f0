"""`await event`: in coroutines, with failures, cancellations and loops that are gone."""

import asyncio
import sys
import threading
import time

import pytest
from runtime.gates import PATIENCE_SECONDS, Gate, gate_on

import situ


@pytest.fixture(params=[True, False], ids=["in order", "out of order"])
def queue(request):
    return situ.Queue("native", in_order=request.param)


@pytest.fixture(autouse=True)
def no_unraisable(monkeypatch):
    """Nothing may go wrong where nobody looks."""
    found = []
    monkeypatch.setattr(sys, "unraisablehook", found.append)
    yield
    assert [unraisable.exc_value for unraisable in found] == []


def run(coroutine):
    """Run a coroutine, but not for ever."""
    return asyncio.run(asyncio.wait_for(coroutine, PATIENCE_SECONDS))


def fail(message="not today"):
    raise LookupError(message)


def test_awaiting_does_not_block_the_loop(queue):
    async def main():
        with gate_on(queue) as gate:
            ticks = 0

            async def tick():
                nonlocal ticks
                for ticks in range(1, 11):  # noqa: B007
                    await asyncio.sleep(0)
                gate.open()

            ticking = asyncio.create_task(tick())
            assert await gate.event is None
            await ticking
            return ticks

    assert run(main()) == 10


def test_complete_events_can_be_awaited(queue):
    async def main():
        await situ.Event()
        event = queue.host_task(int)
        event.wait()
        await event
        await event

    run(main())


def test_failures_are_raised_by_every_await(queue):
    async def main():
        with gate_on(queue) as gate:
            event = queue.host_task(fail, depends=gate.event)
            waiting = [asyncio.ensure_future(wait(event)) for _ in range(3)]
            await asyncio.sleep(0)
        for each in waiting:
            assert isinstance(await each, LookupError)
        assert isinstance(await wait(event), LookupError)

    async def wait(event):
        with pytest.raises(situ.HostTaskError, match="not today") as caught:
            await event
        return caught.value.__cause__

    run(main())
    queue.wait()


def test_gather_of_many(queue):
    async def main():
        with gate_on(queue) as gate:
            events = [queue.host_task(int, depends=gate.event) for _ in range(300)]
            events[100:100] = [queue.host_task(fail, str(n), depends=gate.event) for n in range(3)]
            gathered = asyncio.gather(*map(wait, events), return_exceptions=True)
            await asyncio.sleep(0)
        return await gathered

    async def wait(event):
        return await event

    results = run(main())
    failed = [result for result in results if result is not None]
    assert len(results) == 303
    assert [str(error.__cause__) for error in failed] == ["0", "1", "2"]
    queue.wait()


def test_a_cancelled_await_leaves_the_work_alone(queue):
    async def main():
        with gate_on(queue) as gate:
            event = queue.host_task(int, depends=gate.event)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(wait(event), 0.01)
            task = asyncio.create_task(wait(event))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert not event.is_complete
        await event

    async def wait(event):
        await event

    run(main())
    queue.wait()


def test_a_failure_after_cancellation_is_told_by_the_queue(queue):
    async def main():
        with gate_on(queue) as gate:
            event = queue.host_task(fail, depends=gate.event)
            task = asyncio.ensure_future(wait(event))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
        while not event.is_complete:
            await asyncio.sleep(0)
        # The callback of the cancelled await may still be on its way.
        await asyncio.sleep(0.01)

    async def wait(event):
        await event

    run(main())
    with pytest.raises(situ.HostTaskError, match="not today"):
        queue.wait()


def test_a_loop_that_is_closed_before_the_work_ends_is_no_problem(queue):
    gate = Gate(queue)

    async def main():
        waiting = asyncio.ensure_future(wait(gate.event))
        await asyncio.sleep(0)
        return waiting

    async def wait(event):
        await event

    loop = asyncio.new_event_loop()
    waiting = loop.run_until_complete(main())
    waiting.cancel()
    loop.run_until_complete(asyncio.wait([waiting]))
    loop.close()
    called = threading.Event()
    gate.event.add_done_callback(lambda _: called.set())
    gate.open()
    queue.wait()
    assert called.wait(PATIENCE_SECONDS)


def test_loops_of_many_threads(queue):
    failures = []

    async def main():
        for _ in range(30):
            await queue.host_task(int)
            await asyncio.gather(*(wait(queue.host_task(int)) for _ in range(3)))

    async def wait(event):
        await event

    def work():
        try:
            run(main())
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert failures == []
    assert not any(thread.is_alive() for thread in threads)


def test_awaiting_outside_of_a_loop_is_refused():
    iterator = None
    with pytest.raises(RuntimeError, match="no running event loop"):
        iterator = situ.Event().__await__()
    assert iterator is None


def test_closing_a_loop_races_with_the_end_of_work(queue):
    # The loop may be closed at the very moment the callback asks whether it is.
    for delay in range(40):
        gate = Gate(queue)

        async def main(event=gate.event):
            waiting = asyncio.ensure_future(wait(event))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait([waiting])

        async def wait(event):
            await event

        loop = asyncio.new_event_loop()
        loop.run_until_complete(main())
        gate.open()
        time.sleep(delay * 5e-6)
        loop.close()
        queue.wait()
