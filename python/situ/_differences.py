"""Differences between neighbours."""

import operator

from situ import _native
from situ._creation import full
from situ._native import ndarray
from situ._queue_manager import Place
from situ.exceptions import ShapeError

__all__ = ["diff"]


def diff(
    x: ndarray,
    /,
    n: int = 1,
    axis: int = -1,
    prepend: ndarray | complex | None = None,
    append: ndarray | complex | None = None,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Subtract from each element along an axis the one before it.

    Parameters
    ----------
    x
        An array of at least one dimension.
    n
        How often differences are taken.
    axis
        The axis.
    prepend
        What comes before the first element: an array of the other dimensions' sizes, or a number.
    append
        What comes after the last element, likewise.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The differences, which are `n` less than the elements; for bools, whether they differ.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([1, 4, 9, 16])
    >>> situ.diff(x).to_numpy()
    array([3, 5, 7])
    >>> situ.diff(x, n=2, prepend=0).to_numpy()
    array([2, 2, 2])
    """
    n = operator.index(n)
    if n < 0:
        msg = f"`diff` cannot be taken {n} times\n  help: `n` is zero or more"
        raise ValueError(msg)
    if x.ndim == 0:
        msg = (
            "`diff` needs an array of at least one dimension\n"
            "  help: add a dimension, e.g. with `x[None]`"
        )
        raise ShapeError(msg)
    if n == 0:
        return x
    return _native.diff(
        x,
        axis=axis,
        n=n,
        prepend=_spread(x, prepend, axis),
        append=_spread(x, append, axis),
        queue=queue,
    )


def _spread(x: ndarray, part: ndarray | complex | None, axis: int) -> ndarray | None:
    """Give a number a place for each row."""
    if part is None or (isinstance(part, ndarray) and part.ndim > 0):
        return part
    if not isinstance(part, ndarray):
        part = full((), part, dtype=x.dtype, device=x.queue, usm_type=x.usm_type)
    sizes = list(x.shape)
    sizes[operator.index(axis)] = 1
    return _native.broadcast_to(part, sizes)
