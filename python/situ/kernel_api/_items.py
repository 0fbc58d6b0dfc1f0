"""Index objects: what a work-item knows about its place in the range.

In a compiled kernel they cost nothing: each method is one of the functions of `situ` that ask for
the same. The classes here are what `simulate` passes, and what a type checker sees.
"""

from collections.abc import Sequence
from math import prod

from situ._simulation import current
from situ.kernel_api._ranges import Range

__all__ = ["Group", "Item", "NdItem", "SubGroup"]


class Item:
    """The place of a work-item in a range: what a launch over a `Range` passes.

    Parameters
    ----------
    extent : Range
        The range.
    index : sequence of int
        The place in it.
    """

    def __init__(self, extent: Range, index: Sequence[int]) -> None:
        self._extent = extent
        self._index = tuple(index)

    def __repr__(self) -> str:
        """Tell the place."""
        return f"<Item {self._index} of {self._extent!r}>"

    @property
    def dimensions(self) -> int:
        """How many dimensions the range has."""
        return len(self._extent)

    def get_id(self, idx: int) -> int:
        """Return the position in the range along a dimension; 0 is the slowest."""
        return self._index[idx]

    def get_linear_id(self) -> int:
        """Return the position among all work-items, counted as the elements of an array are."""
        return _linear(self._extent, self._index)

    def get_range(self, idx: int) -> int:
        """Return the size of the range along a dimension."""
        return self._extent[idx]

    def get_linear_range(self) -> int:
        """Return the number of work-items."""
        return self._extent.size()


class Group:
    """The work-group of a work-item, from `NdItem.get_group`.

    Parameters
    ----------
    global_range, local_range, group_range : Range
        How many work-items there are, how many of them are a group, and how many groups there are.
    index : sequence of int
        The place of the group.
    """

    def __init__(
        self, global_range: Range, local_range: Range, group_range: Range, index: Sequence[int]
    ) -> None:
        self._global_range = global_range
        self._local_range = local_range
        self._group_range = group_range
        self._index = tuple(index)

    def __repr__(self) -> str:
        """Tell the place."""
        return f"<Group {self._index} of {self._group_range!r}>"

    @property
    def dimensions(self) -> int:
        """How many dimensions the range has."""
        return len(self._group_range)

    @property
    def leader(self) -> bool:
        """Whether the running work-item is the first of its group."""
        return current("Group.leader").local_linear_id == 0

    def get_group_id(self, dim: int) -> int:
        """Return the position of the group along a dimension."""
        return self._index[dim]

    def get_group_linear_id(self) -> int:
        """Return the position of the group among all groups."""
        return _linear(self._group_range, self._index)

    def get_group_range(self, dim: int) -> int:
        """Return the number of groups along a dimension."""
        return self._group_range[dim]

    def get_group_linear_range(self) -> int:
        """Return the number of groups."""
        return self._group_range.size()

    def get_local_id(self, dim: int) -> int:
        """Return the position of the running work-item in the group along a dimension."""
        return current("Group.get_local_id").local_id[dim]

    def get_local_linear_id(self) -> int:
        """Return the position of the running work-item among those of the group."""
        return current("Group.get_local_linear_id").local_linear_id

    def get_local_range(self, dim: int) -> int:
        """Return the size of the group along a dimension."""
        return self._local_range[dim]

    def get_local_linear_range(self) -> int:
        """Return the number of work-items of the group."""
        return self._local_range.size()


class SubGroup:
    """The sub-group of a work-item, from `NdItem.get_sub_group`: work-items that run in lock-step.

    How large sub-groups are is the device's choice.
    """

    def __repr__(self) -> str:
        """Tell what it is."""
        return "<SubGroup>"

    @property
    def dimensions(self) -> int:
        """Sub-groups have one dimension."""
        return 1

    @property
    def leader(self) -> bool:
        """Whether the running work-item is the first of its sub-group."""
        return current("SubGroup.leader").sub_group_local_id == 0

    def get_group_id(self) -> int:
        """Return the position of the sub-group in the work-group."""
        return current("SubGroup.get_group_id").sub_group_id

    def get_group_range(self) -> int:
        """Return how many sub-groups the work-group has."""
        return current("SubGroup.get_group_range").sub_group_count

    def get_local_id(self) -> int:
        """Return the position of the work-item in the sub-group."""
        return current("SubGroup.get_local_id").sub_group_local_id

    def get_local_range(self) -> int:
        """Return how many work-items the sub-group has."""
        return current("SubGroup.get_local_range").sub_group_size


class NdItem:
    """The place of a work-item in a range and in its group: what a launch over an `NdRange` passes.

    Parameters
    ----------
    global_item, local_item : Item
        The place in the range, and in the group.
    group : Group
        The group.
    """

    def __init__(self, global_item: Item, local_item: Item, group: Group) -> None:
        self._global_item = global_item
        self._local_item = local_item
        self._group = group

    def __repr__(self) -> str:
        """Tell the place."""
        return f"<NdItem {self._global_item!r}, {self._local_item!r} of {self._group!r}>"

    @property
    def dimensions(self) -> int:
        """How many dimensions the range has."""
        return self._global_item.dimensions

    def get_global_id(self, idx: int) -> int:
        """Return the position in the range along a dimension; 0 is the slowest."""
        return self._global_item.get_id(idx)

    def get_global_linear_id(self) -> int:
        """Return the position among all work-items."""
        return self._global_item.get_linear_id()

    def get_global_range(self, idx: int) -> int:
        """Return the size of the range along a dimension."""
        return self._global_item.get_range(idx)

    def get_global_linear_range(self) -> int:
        """Return the number of work-items."""
        return self._global_item.get_linear_range()

    def get_local_id(self, idx: int) -> int:
        """Return the position in the work-group along a dimension."""
        return self._local_item.get_id(idx)

    def get_local_linear_id(self) -> int:
        """Return the position among the work-items of the group."""
        return self._local_item.get_linear_id()

    def get_local_range(self, idx: int) -> int:
        """Return the size of the work-group along a dimension."""
        return self._local_item.get_range(idx)

    def get_local_linear_range(self) -> int:
        """Return the number of work-items of the group."""
        return self._local_item.get_linear_range()

    def get_group(self) -> Group:
        """Return the work-group."""
        return self._group

    def get_sub_group(self) -> SubGroup:
        """Return the sub-group."""
        return SubGroup()


def _linear(extent: Range, index: Sequence[int]) -> int:
    """Return the row-major position."""
    return sum(place * prod(extent[axis + 1 :]) for axis, place in enumerate(index))
