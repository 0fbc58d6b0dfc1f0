"""What kernels run over: `Range`, and `NdRange` with work-groups.

Both are tuples, so that they stand wherever a launch takes plain sizes. Whether a device can run
the work-groups is the launch's to check.
"""

import operator
from typing import SupportsIndex

from situ.exceptions import KernelTypeError, ShapeError

__all__ = ["NdRange", "Range"]


class Range(tuple[int, ...]):
    """How many work-items there are along one to three dimensions; the first is the slowest.

    Parameters
    ----------
    dim0, dim1, dim2 : int
        The sizes. Those that are left out are dimensions that the range does not have.

    Examples
    --------
    >>> import situ
    >>> r = situ.Range(4, 6)
    >>> r.size(), r.ndim, r.get(1)
    (24, 2, 6)
    """

    __slots__ = ()

    def __new__(
        cls,
        dim0: SupportsIndex,
        dim1: SupportsIndex | None = None,
        dim2: SupportsIndex | None = None,
    ) -> "Range":
        """Check the sizes."""
        if dim1 is None and dim2 is not None:
            message = (
                "a range cannot have a third dimension without a second\n"
                "  why:  dimensions are counted from the slowest\n"
                "  help: write `Range(dim0, dim1, dim2)`"
            )
            raise ShapeError(message)
        given = [size for size in (dim0, dim1, dim2) if size is not None]
        return super().__new__(cls, (_size(size) for size in given))

    def __getnewargs__(self) -> tuple[int, ...]:
        """Give back the sizes, for copies and pickles."""
        return tuple(self)

    def __repr__(self) -> str:
        """Write it as it is made."""
        return f"Range({', '.join(map(str, self))})"

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return len(self)

    @property
    def dim0(self) -> int:
        """The size along the first dimension."""
        return self[0]

    @property
    def dim1(self) -> int | None:
        """The size along the second dimension, if there is one."""
        return self[1] if len(self) > 1 else None

    @property
    def dim2(self) -> int | None:
        """The size along the third dimension, if there is one."""
        return self[2] if len(self) > 2 else None

    def get(self, index: int) -> int:
        """Return the size along a dimension."""
        return self[index]

    def size(self) -> int:
        """Return the number of work-items: the product of the sizes."""
        product = 1
        for size in self:
            product *= size
        return product


class NdRange(tuple[Range, Range]):
    """A range that is cut into work-groups.

    Parameters
    ----------
    global_size : Range, int or tuple of int
        How many work-items there are.
    local_size : Range, int or tuple of int
        How many of them are a work-group; divides the global size.

    Examples
    --------
    >>> import situ
    >>> r = situ.NdRange((64, 32), (8, 8))
    >>> r.global_range, r.local_range
    (Range(64, 32), Range(8, 8))
    """

    __slots__ = ()

    def __new__(
        cls,
        global_size: "SupportsIndex | tuple[SupportsIndex, ...]",
        local_size: "SupportsIndex | tuple[SupportsIndex, ...]",
    ) -> "NdRange":
        """Check that the work-groups fit."""
        global_range, local_range = _range(global_size), _range(local_size)
        if len(global_range) != len(local_range):
            message = (
                f"a range of {len(global_range)} dimensions cannot have work-groups of "
                f"{len(local_range)}\n"
                f"  why:  {global_range!r} is cut along each of its dimensions\n"
                f"  help: give both the same number of sizes"
            )
            raise ShapeError(message)
        for dimension, (size, group) in enumerate(zip(global_range, local_range, strict=True)):
            if group == 0 or size % group:
                message = (
                    f"{size} work-items cannot be cut into groups of {group}\n"
                    f"  why:  along dimension {dimension} the local size must divide the global\n"
                    f"  help: choose another local size, or round the global size up and let the "
                    f"kernel skip what is too far"
                )
                raise ShapeError(message)
        return super().__new__(cls, (global_range, local_range))

    def __getnewargs__(self) -> tuple[Range, Range]:
        """Give back the sizes, for copies and pickles."""
        return self[0], self[1]

    def __repr__(self) -> str:
        """Write it as it is made."""
        return f"NdRange({self[0]!r}, {self[1]!r})"

    @property
    def global_range(self) -> Range:
        """How many work-items there are."""
        return self[0]

    @property
    def local_range(self) -> Range:
        """How many work-items a group has."""
        return self[1]

    def get_global_range(self) -> Range:
        """Return how many work-items there are."""
        return self[0]

    def get_local_range(self) -> Range:
        """Return how many work-items a group has."""
        return self[1]


def _range(sizes: "SupportsIndex | tuple[SupportsIndex, ...]") -> Range:
    if isinstance(sizes, Range):
        return sizes
    if isinstance(sizes, (tuple, list)):
        if not 1 <= len(sizes) <= 3:
            message = (
                f"a range cannot have {len(sizes)} dimensions\n"
                f"  why:  kernels run over one to three\n"
                f"  help: fold further dimensions into one of them"
            )
            raise ShapeError(message)
        return Range(*sizes)
    return Range(sizes)


def _size(size: SupportsIndex) -> int:
    try:
        size = operator.index(size)
    except TypeError:
        message = (
            f"a range is made of integers, not of `{type(size).__name__}`\n"
            f"  why:  it counts work-items\n"
            f"  help: write e.g. `Range(n)` or `Range(m, n)`"
        )
        raise KernelTypeError(message) from None
    if size < 0:
        message = (
            f"a range cannot have {size} work-items\n"
            f"  why:  it counts them\n"
            f"  help: choose a size of 0 or more"
        )
        raise ShapeError(message)
    return size
