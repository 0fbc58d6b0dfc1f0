"""Random numbers, in kernels and as arrays.

A generator that counts: each number is a function of a seed and a counter and of nothing else, so
there is no state to keep, and the same counter gives the same number on every device and in every
order.

In kernels, device functions return one number for a seed and a counter. Use a different counter for
each number, for example the id of the work-item, or ``steps * i + step`` where each of them needs
several. `uniform`, `normal` and `integers` make arrays of such numbers.

The generator is Philox4x32 with ten rounds (Salmon, Moraes, Dror and Shaw, "Parallel random
numbers: as easy as 1, 2, 3", 2011).
"""

import sys

from situ._offload import BoundModule, on_queue
from situ._philox import (
    bits32,
    bits64,
    normal32,
    normal64,
    philox4x32,
    uniform32,
    uniform64,
)
from situ._queue_manager import Place
from situ._random_arrays import integers, normal, uniform

__all__ = [
    "bits32",
    "bits64",
    "integers",
    "normal",
    "normal32",
    "normal64",
    "on",
    "philox4x32",
    "uniform",
    "uniform32",
    "uniform64",
]


def on(queue: Place | None = None) -> BoundModule:
    """Return this module with all its functions bound to a queue.

    Parameters
    ----------
    queue
        A queue, or what says where: a filter string, device or array. By default the current
        default queue.

    Returns
    -------
    BoundModule
        Its functions make arrays on that queue; those for kernels are as they are.

    Examples
    --------
    >>> import situ
    >>> draw = situ.random.on("reference")
    >>> draw.normal(3, seed=1).device.filter_string
    'reference:cpu:0'
    """
    return on_queue(sys.modules[__name__], queue)
