"""Readings of a sensor: a package that allocates, and offers itself bound to a queue.

`offload_to` is the one line: ``gpu = pkgA.offload_to("gpu")`` has the same functions, on one queue.
"""

import situ

_queues = situ.QueueManager(__name__)

current = _queues.current
offload_to = _queues.offload_to


def allocate(shape):
    """Return an array for readings on the default queue."""
    return situ.zeros(shape, queue=current())


def compute(n=4):
    """Return readings: the squares of the first numbers."""
    return situ.square(situ.arange(n, dtype=situ.float64, queue=current()))
