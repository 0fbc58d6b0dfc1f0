"""Knob 1, the queue in every call: no default, no inference, nothing to look up.

The queue that is named runs the work. Arrays need not belong to it; it is enough that they are
accessible from it, so one part of a device can compute on what another part has allocated.
"""

import situ

__all__ = ["allocate", "compute", "gemm"]


def allocate(queue, shape):
    """Return a matrix of ones in memory of a queue."""
    return situ.ones(shape, queue=queue)


def gemm(queue, a, b):
    """Multiply two matrices on a queue."""
    return situ.matmul(a, b, queue=queue)


def compute(queue, a, b):
    """Return the norm of the product of two matrices, computed on a queue."""
    return situ.linalg.matrix_norm(gemm(queue, a, b), queue=queue)
