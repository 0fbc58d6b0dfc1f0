"""Where the work-items of a group wait for each other."""

from situ._simulation import current
from situ.kernel_api._items import Group
from situ.kernel_api._memory import MemoryScope

__all__ = ["group_barrier"]


def group_barrier(group: Group, fence_scope: MemoryScope = MemoryScope.WORK_GROUP) -> None:
    """Wait until every work-item of a group is here.

    Parameters
    ----------
    group : Group
        The work-group, from `NdItem.get_group`.
    fence_scope : MemoryScope, default ``MemoryScope.WORK_GROUP``
        Who sees what was written before: with ``DEVICE`` also work-items of other groups.

    Examples
    --------
    >>> import numpy as np
    >>> import situ
    >>> from situ.kernel_api import LocalAccessor, NdItem, group_barrier
    >>> @situ.kernel
    ... def reverse_groups(item: NdItem, x, tile):
    ...     i = item.get_local_id(0)
    ...     tile[i] = x[item.get_global_id(0)]
    ...     group_barrier(item.get_group())
    ...     x[item.get_global_id(0)] = tile[len(tile) - 1 - i]
    >>> x = situ.asarray(np.arange(6.0))
    >>> situ.call_kernel(reverse_groups, situ.NdRange(6, 3), x, LocalAccessor(3, x.dtype))
    >>> x.to_numpy()
    array([2., 1., 0., 5., 4., 3.])
    """
    current("group_barrier").meet("group_barrier")
