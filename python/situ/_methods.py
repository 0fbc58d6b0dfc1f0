"""Methods of arrays that are not functions of the namespace, or take other arguments there.

``_array_methods.py`` attaches them.
"""

import os
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Literal, cast

from situ import _elementwise, _linear_algebra, _manipulation, _native, _sorting, _statistical
from situ._native import ndarray
from situ._queue_manager import Place, innermost

__all__ = [
    "contains",
    "copy_to",
    "dot",
    "fill",
    "flatten",
    "format_array",
    "item",
    "iterate",
    "reshape",
    "searchsorted",
    "sort",
    "tobytes",
    "tofile",
    "tolist",
    "transpose",
]


def reshape(x: ndarray, /, *shape: int | Sequence[int], copy: bool | None = None) -> ndarray:
    """Give the same elements another shape, as `situ.reshape`; sizes may also come one by one."""
    return _manipulation.reshape(x, _one_by_one(shape), copy=copy)


def transpose(x: ndarray, /, *axes: int | Sequence[int] | None) -> ndarray:
    """Reorder dimensions, as `situ.permute_dims`; turned round if no order is given. A view."""
    if not axes or axes == (None,):
        return x.T
    return _manipulation.permute_dims(x, _one_by_one(cast("tuple[int | Sequence[int]]", axes)))


def flatten(x: ndarray, /) -> ndarray:
    """Return a copy of all elements in one dimension."""
    return _manipulation.reshape(x, (-1,), copy=True)


def copy_to(x: ndarray, selector: Place | None = None, /) -> ndarray:
    """Return a copy on a queue.

    Parameters
    ----------
    x
        An array.
    selector
        Where to: a filter string, device, queue or array. Left out, the queue of the innermost
        block ``with ....current(...):``, be it situ's or another package's; outside of all blocks
        the current default.

    Returns
    -------
    ndarray
        The copy; it is one also if the memory is accessible from there.
    """
    place = innermost() if selector is None else selector
    return _native.bring(x, device=place, copy=True)


def fill(x: ndarray, value: complex | ndarray, /) -> None:
    """Assign one number to all elements."""
    x[...] = value


def sort(x: ndarray, /, axis: int = -1, kind: str | None = None) -> None:
    """Put elements in order, in place; `situ.sort` makes a new array."""
    x[...] = _sorting.sort(x, axis, kind)


def searchsorted(
    x: ndarray,
    values: ndarray | complex,
    /,
    side: Literal["left", "right"] = "left",
    sorter: ndarray | None = None,
) -> ndarray:
    """Find where numbers must go for this array to stay sorted, as `situ.searchsorted`."""
    return _sorting.searchsorted(x, values, side, sorter)


def dot(x: ndarray, other: ndarray, /) -> ndarray:
    """Multiply as NumPy's ``dot`` does, as `situ.dot`; ``x @ other`` multiplies matrices."""
    return _linear_algebra.dot(x, other)


def item(x: ndarray, /, *index: int | tuple[int, ...]) -> bool | int | float | complex:
    """Return an element as a number of Python's; this waits for the work that makes it.

    Parameters
    ----------
    x
        An array.
    *index
        Which element: a position among all of them, or one in each dimension. It may be left out if
        there is only one.

    Returns
    -------
    bool, int, float or complex
        The number.
    """
    if not index:
        if x.size != 1:
            msg = (
                f"only an array of one element can become a number; this one has shape {x.shape}\n"
                "  help: say which element, e.g. `x.item(0)`, or take all with `x.tolist()`"
            )
            raise ValueError(msg)
        return x._item()  # pyright: ignore[reportPrivateUsage]
    flat = index[0] if len(index) == 1 else index
    place = flat if isinstance(flat, tuple) else _position(x, flat)
    if len(place) != x.ndim:
        msg = f"{len(place)} indices were given for an array of {x.ndim} dimensions"
        raise ValueError(msg)
    return x[cast("tuple[int, ...]", place)]._item()  # pyright: ignore[reportPrivateUsage]


def tolist(x: ndarray, /) -> Any:  # noqa: ANN401 - lists of lists, as deep as dimensions
    """Return nested lists of Python's numbers; of a 0-d array the number."""
    return x.to_numpy().tolist()


def tobytes(x: ndarray, /) -> bytes:
    """Return the bytes of all elements, in C order."""
    return x.to_numpy().tobytes()


def tofile(x: ndarray, file: "str | os.PathLike[str] | BinaryIO", /) -> None:
    """Write the bytes of all elements to a file, in C order, and nothing else."""
    x.to_numpy().tofile(file)


def iterate(x: ndarray, /) -> Iterator[ndarray]:
    """Yield views along the first dimension."""
    if x.ndim == 0:
        msg = "a 0-d array cannot be iterated over\n  help: `x.item()` is its number"
        raise TypeError(msg)
    return (x[index] for index in range(x.shape[0]))


def contains(x: ndarray, value: complex | ndarray, /) -> bool:
    """Return whether any element equals a number."""
    return bool(_statistical.any(_elementwise.equal(x, value)))


def format_array(x: ndarray, specification: str, /) -> str:
    """Return a number in a format, or the text of an array."""
    if x.ndim == 0:
        return format(item(x), specification)
    if specification:
        msg = (
            f"the format {specification!r} is for numbers, and this array has shape {x.shape}\n"
            "  help: format its elements, or use `str(x)` with `numpy.printoptions`"
        )
        raise TypeError(msg)
    return str(x)


def _one_by_one(sizes: tuple[int | Sequence[int], ...]) -> Sequence[int]:
    """Return numbers that were given one by one, or as one sequence."""
    only = sizes[0] if len(sizes) == 1 else sizes
    if isinstance(only, int) or hasattr(only, "__index__"):
        return (cast("int", only),)
    return cast("Sequence[int]", only)


def _position(x: ndarray, flat: int) -> tuple[int, ...]:
    """Return where an element is, from its position among all of them."""
    if not -x.size <= flat < x.size:
        msg = f"index {flat} is out of bounds for an array of {x.size} elements"
        raise IndexError(msg)
    rest, place = flat % x.size, list[int]()
    for size in reversed(x.shape):
        rest, index = divmod(rest, size)
        place.append(index)
    return tuple(reversed(place))
