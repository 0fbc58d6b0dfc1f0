"""What the work-items of a group compute together.

Every work-item of the *work-group* calls the function, also when it works on sub-groups, and each
gets its own result. The order is that of the linear local ids.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from situ._simulation import SUB_GROUP_SIZE, current
from situ.kernel_api._items import Group, SubGroup
from situ.kernel_api._ranges import Range

__all__ = [
    "all_of_group",
    "any_of_group",
    "exclusive_scan_over_group",
    "group_broadcast",
    "inclusive_scan_over_group",
    "none_of_group",
    "reduce_over_group",
    "this_sub_group",
    "this_work_group",
]

Operator = Callable[[Any, Any], Any]


def reduce_over_group(group: Group | SubGroup, x: float, op: Operator = np.add) -> float:
    """Combine what all work-items of a group contribute.

    Parameters
    ----------
    group : Group or SubGroup
        Who takes part, from `NdItem.get_group` or `NdItem.get_sub_group`.
    x : number
        What this work-item contributes.
    op : function, default `numpy.add`
        How two contributions are combined: `numpy.add`, `multiply`, `minimum`, `maximum`,
        `bitwise_and`, `bitwise_or`, `bitwise_xor`, or those of situ, or `min` and `max`.

    Examples
    --------
    >>> import numpy as np
    >>> import situ
    >>> from situ.kernel_api import NdItem, reduce_over_group
    >>> @situ.kernel
    ... def group_sums(item: NdItem, x, sums):
    ...     group = item.get_group()
    ...     total = reduce_over_group(group, x[item.get_global_id(0)], np.add)
    ...     if group.leader:
    ...         sums[group.get_group_id(0)] = total
    >>> x, sums = situ.asarray(np.arange(8.0)), situ.asarray(np.zeros(2))
    >>> situ.call_kernel(group_sums, situ.NdRange(8, 4), x, sums)
    >>> sums.to_numpy()
    array([ 6., 22.])
    """
    contributions, _ = _meet("reduce_over_group", group, x)
    return _combined(contributions, op)


def inclusive_scan_over_group(group: Group | SubGroup, x: float, op: Operator = np.add) -> float:
    """Combine the contributions up to and with this work-item's; see `reduce_over_group`."""
    contributions, own = _meet("inclusive_scan_over_group", group, x)
    return _combined(contributions[: own + 1], op)


def exclusive_scan_over_group(group: Group | SubGroup, x: float, op: Operator = np.add) -> float:
    """Combine the contributions before this work-item's; see `reduce_over_group`.

    The first work-item gets what changes nothing: 0 for sums, infinity for minima, and so on.
    """
    contributions, own = _meet("exclusive_scan_over_group", group, x)
    if own == 0:
        return _identity(op, contributions[0])
    return _combined(contributions[:own], op)


def group_broadcast(group: Group | SubGroup, x: float, local_id: int = 0) -> float:
    """Return what one work-item contributes; ``local_id`` is its linear position in the group."""
    contributions, _ = _meet("group_broadcast", group, x)
    return contributions[local_id % len(contributions)]


def any_of_group(group: Group | SubGroup, predicate: bool) -> bool:
    """Return whether the predicate holds for any work-item of the group."""
    contributions, _ = _meet("any_of_group", group, predicate)
    return any(contributions)


def all_of_group(group: Group | SubGroup, predicate: bool) -> bool:
    """Return whether the predicate holds for all work-items of the group."""
    contributions, _ = _meet("all_of_group", group, predicate)
    return all(contributions)


def none_of_group(group: Group | SubGroup, predicate: bool) -> bool:
    """Return whether the predicate holds for no work-item of the group."""
    contributions, _ = _meet("none_of_group", group, predicate)
    return not any(contributions)


def this_work_group() -> Group:
    """Return the work-group of the running work-item, for kernels without an index object."""
    group = current("this_work_group").group
    return Group(
        Range(*group.global_size),
        Range(*group.local_size),
        Range(*group.group_count),
        group.index,
    )


def this_sub_group() -> SubGroup:
    """Return the sub-group of the running work-item, for kernels without an index object."""
    current("this_sub_group")
    return SubGroup()


def _meet(name: str, group: Group | SubGroup, x: float) -> tuple[list[Any], int]:
    """Return the contributions of those who take part, and the position of this work-item."""
    item = current(name)
    contributions = item.meet(name, x)
    if isinstance(group, SubGroup):
        start = item.sub_group_id * SUB_GROUP_SIZE
        return contributions[start : start + item.sub_group_size], item.sub_group_local_id
    return contributions, item.local_linear_id


def _combined(contributions: list[Any], op: Operator) -> Any:  # noqa: ANN401 - of their dtype
    # The sum of booleans counts them, as it does in a kernel.
    numbers = [int(each) if np.asarray(each).dtype == bool else each for each in contributions]
    result = numbers[0]
    for each in numbers[1:]:
        result = op(result, each)
    return result


def _identity(op: Operator, like: Any) -> Any:  # noqa: ANN401 - of its dtype
    dtype = np.asarray(like).dtype
    is_float = dtype.kind in "fc"
    name = op.__name__
    if name in ("min", "minimum"):
        return dtype.type(np.inf) if is_float else np.iinfo(dtype).max
    if name in ("max", "maximum"):
        return dtype.type(-np.inf) if is_float else np.iinfo(dtype).min
    if name == "multiply":
        return dtype.type(1)
    if name == "bitwise_and":
        return ~dtype.type(0)
    return dtype.type(0)
