"""Changing shapes: views where memory allows it."""

from collections.abc import Sequence

from situ import _native
from situ._native import ndarray

__all__ = ["permute_dims", "reshape"]


def permute_dims(x: ndarray, /, axes: Sequence[int]) -> ndarray:
    """Reorder dimensions; a view.

    Parameters
    ----------
    x
        An array.
    axes
        Every axis once, in the new order.

    Returns
    -------
    ndarray
        The view.

    Examples
    --------
    >>> import situ
    >>> situ.permute_dims(situ.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    return _native.permute_dims(x, axes)


def reshape(x: ndarray, /, shape: int | Sequence[int]) -> ndarray:
    """Give the same elements another shape; a view if no element has to move.

    Parameters
    ----------
    x
        An array.
    shape
        The new sizes; one of them may be -1, which stands for what is left.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> situ.reshape(situ.zeros((2, 3)), (3, -1)).shape
    (3, 2)
    """
    return x.reshape(shape)
