"""Counting in several dimensions at once."""

import math
from collections.abc import Sequence

import numpy as np

from situ import _native
from situ._array_arguments import takes_arrays
from situ._counting import Bins, bincount, histogram_bin_edges
from situ._manipulation import reshape
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place
from situ._sorting import searchsorted
from situ.exceptions import ShapeError

__all__ = ["histogram2d", "histogramdd"]

Range = Sequence[tuple[float, float] | None]


@takes_arrays
def histogramdd(
    sample: ndarray | Sequence[ndarray],
    /,
    bins: int | Sequence[Bins] = 10,
    range: Range | None = None,
    density: bool | None = None,
    weights: ndarray | None = None,
    *,
    queue: Place | None = None,
) -> tuple[ndarray, tuple[ndarray, ...]]:
    """Count how many points fall into the cells of a grid.

    Parameters
    ----------
    sample
        The points: a row of coordinates for each; or a sequence of an array for each coordinate.
    bins
        How many bins each coordinate has: a number for all, or for each a number or its limits.
    range
        Where the bins of each coordinate begin and end; by default at its least and its greatest.
    density
        Whether to divide by the volume of cells and the number of points in all of them.
    weights
        What each point counts.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    counts : ndarray
        How many points are in each cell, as floats.
    edges : tuple of ndarray
        The limits of the bins, for each coordinate.

    Examples
    --------
    >>> import situ
    >>> points = situ.asarray([[0.0, 0.0], [0.1, 0.9], [1.0, 1.0]])
    >>> situ.histogramdd(points, bins=2)[0].to_numpy()
    array([[1., 1.],
           [0., 1.]])
    """
    weights = lend(weights, queue)
    rows = _coordinates(sample, queue)
    count = len(rows)
    if count == 0:
        msg = (
            "`histogramdd` got points without coordinates\n"
            "  why:  there is an axis of the histogram for each coordinate\n"
            "  help: give at least one, e.g. `points.reshape(-1, 1)`"
        )
        raise ShapeError(msg)
    each_bins: list[Bins] = [bins] * count if isinstance(bins, int) else list(bins)
    each_range = [None] * count if range is None else list(range)
    if len(each_bins) != count or len(each_range) != count:
        msg = (
            f"`histogramdd` got {len(each_bins)} bins and {len(each_range)} ranges for points of "
            f"{count} coordinates\n"
            "  why:  there is one for each coordinate\n"
            f"  help: give {count}, or one number of bins for all"
        )
        raise ValueError(msg)
    edges = [
        histogram_bin_edges(row, own, limits)
        for row, own, limits in zip(rows, each_bins, each_range, strict=True)
    ]
    shape = [edge.size - 1 for edge in edges]
    counts = _counted(rows, edges, weights).reshape(shape)
    if density:
        counts = counts / _native.reduce("sum", counts)
        for axis, edge in enumerate(edges):
            sizes = [-1 if other == axis else 1 for other in _axes(count)]
            counts = counts / (edge[1:] - edge[:-1]).reshape(sizes)
    return counts, tuple(edges)


# `range` is a parameter here, as NumPy has it.
_axes = range


def _coordinates(sample: ndarray | Sequence[ndarray], queue: Place | None) -> list[ndarray]:
    """Return an array for each coordinate of points."""
    if not isinstance(sample, ndarray):
        return [reshape(lend(each, queue), -1) for each in sample]
    points = lend(sample, queue)
    if points.ndim == 1:
        return [points]
    if points.ndim != 2:
        msg = (
            f"`histogramdd` got points in {points.ndim} dimensions\n"
            "  why:  there is a row of coordinates for each point\n"
            "  help: reshape them, e.g. with `points.reshape(-1, 3)`"
        )
        raise ShapeError(msg)
    return [points[:, place] for place in _axes(points.shape[1])]


def _counted(rows: Sequence[ndarray], edges: Sequence[ndarray], weights: ndarray | None) -> ndarray:
    """Return how much there is in each cell, the last coordinate the fastest."""
    cells: ndarray | None = None
    is_inside: ndarray | None = None
    for row, edge in zip(rows, edges, strict=True):
        last = edge.size - 1
        place = searchsorted(edge, row, "right") - 1
        # The last bin has its upper limit, too.
        place = _native.elementwise("where", row == edge[last], last - 1, place)
        inside = (place >= 0) & (place < last) & (row == row)
        cells = place if cells is None else cells * last + place
        is_inside = inside if is_inside is None else is_inside & inside
    assert cells is not None
    assert is_inside is not None
    total = math.prod(edge.size - 1 for edge in edges)
    # What is outside of the grid goes to one more cell, which is left out.
    cells = _native.elementwise("where", is_inside, cells, total)
    counts = bincount(cells, weights, minlength=total + 1)[:total]
    return _native.bring(counts, dtype=_native.default_float(device=counts))


@takes_arrays
def histogram2d(
    x: ndarray,
    y: ndarray,
    /,
    bins: int | Sequence[Bins] | ndarray = 10,
    range: Range | None = None,
    density: bool | None = None,
    weights: ndarray | None = None,
    *,
    queue: Place | None = None,
) -> tuple[ndarray, ndarray, ndarray]:
    """Count how many points of a plane fall into the cells of a grid.

    Parameters
    ----------
    x, y
        The coordinates of the points, in one dimension.
    bins
        How many bins, or their limits: for both coordinates, or a pair.
    range, density, weights, queue
        As for `histogramdd`.

    Returns
    -------
    counts, x_edges, y_edges : ndarray
        How many points are in each cell, and the limits along both coordinates.

    Examples
    --------
    >>> import situ
    >>> x, y = situ.asarray([0.0, 0.1, 1.0]), situ.asarray([0.0, 0.9, 1.0])
    >>> situ.histogram2d(x, y, bins=2)[0].to_numpy()
    array([[1., 1.],
           [0., 1.]])
    """
    if x.shape != y.shape or x.ndim != 1:
        msg = (
            f"`histogram2d` got coordinates of shape {x.shape} and {y.shape}\n"
            "  why:  each point has one of each\n"
            "  help: give two arrays of one dimension and the same size"
        )
        raise ShapeError(msg)
    both: int | Sequence[Bins] = 10
    if isinstance(bins, ndarray):
        both = [bins, bins]
    elif isinstance(bins, int) or len(bins) == 2:
        both = bins
    else:
        limits = [float(np.asarray(each)) for each in bins]
        both = [limits, limits]
    counts, (first, second) = histogramdd([x, y], both, range, density, weights, queue=queue)
    return counts, first, second
