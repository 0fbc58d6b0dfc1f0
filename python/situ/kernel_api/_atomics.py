"""Indivisible updates of one element, as an object, and fences."""

from collections.abc import Callable
from typing import Any

from situ._native import ndarray
from situ._simulation import atomically, current
from situ.kernel_api._memory import AddressSpace, MemoryOrder, MemoryScope

__all__ = ["AtomicRef", "atomic_fence"]


class AtomicRef:
    """One element of an array that several work-items may update at the same time.

    Parameters
    ----------
    ref : array
        A global or local array of 32- or 64-bit integers or floats.
    index : int or tuple of int
        Which element.
    memory_order : MemoryOrder, default ``MemoryOrder.RELAXED``
        How the accesses are ordered with others.
    memory_scope : MemoryScope, default ``MemoryScope.DEVICE``
        For whom they are.
    address_space : AddressSpace, optional
        Where the array lives, which is known anyway; another one than the array's is refused.

    Examples
    --------
    >>> import numpy as np
    >>> import situ
    >>> from situ.kernel_api import AtomicRef, Item
    >>> @situ.kernel
    ... def histogram(item: Item, x, counts):
    ...     i = item.get_id(0)
    ...     AtomicRef(counts, x[i]).fetch_add(1)
    >>> x = situ.asarray(np.array([0, 2, 2, 1, 2]))
    >>> counts = situ.asarray(np.zeros(3, dtype=np.int32))
    >>> situ.call_kernel(histogram, situ.Range(5), x, counts)
    >>> counts.to_numpy()
    array([1, 1, 3], dtype=int32)
    """

    def __init__(
        self,
        ref: ndarray,
        index: int | tuple[int, ...],
        memory_order: MemoryOrder = MemoryOrder.RELAXED,
        memory_scope: MemoryScope = MemoryScope.DEVICE,
        address_space: AddressSpace | None = None,
    ) -> None:
        current("AtomicRef")
        self._ref = ref
        self._index = index
        self._memory_order = memory_order
        self._memory_scope = memory_scope
        self._address_space = AddressSpace.GLOBAL if address_space is None else address_space

    @property
    def ref(self) -> ndarray:
        """The array."""
        return self._ref

    @property
    def memory_order(self) -> MemoryOrder:
        """How the accesses are ordered with others."""
        return self._memory_order

    @property
    def memory_scope(self) -> MemoryScope:
        """For whom they are ordered."""
        return self._memory_scope

    @property
    def address_space(self) -> AddressSpace:
        """Where the array lives."""
        return self._address_space

    def _change(self, new: Callable[[Any], Any]) -> float:
        return atomically(self._ref, self._index, new)

    def fetch_add(self, val: float) -> float:
        """Add; return what the element was before."""
        return self._change(lambda old: old + val)

    def fetch_sub(self, val: float) -> float:
        """Subtract; return what the element was before."""
        return self._change(lambda old: old - val)

    def fetch_min(self, val: float) -> float:
        """Keep the smaller; return what the element was before."""
        return self._change(lambda old: min(old, val))

    def fetch_max(self, val: float) -> float:
        """Keep the larger; return what the element was before."""
        return self._change(lambda old: max(old, val))

    def fetch_and(self, val: float) -> float:
        """Keep the bits in common with a value; return what the element was before."""
        return self._change(lambda old: old & val)

    def fetch_or(self, val: float) -> float:
        """Set the bits of a value; return what the element was before."""
        return self._change(lambda old: old | val)

    def fetch_xor(self, val: float) -> float:
        """Flip the bits of a value; return what the element was before."""
        return self._change(lambda old: old ^ val)

    def load(self) -> float:
        """Return the element."""
        return self._change(lambda old: old)

    def store(self, val: float) -> None:
        """Write the element."""
        self._change(lambda old: val)

    def exchange(self, val: float) -> float:
        """Write the element; return what it was before."""
        return self._change(lambda old: val)

    def compare_exchange(self, expected: ndarray, desired: float, expected_idx: int = 0) -> bool:
        """Write the element if it is what is expected; return whether it was.

        Parameters
        ----------
        expected : array
            Of one dimension and of the same dtype; ``expected[expected_idx]`` is what is expected,
            and is given what was found if that is something else.
        desired : number
            What to write.
        expected_idx : int, default 0
            Where in ``expected``.
        """
        wanted = expected[expected_idx]
        found = self._change(lambda old: desired if old == wanted else old)
        if found == wanted:
            return True
        expected[expected_idx] = found
        return False


def atomic_fence(memory_order: MemoryOrder, memory_scope: MemoryScope) -> None:
    """Order the memory accesses of the work-item before it with those after it.

    Parameters
    ----------
    memory_order : MemoryOrder
        Which accesses stay on their side of the fence.
    memory_scope : MemoryScope
        Who sees them in that order.
    """
    current("atomic_fence")
