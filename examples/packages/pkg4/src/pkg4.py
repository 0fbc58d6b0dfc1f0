"""Knob 4, the queue of the whole program: the package has no default, it asks situ for one.

`situ.set_global_queue` says where all such packages work. A block ``with current(...)`` says
otherwise for a while, and in this thread or asyncio task only.
"""

import situ
from situ import current

__all__ = ["allocate", "compute", "current", "dot"]


def allocate(shape):
    """Return a matrix of ones on the program's queue."""
    return situ.ones(shape, queue=current())


def dot(a, b):
    """Multiply two matrices on the program's queue, from which they must be accessible."""
    return situ.matmul(a, b, queue=current())


def compute(a, b):
    """Return the norm of the product of two matrices."""
    return situ.linalg.matrix_norm(dot(a, b), queue=current())
