"""Objects that are indexed and not called: grids from slices, and arrays joined by commas.

``situ.mgrid[0:3, 0:2]`` and its like make arrays; calling one with a place, ``situ.mgrid(
queue=queue)``, gives one that makes them there.
"""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from situ import _native
from situ._creation import arange, asarray, linspace
from situ._dtypes import result_type
from situ._native import ndarray
from situ._queue_manager import Place
from situ._stacking import column_stack
from situ.exceptions import ShapeError

__all__ = ["Grid", "IndexExpression", "Joiner", "c_", "index_exp", "mgrid", "ogrid", "r_", "s_"]


class _Placed:
    """Something that makes arrays at a place: the current default, unless one was named."""

    def __init__(
        self,
        *,
        device: Place | None = None,
        queue: Place | None = None,
        usm_type: str | None = None,
    ) -> None:
        self._place: dict[str, Any] = {"device": device, "queue": queue, "usm_type": usm_type}

    def _numbers(self, part: slice) -> ndarray:
        """Return the numbers of a slice; an imaginary step says how many, with both ends."""
        start = 0 if part.start is None else part.start
        step = 1 if part.step is None else part.step
        if part.stop is None:
            msg = (
                f"{_spelled(part)} has no end\n"
                "  why:  the numbers up to there become an array\n"
                "  help: write the end, e.g. `0:5`"
            )
            raise ValueError(msg)
        if isinstance(step, complex):
            return linspace(start, part.stop, int(abs(step)), **self._place)
        return arange(start, part.stop, step, **self._place)


def _spelled(part: slice) -> str:
    ends = ["" if each is None else str(each) for each in (part.start, part.stop)]
    return f"`{':'.join(ends)}`" if part.step is None else f"`{':'.join(ends)}:{part.step}`"


class Grid(_Placed):
    """Grids of numbers from slices, one for each axis.

    Parameters
    ----------
    sparse : bool
        Whether each array has one axis longer than 1, to broadcast with the others.
    device, queue, usm_type
        Where, as for `asarray`.
    """

    def __init__(self, *, sparse: bool, **place: Any) -> None:  # noqa: ANN401 - as the base class
        super().__init__(**place)
        self._sparse = sparse

    def __call__(
        self,
        *,
        device: Place | None = None,
        queue: Place | None = None,
        usm_type: str | None = None,
    ) -> "Grid":
        """Return such an object that makes arrays at another place."""
        return Grid(sparse=self._sparse, device=device, queue=queue, usm_type=usm_type)

    def __getitem__(self, key: slice | tuple[slice, ...]) -> ndarray | tuple[ndarray, ...]:
        """Return the grids of slices; for one slice, its numbers."""
        if isinstance(key, slice):
            return self._numbers(key)
        rows = [self._numbers(each) for each in key]
        dtype = np.dtype(result_type(*rows))
        rows = [_native.bring(row, dtype=dtype) for row in rows]
        shaped = [
            row.reshape([-1 if other == axis else 1 for other in range(len(rows))])
            for axis, row in enumerate(rows)
        ]
        if self._sparse:
            return tuple(shaped)
        shape = [row.size for row in rows]
        return _native.stack([_native.broadcast_to(each, shape) for each in shaped], 0)


class Joiner(_Placed):
    """Arrays and slices that are joined: along the first axis, or as columns.

    Parameters
    ----------
    columns : bool
        Whether rows become columns, which are joined along the last axis.
    device, queue, usm_type
        Where slices and numbers go if no array is among the items, as for `asarray`.
    """

    def __init__(self, *, columns: bool, **place: Any) -> None:  # noqa: ANN401 - as the base class
        super().__init__(**place)
        self._columns = columns

    def __call__(
        self,
        *,
        device: Place | None = None,
        queue: Place | None = None,
        usm_type: str | None = None,
    ) -> "Joiner":
        """Return such an object that makes arrays at another place."""
        return Joiner(columns=self._columns, device=device, queue=queue, usm_type=usm_type)

    def __getitem__(self, key: object) -> ndarray:
        """Return the items joined: arrays, numbers, lists of numbers and slices."""
        items = [*cast("tuple[Any, ...]", key)] if isinstance(key, tuple) else [cast("Any", key)]
        directive = items[0] if items and isinstance(items[0], str) else None
        if directive is not None:
            items = items[1:]
        axis = self._axis(directive)
        arrays = [each for each in items if isinstance(each, ndarray)]
        maker = self
        if arrays:
            placement = _native.placement_of(*arrays)
            maker = self(queue=placement.queue, usm_type=placement.usm_type)
        parts = [maker._item(each) for each in items]
        return column_stack(parts) if self._columns else self._joined(parts, axis)

    def _axis(self, directive: str | None) -> int:
        if directive is None:
            return 0
        if self._columns or not directive.lstrip("-").isdecimal():
            msg = (
                f"{directive!r} says nothing here\n"
                '  why:  a text may be first in `r_`, and is the axis to join along, e.g. "1"\n'
                "  help: use `situ.stack`, `situ.concat` or `situ.block` for more"
            )
            raise ValueError(msg)
        return int(directive)

    def _item(self, item: object) -> ndarray:
        if isinstance(item, slice):
            return self._numbers(cast("Any", item))
        found = item if isinstance(item, ndarray) else asarray(item, **self._place)
        return found.reshape(1) if found.ndim == 0 else found

    @staticmethod
    def _joined(parts: Sequence[ndarray], axis: int) -> ndarray:
        if len({part.ndim for part in parts}) > 1:
            most = max(part.ndim for part in parts)
            parts = [part.reshape((*[1] * (most - part.ndim), *part.shape)) for part in parts]
        if not parts:
            msg = (
                "there is nothing to join\n"
                "  why:  the brackets are empty\n"
                "  help: write arrays, numbers or slices, e.g. `situ.r_[0:3, 9]`"
            )
            raise ShapeError(msg)
        return _native.concat(list(parts), axis)


class IndexExpression:
    """What stands between square brackets, as an object.

    Parameters
    ----------
    as_tuple : bool
        Whether it is always a tuple.
    """

    def __init__(self, *, as_tuple: bool) -> None:
        self._as_tuple = as_tuple

    def __getitem__(self, key: object) -> object:
        """Return the index."""
        return (key,) if self._as_tuple and not isinstance(key, tuple) else cast("object", key)


mgrid = Grid(sparse=False)
ogrid = Grid(sparse=True)
r_ = Joiner(columns=False)
c_ = Joiner(columns=True)
s_ = IndexExpression(as_tuple=False)
index_exp = IndexExpression(as_tuple=True)
