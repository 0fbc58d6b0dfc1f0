"""How memory accesses are ordered, for whom, and where arrays live.

The numbers are those of SYCL's enumerations as other Python packages write them.
"""

from enum import IntEnum

__all__ = ["AddressSpace", "MemoryOrder", "MemoryScope"]


class MemoryOrder(IntEnum):
    """How an atomic access or a fence is ordered with the accesses around it."""

    RELAXED = 0
    """Not at all; only the access itself is indivisible."""
    ACQUIRE = 1
    """Later accesses stay later."""
    CONSUME_UNSUPPORTED = 2
    """Exists in C++ only; no device has it."""
    RELEASE = 3
    """Earlier accesses stay earlier."""
    ACQ_REL = 4
    """Both."""
    SEQ_CST = 5
    """Both, and all such accesses have one order."""


class MemoryScope(IntEnum):
    """Who takes part in an ordering."""

    WORK_ITEM = 0
    """The work-item alone."""
    SUB_GROUP = 1
    """The work-items of a sub-group."""
    WORK_GROUP = 2
    """The work-items of a work-group."""
    DEVICE = 3
    """Everything that runs on the device."""
    SYSTEM = 4
    """Everything that sees the memory, the host included."""


class AddressSpace(IntEnum):
    """Where an array lives."""

    PRIVATE = 0
    """Memory of a work-item."""
    GLOBAL = 1
    """Memory that all work-items see: the arrays that are passed to a kernel."""
    CONSTANT = 2
    """Global memory that no kernel changes."""
    LOCAL = 3
    """Memory of a work-group."""
    GENERIC = 4
    """Any of them."""
