"""Kernels that take an index object: ranges, items, groups, atomic references and fences.

A kernel whose first parameter is an `Item` or `NdItem` is told its place in the range, and no
argument is passed for that parameter::

    import situ
    from situ.kernel_api import Item

    @situ.kernel
    def add(item: Item, a, b, c):
        i = item.get_id(0)
        c[i] = a[i] + b[i]

    situ.call_kernel(add, situ.Range(n), a, b, c)

A launch over a `Range` gives an `Item`, one over an `NdRange` an `NdItem`. The annotation may be
left out where the kernel uses a method of these classes. Everything here can be mixed with the
functions of `situ` that ask for the same (`situ.get_global_id(0)`).
"""

from situ._kernel import call_kernel, device_func, kernel
from situ._native import LocalAccessor
from situ.kernel_api._atomics import AtomicRef, atomic_fence
from situ.kernel_api._barriers import group_barrier
from situ.kernel_api._collectives import (
    all_of_group,
    any_of_group,
    exclusive_scan_over_group,
    group_broadcast,
    inclusive_scan_over_group,
    none_of_group,
    reduce_over_group,
    this_sub_group,
    this_work_group,
)
from situ.kernel_api._items import Group, Item, NdItem, SubGroup
from situ.kernel_api._memory import AddressSpace, MemoryOrder, MemoryScope
from situ.kernel_api._private_array import PrivateArray
from situ.kernel_api._ranges import NdRange, Range

__all__ = [
    "AddressSpace",
    "AtomicRef",
    "Group",
    "Item",
    "LocalAccessor",
    "MemoryOrder",
    "MemoryScope",
    "NdItem",
    "NdRange",
    "PrivateArray",
    "Range",
    "SubGroup",
    "all_of_group",
    "any_of_group",
    "atomic_fence",
    "call_kernel",
    "device_func",
    "exclusive_scan_over_group",
    "group_barrier",
    "group_broadcast",
    "inclusive_scan_over_group",
    "kernel",
    "none_of_group",
    "reduce_over_group",
    "this_sub_group",
    "this_work_group",
]
