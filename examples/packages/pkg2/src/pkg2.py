"""Knob 2, a default queue that the package manages: it allocates and computes there.

The default is the package's own. Other packages do not see it, and neither do other threads and
asyncio tasks.
"""

import situ

_queues = situ.QueueManager(__name__)

current = _queues.current
set_default_queue = _queues.set_default_queue
reset_default_queue = _queues.reset
offload_to = _queues.offload_to


def allocate(shape):
    """Return a matrix of ones on the default queue."""
    return situ.ones(shape, queue=current())


def dot(a, b):
    """Multiply two matrices on the default queue, from which they must be accessible."""
    return situ.matmul(a, b, queue=current())


def compute(a, b):
    """Return the norm of the product of two matrices."""
    return situ.linalg.matrix_norm(dot(a, b), queue=current())
