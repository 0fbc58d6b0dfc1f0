"""Knob 3, an allocation queue, and computation that follows data.

The default says where new arrays are. Everything that has arrays runs where they are, so there is
nothing to say when computing, and arrays that disagree are refused.
"""

import situ

_queues = situ.QueueManager(__name__)

current = _queues.current
set_default_queue = _queues.set_default_queue
reset_default_queue = _queues.reset
offload_to = _queues.offload_to


def allocate(shape):
    """Return a matrix of ones on the allocation queue."""
    return situ.ones(shape, queue=current())


def dot(a, b):
    """Multiply two matrices where they are."""
    return situ.matmul(a, b)


def compute(*matrices):
    """Return the sum of the norms of matrices, where they are."""
    norms = [situ.linalg.matrix_norm(matrix) for matrix in matrices]
    return situ.sum(situ.stack(norms))
