"""`situ.Timer`: seconds on the host and on a queue."""

import time

import pytest
from runtime.gates import gate_on

import situ


@situ.kernel
def step(x):
    i = situ.get_global_id(0)
    x[i] = x[i] * 3 + 1


@pytest.fixture(params=[(True, False), (False, False), (True, True)], ids=str)
def queue(request):
    in_order, enable_profiling = request.param
    return situ.Queue("native", in_order=in_order, enable_profiling=enable_profiling)


def test_the_device_is_timed_whatever_the_host_does(queue):
    timer = situ.Timer()
    with timer(queue):
        queue.host_task(time.sleep, 0.02)
        if not queue.in_order:
            queue.barrier()
    result = timer.dt
    assert result == (result.host, result.device)
    assert result.device >= 0.02
    assert result.host >= 0


def test_leaving_the_block_does_not_wait(queue):
    timer = situ.Timer()
    with gate_on(queue) as gate:
        with timer(queue):
            queue.barrier()
        assert not gate.event.is_complete
    assert timer.dt.device >= 0


def test_laps_add_up(queue):
    timer = situ.Timer()
    devices = []
    for _ in range(3):
        with timer(queue):
            queue.host_task(time.sleep, 0.005)
            queue.barrier()
        devices.append(timer.dt.device)
    assert devices == sorted(devices)
    assert devices[-1] >= 0.015
    assert timer.dt == timer.dt


def test_the_clock_of_the_host_can_be_chosen():
    ticks = iter([10.0, 12.5, 20.0, 20.5])
    timer = situ.Timer(host_timer=lambda: next(ticks))
    for _ in range(2):
        with timer:
            pass
    assert timer.dt.host == 3.0


def test_an_unused_timer_is_at_zero():
    assert situ.Timer().dt == (0, 0)


def test_an_exception_passes_through_and_the_lap_counts(queue):
    timer = situ.Timer()
    with pytest.raises(ZeroDivisionError), timer(queue):
        raise ZeroDivisionError
    assert timer.dt.host > 0
    assert timer.dt.device >= 0


def test_a_failure_inside_is_not_the_timers(queue):
    def fail():
        raise LookupError

    timer = situ.Timer()
    with timer(queue):
        queue.host_task(fail)
    assert timer.dt.device >= 0
    with pytest.raises(situ.HostTaskError):
        queue.wait()


def test_selectors_name_the_queue():
    timer = situ.Timer()
    x = situ.ones(3, device="reference")
    for selector in ("reference", x.queue, x.device, x, None):
        with timer(selector):
            step(x)
    assert timer.dt.device > 0
