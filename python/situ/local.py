"""Memory of a work-group, for kernels."""

from collections.abc import Sequence
from typing import cast

import numpy.typing as npt

from situ._native import ndarray
from situ._simulation import current

__all__ = ["array"]


def array(shape: int | Sequence[int], dtype: npt.DTypeLike) -> ndarray:
    """Make an array that the work-items of a group share.

    It is there while the group runs; its elements are undefined at first. A `barrier` makes what
    one work-item wrote visible to the others.

    Parameters
    ----------
    shape : int or tuple of int
        Known when the kernel is compiled: literals or global constants.
    dtype : dtype
        What the elements are.

    Examples
    --------
    >>> import numpy as np
    >>> import situ
    >>> @situ.kernel
    ... def total(x, out):
    ...     tile = situ.local.array(4, situ.float64)
    ...     i = situ.get_local_id(0)
    ...     tile[i] = x[i]
    ...     situ.barrier()
    ...     if i == 0:
    ...         out[0] = tile[0] + tile[1] + tile[2] + tile[3]
    >>> x, out = situ.asarray(np.arange(4.0)), situ.asarray(np.zeros(1))
    >>> total[(4,), (4,)](x, out)
    >>> out.to_numpy()
    array([6.])
    """
    return cast("ndarray", current("local.array").local_array(shape, dtype))
