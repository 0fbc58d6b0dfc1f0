"""Positions and elements one after the other, for code of the host."""

import itertools
from collections.abc import Iterator, Sequence

from situ._array_arguments import expect_array
from situ._native import ndarray

__all__ = ["ndenumerate", "ndindex"]


def ndindex(*shape: int | Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the positions of an array of some shape, the last index the fastest.

    Parameters
    ----------
    *shape
        The sizes, or a tuple of them.

    Yields
    ------
    tuple of int
        A position.

    Examples
    --------
    >>> import situ
    >>> list(situ.ndindex(2, 2))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    sizes: list[int] = []
    for each in shape:
        sizes += [each] if isinstance(each, int) else each
    if any(size < 0 for size in sizes):
        msg = (
            f"{tuple(sizes)} is no shape\n"
            "  why:  sizes are not negative\n"
            "  help: give the shape of an array, `x.shape`"
        )
        raise ValueError(msg)
    yield from itertools.product(*(range(size) for size in sizes))


def ndenumerate(arr: ndarray, /) -> Iterator[tuple[tuple[int, ...], ndarray]]:
    """Yield the positions of an array and its elements, which are views.

    Each element that is used as a number waits for the device: kernels and functions of whole
    arrays are much quicker.

    Parameters
    ----------
    arr
        An array.

    Yields
    ------
    tuple
        A position, and the element there as an array without dimensions.

    Examples
    --------
    >>> import situ
    >>> [(place, int(x)) for place, x in situ.ndenumerate(situ.asarray([[1, 2]]))]
    [((0, 0), 1), ((0, 1), 2)]
    """
    expect_array("ndenumerate", "arr", arr)
    for place in ndindex(arr.shape):
        yield place, arr[place]
