"""The functions kernels call to find their place in the range and to wait for each other.

In a compiled kernel the compiler knows them by name. Their bodies here serve `simulate`, which runs
a kernel as plain Python; anywhere else they say that they have a meaning inside of kernels only.
"""

from math import prod

from situ._simulation import current, linear_id

__all__ = [
    "GLOBAL_MEM_FENCE",
    "LOCAL_MEM_FENCE",
    "barrier",
    "get_global_id",
    "get_global_linear_id",
    "get_global_linear_size",
    "get_global_size",
    "get_group_id",
    "get_group_linear_id",
    "get_local_id",
    "get_local_linear_id",
    "get_local_linear_size",
    "get_local_size",
    "get_num_groups",
    "get_work_dim",
    "mem_fence",
]

LOCAL_MEM_FENCE = 1
"""For `barrier` and `mem_fence`: memory of the work-group."""
GLOBAL_MEM_FENCE = 2
"""For `barrier` and `mem_fence`: arrays that are passed to the kernel."""


def get_global_id(dimension: int, /) -> int:
    """Return the position of the work-item in the range along a dimension.

    Parameters
    ----------
    dimension : int
        0, 1 or 2, known when the kernel is compiled. 0 is the slowest dimension, the first index of
        an array that the range is the shape of.

    Examples
    --------
    >>> import numpy as np
    >>> import situ
    >>> @situ.kernel
    ... def number(a):
    ...     i, j = situ.get_global_id(0), situ.get_global_id(1)
    ...     a[i, j] = 10 * i + j
    >>> a = situ.asarray(np.zeros((2, 3)))
    >>> number(a)
    >>> a.to_numpy()
    array([[ 0.,  1.,  2.],
           [10., 11., 12.]])
    """
    return current("get_global_id").global_id[dimension]


def get_global_size(dimension: int, /) -> int:
    """Return the size of the range along a dimension."""
    return current("get_global_size").group.global_size[dimension]


def get_local_id(dimension: int, /) -> int:
    """Return the position of the work-item in its work-group along a dimension."""
    return current("get_local_id").local_id[dimension]


def get_local_size(dimension: int, /) -> int:
    """Return the size of the work-group along a dimension."""
    return current("get_local_size").group.local_size[dimension]


def get_group_id(dimension: int, /) -> int:
    """Return the position of the work-group along a dimension."""
    return current("get_group_id").group.index[dimension]


def get_num_groups(dimension: int, /) -> int:
    """Return the number of work-groups along a dimension."""
    return current("get_num_groups").group.group_count[dimension]


def get_global_linear_id() -> int:
    """Return the position among all work-items, counted as the elements of an array are."""
    item = current("get_global_linear_id")
    return linear_id(item.group.global_size, item.global_id)


def get_local_linear_id() -> int:
    """Return the position among the work-items of the work-group."""
    return current("get_local_linear_id").local_linear_id


def get_group_linear_id() -> int:
    """Return the position of the work-group among all groups."""
    group = current("get_group_linear_id").group
    return linear_id(group.group_count, group.index)


def get_global_linear_size() -> int:
    """Return the number of work-items."""
    return prod(current("get_global_linear_size").group.global_size)


def get_local_linear_size() -> int:
    """Return the number of work-items of the work-group."""
    return prod(current("get_local_linear_size").group.local_size)


def get_work_dim() -> int:
    """Return the number of dimensions of the range."""
    return len(current("get_work_dim").group.global_size)


def barrier(memory: int = LOCAL_MEM_FENCE | GLOBAL_MEM_FENCE, /) -> None:
    """Wait until every work-item of the work-group is here.

    What they wrote to local and global memory before is then visible to the whole group. All
    work-items of a group must reach the barrier, or none: one inside of a branch that only some of
    them take is refused when the kernel is compiled.

    Parameters
    ----------
    memory : int, optional
        Which memory is made visible: `LOCAL_MEM_FENCE`, `GLOBAL_MEM_FENCE`, or both with ``|``,
        which is what happens if nothing is said.

    Examples
    --------
    >>> import numpy as np
    >>> import situ
    >>> @situ.kernel
    ... def reverse_groups(x):
    ...     tile = situ.local.array(4, situ.float64)
    ...     i = situ.get_local_id(0)
    ...     tile[i] = x[situ.get_global_id(0)]
    ...     situ.barrier()
    ...     x[situ.get_global_id(0)] = tile[3 - i]
    >>> x = situ.asarray(np.arange(8.0))
    >>> reverse_groups[(8,), (4,)](x)
    >>> x.to_numpy()
    array([3., 2., 1., 0., 7., 6., 5., 4.])
    """
    current("barrier").meet("barrier")


def mem_fence(memory: int = LOCAL_MEM_FENCE | GLOBAL_MEM_FENCE, /) -> None:
    """Order the memory accesses of the work-item before it with those after it, without waiting.

    Parameters
    ----------
    memory : int, optional
        Which memory: `LOCAL_MEM_FENCE`, `GLOBAL_MEM_FENCE`, or both with ``|``.
    """
    current("mem_fence")
