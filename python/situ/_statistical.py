"""Reductions over axes."""

import numpy.typing as npt

from situ._native import ndarray
from situ._queue_manager import Place

__all__ = ["sum"]


def sum(
    x: ndarray,
    /,
    *,
    axis: int | tuple[int, ...] | None = None,
    dtype: npt.DTypeLike | None = None,
    keepdims: bool = False,
    queue: Place | None = None,
) -> ndarray:
    """Add up elements.

    The answer is the same for any number of threads, and rounding errors grow with the logarithm of
    the number of elements.

    Parameters
    ----------
    x
        An array.
    axis
        The axis or axes to add up along; all of them by default.
    dtype
        Element type of the result; by default 64 bits for integers and bools, else that of `x`.
    keepdims
        Whether axes that were added up stay, with size one.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The sums; a 0-d array if everything was added up.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([[1, 2], [3, 4]])
    >>> situ.sum(x, axis=0).to_numpy()
    array([4, 6])
    >>> int(situ.sum(x))
    10
    """
    return x.sum(axis, dtype=dtype, keepdims=keepdims, queue=queue)
