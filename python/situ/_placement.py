"""Asking where a call would run, without running it."""

from typing import TypeVar, cast

from situ import _native
from situ._native import Placement, Queue, ndarray
from situ._queue_manager import Place

__all__ = ["lend", "placement_of", "queues_equivalent"]

Argument = TypeVar("Argument")


def lend(argument: Argument, queue: Place | None) -> Argument:
    """Return an array as an array of a queue that was named, over the same memory.

    Numbers, and arrays if none was named, stay as they are. The memory must be accessible from the
    queue; a `PlacementError` says if it is not.
    """
    if queue is None or not isinstance(argument, ndarray):
        return argument
    _native.placement_of(argument, queue=queue)
    return cast("Argument", _native.bring(argument, device=queue))


def placement_of(*arguments: object, queue: Place | None = None) -> Placement:
    """Tell where a call with these arguments would run, and why; nothing is run or copied.

    Parameters
    ----------
    *arguments
        Arrays and numbers, as they would be passed to an array function or a kernel. Messages call
        them `x1`, `x2` and so on.
    queue
        The queue that would be named in the call, if any.

    Returns
    -------
    Placement
        Its `queue` and `device` would run the call, `usm_type` is the memory a result would get,
        and `explain()` tells the story argument by argument.

    Raises
    ------
    PlacementError
        As the call would: when the arguments do not agree on where to compute.

    Examples
    --------
    >>> import situ
    >>> x = situ.zeros(3, usm_type="shared")
    >>> y = situ.zeros(3, usm_type="host")
    >>> placement = situ.placement_of(x, y, 2.0)
    >>> placement.queue == x.queue, placement.usm_type
    (True, 'shared')
    """
    return _native.placement_of(*arguments, queue=queue)


def queues_equivalent(*queues: Queue) -> bool:
    """Tell whether queues have the same context, device and properties.

    Arrays of equivalent queues can be combined.

    Parameters
    ----------
    *queues
        The queues to compare.

    Returns
    -------
    bool
        True if all are equivalent to each other.

    Examples
    --------
    >>> import situ
    >>> situ.queues_equivalent(situ.zeros(3).queue, situ.ones(5).queue)
    True
    >>> situ.queues_equivalent(situ.Queue("native"), situ.Queue("reference"))
    False
    """
    return _native.queues_equivalent(*queues)
