"""Axes that users name."""

from collections.abc import Sequence

import numpy as np

from situ.exceptions import ShapeError


def counted_axes(axes: Sequence[int], ndim: int) -> tuple[int, ...]:
    """Count axes from the first one; each may be named once.

    Parameters
    ----------
    axes
        The axes; negative ones count from the last.
    ndim
        How many dimensions the array has.

    Returns
    -------
    tuple of int
        The axes in the same order, from 0 on.

    Raises
    ------
    AxisError
        There is no such axis.
    ShapeError
        An axis is named twice.
    """
    counted: list[int] = []
    for axis in axes:
        if not -ndim <= axis < ndim:
            dimensions = "1 dimension" if ndim == 1 else f"{ndim} dimensions"
            axes_there = f"its axes are {-ndim} to {ndim - 1}" if ndim else "it has no axes"
            msg = (
                f"axis {axis} is out of bounds for an array of {dimensions}\n"
                f"  why:  {axes_there}\n"
                "  help: check `x.shape`; negative axes count from the last one"
            )
            raise np.exceptions.AxisError(msg)
        if axis % ndim in counted:
            msg = (
                f"axis {axis % ndim} is named twice\n"
                "  why:  each axis is used once; negative ones count from the last\n"
                "  help: leave one of them out"
            )
            raise ShapeError(msg)
        counted.append(axis % ndim)
    return tuple(counted)
