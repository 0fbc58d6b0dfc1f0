"""Memory of a work-item, for kernels."""

from collections.abc import Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from situ._native import ndarray
from situ._simulation import current, undefined_array

__all__ = ["array"]


def array(shape: int | Sequence[int], dtype: npt.DTypeLike, fill_zeros: bool = False) -> ndarray:
    """Make an array that only this work-item sees.

    Parameters
    ----------
    shape : int or tuple of int
        Known when the kernel is compiled: literals or global constants.
    dtype : dtype
        What the elements are.
    fill_zeros : bool, default False
        Whether they are 0 at first; undefined otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> import situ
    >>> @situ.kernel
    ... def median_of_three(x, out):
    ...     i = situ.get_global_id(0)
    ...     v = situ.private.array(3, x.dtype)
    ...     for k in range(3):
    ...         v[k] = x[3 * i + k]
    ...     out[i] = max(min(v[0], v[1]), min(max(v[0], v[1]), v[2]))
    >>> x = situ.asarray(np.array([5.0, 1.0, 3.0, 7.0, 9.0, 8.0]))
    >>> out = situ.asarray(np.zeros(2))
    >>> median_of_three[2](x, out)
    >>> out.to_numpy()
    array([3., 8.])
    """
    current("private.array")
    made = np.zeros(shape, dtype) if fill_zeros else undefined_array(shape, dtype)
    return cast("ndarray", made)
