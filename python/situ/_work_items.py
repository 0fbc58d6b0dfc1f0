"""The functions kernels call to find their place in the range and to wait for each other.

They have a meaning inside of kernels only, where the compiler knows them by name; what is here is
their documentation, and an explanation for whoever calls them elsewhere.
"""

from typing import NoReturn

from situ.exceptions import KernelError

__all__ = [
    "barrier",
    "get_global_id",
    "get_global_size",
    "get_group_id",
    "get_local_id",
    "get_local_size",
    "get_num_groups",
]


def outside_of_a_kernel(name: str) -> NoReturn:
    """Raise the error for a kernel function that is called by ordinary Python code."""
    message = (
        f"`{name}` was called outside of a kernel\n"
        f"  why:  it asks about the running work-item, and ordinary Python code is none\n"
        f"  help: call it in a function decorated with `@situ.kernel` or `@situ.device_func`"
    )
    raise KernelError(message)


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
    outside_of_a_kernel("get_global_id")


def get_global_size(dimension: int, /) -> int:
    """Return the size of the range along a dimension."""
    outside_of_a_kernel("get_global_size")


def get_local_id(dimension: int, /) -> int:
    """Return the position of the work-item in its work-group along a dimension."""
    outside_of_a_kernel("get_local_id")


def get_local_size(dimension: int, /) -> int:
    """Return the size of the work-group along a dimension."""
    outside_of_a_kernel("get_local_size")


def get_group_id(dimension: int, /) -> int:
    """Return the position of the work-group along a dimension."""
    outside_of_a_kernel("get_group_id")


def get_num_groups(dimension: int, /) -> int:
    """Return the number of work-groups along a dimension."""
    outside_of_a_kernel("get_num_groups")


def barrier() -> None:
    """Wait until every work-item of the work-group is here.

    What they wrote to local and global memory before is then visible to the whole group. All
    work-items of a group must reach the barrier, or none: one inside of a branch that only some of
    them take is refused when the kernel is compiled.

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
    outside_of_a_kernel("barrier")
