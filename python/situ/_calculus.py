"""Functions that are known at points: between them, their slopes and the area below them."""

from collections.abc import Sequence

from situ import _native
from situ._native import ndarray
from situ._queue_manager import Place
from situ.exceptions import ShapeError

__all__ = ["gradient", "trapezoid"]


def trapezoid(
    y: ndarray,
    /,
    x: ndarray | None = None,
    dx: float = 1.0,
    axis: int = -1,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Integrate along an axis, taking the function for straight between points.

    Parameters
    ----------
    y
        The values of the function.
    x
        Where they are; at even distances by default.
    dx
        The distance, if `x` is not given.
    axis
        The axis.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The areas.

    Examples
    --------
    >>> import situ
    >>> float(situ.trapezoid(situ.asarray([1.0, 2.0, 3.0])))
    4.0
    """
    y = _native.moveaxis(y, axis, -1)
    if x is not None and x.ndim > 1:
        x = _native.moveaxis(x, axis, -1)
    total = _native.elementwise("add", y[..., 1:], y[..., :-1], queue=queue)
    width = dx if x is None else _native.elementwise("subtract", x[..., 1:], x[..., :-1])
    areas = _native.elementwise("divide", _native.elementwise("multiply", total, width), 2.0)
    return _native.reduce("sum", areas, axis=-1, queue=queue)


def gradient(
    f: ndarray,
    /,
    *spacing: float | ndarray,
    axis: int | Sequence[int] | None = None,
    edge_order: int = 1,
) -> ndarray | tuple[ndarray, ...]:
    """Estimate slopes by differences: of both neighbours, and of one at the ends.

    Parameters
    ----------
    f
        The values of a function.
    *spacing
        The distance of points for all axes or for each axis; or an array of where they are.
    axis
        Along which axes; all of them by default.
    edge_order
        How well the ends are estimated: 1 from two points, 2 from three.

    Returns
    -------
    ndarray or tuple of ndarray
        The slopes; for each axis if there are several.

    Examples
    --------
    >>> import situ
    >>> situ.gradient(situ.asarray([1.0, 2.0, 4.0, 7.0])).to_numpy()
    array([1. , 1.5, 2.5, 3. ])
    """
    named = range(f.ndim) if axis is None else axis
    axes = [named] if isinstance(named, int) else list(named)
    if len(spacing) not in {0, 1, len(axes)}:
        msg = (
            f"`gradient` got {len(spacing)} distances for {len(axes)} axes\n"
            "  why:  there is one for all axes, or one for each\n"
            "  help: give one number, or as many as there are axes"
        )
        raise TypeError(msg)
    if edge_order not in {1, 2}:
        msg = f"`gradient` has the edge orders 1 and 2, not {edge_order}"
        raise ValueError(msg)
    distances = list(spacing) or [1.0]
    if len(distances) == 1:
        distances *= len(axes)
    if f.dtype.kind not in "fc":
        f = _native.bring(f, dtype=_native.default_float(device=f.queue))
    slopes = [
        _slope(f, distance, each, edge_order)
        for each, distance in zip(axes, distances, strict=True)
    ]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def _slope(f: ndarray, distance: float | ndarray, axis: int, edge_order: int) -> ndarray:
    """Return the slopes along one axis."""
    y = _native.moveaxis(f, axis, -1)
    size = y.shape[-1]
    if size < edge_order + 1:
        msg = (
            f"`gradient` along an axis of size {size}\n"
            f"  why:  the slopes at its ends need {edge_order + 1} points\n"
            "  help: leave the axis out with `axis=`"
        )
        raise ShapeError(msg)
    result = _native.empty(list(y.shape), dtype=f.dtype, device=f.queue, usm_type=f.usm_type)
    if isinstance(distance, ndarray) and distance.ndim > 0:
        if distance.shape != (size,):
            msg = (
                f"`gradient` got places of shape {distance.shape} for an axis of size {size}\n"
                "  why:  there is a place for each point\n"
                f"  help: give an array of shape ({size},)"
            )
            raise ShapeError(msg)
        h = distance[1:] - distance[:-1]
        left, right = h[:-1], h[1:]
        result[..., 1:-1] = (
            y[..., :-2] * (-right / (left * (left + right)))
            + y[..., 1:-1] * ((right - left) / (left * right))
            + y[..., 2:] * (left / (right * (left + right)))
        )
        first, last = h[0], h[-1]
        second, before_last = h[min(1, size - 2)], h[max(-2, 1 - size)]
    else:
        result[..., 1:-1] = (y[..., 2:] - y[..., :-2]) / (distance * 2.0)
        first = last = second = before_last = distance
    if edge_order == 1:
        result[..., 0] = (y[..., 1] - y[..., 0]) / first
        result[..., -1] = (y[..., -1] - y[..., -2]) / last
    else:
        result[..., 0] = (
            y[..., 0] * (-(first * 2.0 + second) / (first * (first + second)))
            + y[..., 1] * ((first + second) / (first * second))
            + y[..., 2] * (-first / (second * (first + second)))
        )
        result[..., -1] = (
            y[..., -3] * (last / (before_last * (before_last + last)))
            + y[..., -2] * (-(last + before_last) / (before_last * last))
            + y[..., -1] * ((last * 2.0 + before_last) / (last * (last + before_last)))
        )
    return _native.moveaxis(result, -1, axis)
