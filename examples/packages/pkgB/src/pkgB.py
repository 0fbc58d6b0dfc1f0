"""Statistics of readings: a package with a kernel and a compiled function."""

import numpy as np

import situ

_queues = situ.QueueManager(__name__)

current = _queues.current
set_default_queue = _queues.set_default_queue
reset_default_queue = _queues.reset
offload_to = _queues.offload_to


def func(readings):
    """Center readings, on the default queue, from which they must be accessible."""
    mean = situ.mean(readings, queue=current())
    return situ.subtract(readings, mean, queue=current())


def compute(readings=None):
    """Return the mean of readings; of some ones, if there are none yet."""
    if readings is None:
        readings = situ.ones(3, queue=current())
    return situ.mean(readings)


@situ.kernel
def clamp(readings, limit):
    """Cut readings off at a limit, in place."""
    i = situ.get_global_id(0)
    readings[i] = min(readings[i], limit)


@situ.njit
def energy(readings):
    """Return the sum of squares."""
    return np.sum(readings**2)
