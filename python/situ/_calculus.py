"""Functions that are known at points: between them, their slopes and the area below them."""

from collections.abc import Sequence

from situ import _native
from situ._array_arguments import takes_arrays
from situ._dtypes import result_type
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place
from situ._sorting import searchsorted
from situ.exceptions import ShapeError

__all__ = ["gradient", "interp", "trapezoid"]


@takes_arrays
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


@takes_arrays
def gradient(
    f: ndarray,
    /,
    *spacing: float | ndarray,
    axis: int | Sequence[int] | None = None,
    edge_order: int = 1,
    queue: Place | None = None,
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
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

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
    if queue is not None:
        f = lend(f, queue)
        spacing = tuple(lend(x, queue) for x in spacing)
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
    usm_type = _native.placement_of(f, distance).usm_type
    result = _native.empty(list(y.shape), dtype=f.dtype, device=f.queue, usm_type=usm_type)
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


@takes_arrays
def interp(
    x: ndarray,
    xp: ndarray,
    fp: ndarray,
    /,
    left: complex | None = None,
    right: complex | None = None,
    period: float | None = None,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Evaluate a function that is straight between points.

    Parameters
    ----------
    x
        Where.
    xp
        Where the points are, in ascending order.
    fp
        The values there.
    left, right
        The values outside of the points; those at the ends by default.
    period
        After which the function repeats, if it does: points may be in any order then, and nothing
        is outside.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The values, as ``float64`` or ``complex128``.

    Examples
    --------
    >>> import situ
    >>> xp, fp = situ.asarray([1.0, 2.0, 3.0]), situ.asarray([3.0, 2.0, 0.0])
    >>> situ.interp(situ.asarray([0.0, 1.5, 2.5]), xp, fp).to_numpy()
    array([3. , 2.5, 1. ])
    """
    if xp.ndim != 1 or xp.shape != fp.shape or xp.size == 0:
        msg = (
            f"`interp` got points of shape {xp.shape} and values of shape {fp.shape}\n"
            "  why:  there is a value for each point, and at least one point\n"
            "  help: give two arrays of one dimension and the same size"
        )
        raise ShapeError(msg)
    real = _native.default_float(device=x.queue)
    if period is not None:
        x, xp, fp = _within_period(x, xp, fp, float(period))
        left = right = None
    x, xp = (_native.bring(each, dtype=real) for each in (x, xp))
    fp = _native.bring(fp, dtype=result_type(fp.dtype, real))
    last = xp.size - 1
    first = fp[0] if left is None else left
    final = fp[last] if right is None else right
    if last == 0:
        result = _native.broadcast_to(fp[0], x.shape)
    else:
        slopes = (fp[1:] - fp[:-1]) / (xp[1:] - xp[:-1])
        place = _native.elementwise("clip", searchsorted(xp, x, side="right") - 1, 0, last - 1)
        slope, base, value = (
            _native.take(each, place.reshape(-1), 0).reshape(x.shape)
            for each in (slopes, xp[:-1], fp[:-1])
        )
        result = slope * (x - base) + value
        # The last point itself belongs to no interval, and has its value whatever rounding does.
        result = _native.elementwise("where", x == xp[last], fp[last], result, queue=queue)
    result = _native.elementwise("where", x < xp[0], first, result, queue=queue)
    result = _native.elementwise("where", x > xp[last], final, result, queue=queue)
    return _native.elementwise("where", x == x, result, x, queue=queue)


def _within_period(
    x: ndarray, xp: ndarray, fp: ndarray, period: float
) -> tuple[ndarray, ndarray, ndarray]:
    """Return places and points in one period, with a point before it and one after it."""
    if period == 0:
        msg = (
            "`interp` got the period 0\n"
            "  why:  the function repeats after a period\n"
            "  help: leave it out, or give e.g. `360`"
        )
        raise ValueError(msg)
    period = abs(period)
    x, xp = (_native.elementwise("remainder", each, period) for each in (x, xp))
    order = _native.argsort(xp, axis=0)
    xp, fp = (_native.take(each, order, 0) for each in (xp, fp))
    xp = _native.concat([xp[-1:] - period, xp, xp[:1] + period], 0)
    return x, xp, _native.concat([fp[-1:], fp, fp[:1]], 0)
