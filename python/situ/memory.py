"""Memory of devices: allocations, what the pools hold, and giving memory back.

Every context keeps a pool for each USM kind. Memory that is freed stays there for the next request
of about the same size, because fresh memory is paid for with page faults. `stats` tells what the
pools hold, `trim` returns what is idle to the system, which also happens by itself when memory runs
short.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from situ import _native
from situ._native import (
    Allocation,
    Context,
    Device,
    Queue,
    memory_statistics,
    ndarray,
    trim_memory,
)
from situ._native import as_allocation as _as_allocation

__all__ = [
    "Allocation",
    "PoolStatistics",
    "Statistics",
    "as_allocation",
    "as_array",
    "stats",
    "trim",
]


@dataclass(frozen=True, slots=True)
class PoolStatistics:
    """What memory pools hold and have done.

    Sizes are those of blocks, which are requests rounded up by at most a quarter.

    Attributes
    ----------
    used_bytes, used_blocks : int
        What arrays and allocations hold.
    pending_bytes, pending_blocks : int
        What only unfinished work still uses.
    idle_bytes, idle_blocks : int
        What is kept for reuse.
    peak_bytes : int
        The most that was held at any moment, in use or not. For several pools, the sum.
    requests : int
        How often memory was asked for.
    system_requests : int
        How often the device had to be asked, with or without success.
    reused : int
        How often memory was served that had been used before.
    """

    used_bytes: int = 0
    used_blocks: int = 0
    pending_bytes: int = 0
    pending_blocks: int = 0
    idle_bytes: int = 0
    idle_blocks: int = 0
    peak_bytes: int = 0
    requests: int = 0
    system_requests: int = 0

    @property
    def reused(self) -> int:
        """How often memory was served that had been used before."""
        return self.requests - self.system_requests


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the pools of a context hold, or those of all contexts together.

    Prints as a table.

    Attributes
    ----------
    device, shared, host : PoolStatistics
        The numbers for each USM kind.
    total : PoolStatistics
        Their sum.
    device_names : tuple of str
        Filter strings of the devices that see the memory.
    contexts : tuple of Statistics
        The same for each context from which memory was taken, if these are the numbers of all.
    """

    device: PoolStatistics
    shared: PoolStatistics
    host: PoolStatistics
    device_names: tuple[str, ...]
    contexts: "tuple[Statistics, ...]" = ()

    @property
    def total(self) -> PoolStatistics:
        """The sum over all USM kinds."""
        return _sum((self.device, self.shared, self.host))

    def __str__(self) -> str:
        """Arrange the numbers in a table."""
        lines = [f"{'':8}{'used':>12}{'pending':>12}{'idle':>12}{'peak':>12}{'reused':>16}"]
        for name in ("device", "shared", "host", "total"):
            pool: PoolStatistics = getattr(self, name)
            sizes = (pool.used_bytes, pool.pending_bytes, pool.idle_bytes, pool.peak_bytes)
            reused = f"{pool.reused} of {pool.requests}"
            lines.append(
                f"{name:8}{''.join(f'{_readable(size):>12}' for size in sizes)}{reused:>16}"
            )
        return "\n".join([f"memory of {', '.join(self.device_names) or 'no device'}", *lines])


def stats(where: str | Device | Queue | Context | ndarray | None = None) -> Statistics:
    """Tell what memory pools hold.

    Parameters
    ----------
    where : str, Device, Queue, Context or ndarray, optional
        Whose context, or which. All contexts of the process if left out.

    Returns
    -------
    Statistics
        Numbers for each USM kind and in total.

    Examples
    --------
    >>> import situ
    >>> before = situ.memory.stats().total.used_blocks
    >>> x = situ.zeros(1000)
    >>> situ.memory.stats().total.used_blocks - before
    1
    >>> del x
    >>> situ.memory.stats().total.used_blocks - before
    0
    """
    contexts = [_of_context(*row) for row in memory_statistics(where)]
    if where is not None:
        return contexts[0]
    return Statistics(
        device=_sum(context.device for context in contexts),
        shared=_sum(context.shared for context in contexts),
        host=_sum(context.host for context in contexts),
        device_names=tuple(dict.fromkeys(name for one in contexts for name in one.device_names)),
        contexts=tuple(contexts),
    )


def trim(where: str | Device | Queue | Context | ndarray | None = None) -> int:
    """Return idle memory to the system.

    Parameters
    ----------
    where : str, Device, Queue, Context or ndarray, optional
        Whose context, or which. All contexts of the process if left out.

    Returns
    -------
    int
        How many bytes were returned.

    Examples
    --------
    >>> import situ
    >>> x = situ.zeros(1_000_000)
    >>> x.queue.wait()
    >>> del x
    >>> situ.memory.trim() >= 8_000_000
    True
    >>> situ.memory.stats().total.idle_bytes
    0
    """
    return trim_memory(where)


def as_allocation(obj: object) -> Allocation:
    """Return the allocation that an object's memory is part of, without a copy.

    Parameters
    ----------
    obj : Allocation, ndarray or object with ``__sycl_usm_array_interface__``
        An object of situ's, one that passes on a description of situ's memory, or one of dpctl
        and packages that use it (``dpctl.memory.MemoryUSMShared``, ...), whose memory is used in
        place.

    Returns
    -------
    Allocation
        All of the memory, also if `obj` is a view of a part; of another package's memory, what
        `obj` describes.

    Raises
    ------
    AddressError
        The description has an address that belongs to no live allocation of situ, and is no
        USM memory of the context that the description names.
    TypeError
        The object does not describe USM memory at all.

    Examples
    --------
    >>> import situ
    >>> x = situ.ones(3, dtype=situ.uint8)
    >>> memory = situ.memory.as_allocation(x)
    >>> memory.fill(5)
    >>> x.to_numpy()
    array([5, 5, 5], dtype=uint8)
    """
    return _as_allocation(obj)


def as_array(
    obj: object, /, dtype: npt.DTypeLike = np.uint8, shape: int | Sequence[int] | None = None
) -> ndarray:
    """Return an array over the beginning of an object's memory, without a copy.

    Parameters
    ----------
    obj : Allocation, ndarray or object with ``__sycl_usm_array_interface__``
        Whose memory; see `as_allocation`.
    dtype
        The element type.
    shape : int or sequence of int, optional
        The shape; by default one dimension with as many elements as there is room for.

    Returns
    -------
    ndarray
        The array. It keeps the memory.

    Raises
    ------
    AddressError
        There is less memory than that.

    Examples
    --------
    >>> import situ
    >>> memory = situ.memory.Allocation(16, "shared")
    >>> memory.fill(0)
    >>> x = situ.memory.as_array(memory, situ.float32, (2, 2))
    >>> x[0, 1] = 1.5
    >>> memory.to_bytes()[4:8].hex()
    '0000c03f'
    """
    allocation = as_allocation(obj)
    element = np.dtype(dtype)
    sizes = allocation.size_bytes // element.itemsize if shape is None else shape
    return _native.from_usm_interface(_Elements(allocation, element.str, sizes))


class _Elements:
    """Memory, described as elements of some type and shape."""

    def __init__(self, memory: Allocation, typestr: str, shape: int | Sequence[int]) -> None:
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        described = {"typestr": typestr, "shape": sizes}
        self.__sycl_usm_array_interface__ = memory.__sycl_usm_array_interface__ | described


def _of_context(names: list[str], kinds: dict[str, list[int]]) -> Statistics:
    """Give the numbers of a context their names."""
    return Statistics(
        device=PoolStatistics(*kinds["device"]),
        shared=PoolStatistics(*kinds["shared"]),
        host=PoolStatistics(*kinds["host"]),
        device_names=tuple(names),
    )


def _sum(pools: Iterable[PoolStatistics]) -> PoolStatistics:
    """Add up statistics field by field."""
    every = list(pools)
    names = [field.name for field in fields(PoolStatistics)]
    return PoolStatistics(*(sum(getattr(pool, name) for pool in every) for name in names))


def _readable(size_bytes: float) -> str:
    """Write a size the way people read it."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if size_bytes < 1024:
            return f"{size_bytes:.4g} {unit}"
        size_bytes /= 1024
    return f"{size_bytes:.4g} PiB"
