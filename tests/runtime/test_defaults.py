"""Default queues: per package, per thread, per asyncio task, for the process, and who wins."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import situ


@pytest.fixture(autouse=True)
def no_defaults():
    """Each test begins and ends with nothing set."""
    situ.reset_default_queue()
    situ.reset_global_queue()
    yield
    situ.reset_default_queue()
    situ.reset_global_queue()


def where(x):
    return x.device.backend


MAKERS = [
    lambda **place: situ.asarray([1.0, 2.0], **place),
    lambda **place: situ.asarray(np.ones(2), **place),
    lambda **place: situ.asarray(3, **place),
    lambda **place: situ.empty(2, **place),
    lambda **place: situ.zeros(2, **place),
    lambda **place: situ.ones(2, **place),
    lambda **place: situ.full(2, 7, **place),
]


@pytest.mark.parametrize("make", MAKERS)
def test_precedence(make):
    assert where(make()) == "native"
    situ.set_global_queue("reference")
    assert where(make()) == "reference"
    with situ.current("native"):
        assert where(make()) == "native"
        assert where(make(device="reference")) == "reference"
        assert where(make(queue=situ.Queue("reference"))) == "reference"
    situ.set_default_queue("native")
    assert where(make()) == "native"
    situ.reset_default_queue()
    assert where(make()) == "reference"
    situ.reset_global_queue()
    assert where(make()) == "native"


def test_data_goes_before_defaults():
    x = situ.zeros(3, device="native")
    with situ.current("reference"):
        assert where(x + 1) == "native"
        assert where(situ.sin(x)) == "native"
        assert where(situ.sum(x)) == "native"
        assert where(x.copy()) == "native"
        assert situ.asarray(x) is x
        assert where(situ.asarray([x[0], x[1]])) == "native"
        assert where(x.copy_to()) == "reference"


def test_a_kernel_without_arrays_runs_on_the_default():
    @situ.kernel
    def nothing(n):
        situ.get_global_id(0) + n

    with situ.current("reference"):
        nothing[3](1)
    nothing[3](1)
    assert [text.split(" on ")[1] for text in nothing.specializations] == [
        "reference:cpu:0",
        "native:cpu:0",
    ]


def test_blocks_nest_and_end_also_by_exceptions():
    with situ.current("reference") as outer:
        assert situ.current() == outer
        with situ.current("native") as inner:
            assert situ.current() == inner
        assert situ.current() == outer
        with pytest.raises(ZeroDivisionError), situ.current("native"):
            raise ZeroDivisionError
        assert situ.current() == outer
    assert situ.current().device == situ.Device()


def test_every_kind_of_selector_is_taken():
    x = situ.zeros(1, device="reference")
    for selector in ("reference", x.queue, x.device, x):
        with situ.current(selector) as queue:
            assert queue == situ.current()
            assert where(situ.zeros(1)) == "reference"
    context = situ.Context("reference")
    with situ.current((context, x.device)) as queue:
        assert situ.zeros(1).context == queue.context == context
    with pytest.raises(situ.DeviceError, match="native"):
        situ.current((context, situ.Device("native")))
    assert situ.current(x.queue).__enter__() == x.queue
    situ.reset_default_queue()


@pytest.mark.parametrize("setter", [situ.current, situ.set_default_queue, situ.set_global_queue])
def test_what_is_no_place_is_refused_at_once(setter):
    with pytest.raises(situ.DeviceError, match="native:cpu:0"):
        setter("warp drive")
    with pytest.raises(TypeError):
        setter(3.5)
    assert situ.global_queue() is None


def test_the_global_queue_can_be_asked_for():
    assert situ.global_queue() is None
    queue = situ.Queue("reference")
    situ.set_global_queue(queue)
    assert situ.global_queue() == queue
    assert situ.current() == queue
    situ.reset_global_queue()
    assert situ.global_queue() is None


def test_packages_do_not_disturb_each_other():
    one, two = situ.QueueManager("one"), situ.QueueManager("two")
    one.set_default_queue("reference")
    assert one.current().device.backend == "reference"
    assert two.current().device.backend == "native"
    assert where(situ.zeros(1)) == "native"
    with two.current("reference"):
        one.reset()
        assert one.current().device.backend == "native"
        assert two.current().device.backend == "reference"
    situ.set_global_queue("reference")
    assert one.current().device.backend == "reference"
    assert "'one'" in repr(one)


def test_packages_that_choose_the_same_device_can_exchange_arrays():
    one, two = situ.QueueManager("one"), situ.QueueManager("two")
    with one.current("native"), two.current("cpu"):
        x = situ.ones(2, queue=one.current())
        y = situ.ones(2, queue=two.current())
    assert situ.queues_equivalent(x.queue, y.queue)
    np.testing.assert_array_equal((x + y).to_numpy(), 2)


def test_threads_do_not_see_each_others_defaults():
    barrier = threading.Barrier(2)

    def work(selector):
        situ.set_default_queue(selector)
        barrier.wait()
        seen = where(situ.zeros(1))
        barrier.wait()
        return seen

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(work, ["native", "reference"])) == ["native", "reference"]
    assert where(situ.zeros(1)) == "native"


def test_a_new_thread_starts_without_the_default_of_its_maker():
    with situ.current("reference"), ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: where(situ.zeros(1))).result() == "native"


def test_asyncio_tasks_do_not_see_each_others_defaults():
    async def work(selector, rounds=5):
        with situ.current(selector):
            for _ in range(rounds):
                await asyncio.sleep(0)
                assert where(situ.zeros(1)) == selector
        situ.set_default_queue(selector)
        await asyncio.sleep(0)
        return where(situ.zeros(1))

    async def both():
        return await asyncio.gather(work("native"), work("reference"), work("reference", 3))

    assert asyncio.run(both()) == ["native", "reference", "reference"]
    assert where(situ.zeros(1)) == "native"


def test_a_task_starts_with_the_default_of_its_maker():
    async def inner():
        return where(situ.zeros(1))

    async def outer():
        with situ.current("reference"):
            task = asyncio.create_task(inner())
        return await task, where(situ.zeros(1))

    assert asyncio.run(outer()) == ("reference", "native")
