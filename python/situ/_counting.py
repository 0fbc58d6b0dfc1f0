"""Counting: how many elements fall where.

Elements are sorted, and where the limits belong among them says how many lie between.
"""

from collections.abc import Sequence

import numpy as np

from situ import _native
from situ._array_arguments import takes_arrays
from situ._bin_rules import count_bins
from situ._creation import asarray, linspace
from situ._manipulation import concat, reshape
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place
from situ._sorting import searchsorted, sort
from situ.exceptions import DTypeError, ShapeError

__all__ = ["bincount", "digitize", "histogram", "histogram_bin_edges"]

Bins = int | str | Sequence[float] | ndarray


def _between(places: ndarray) -> ndarray:
    return places[1:] - places[:-1]


def _running_sums(weights: ndarray, order: ndarray, count: int) -> ndarray:
    """Return the sums of all weights before each place of the order."""
    if weights.size != count:
        msg = (
            f"there are {weights.size} weights for {count} elements\n"
            "  help: give one weight for each element"
        )
        raise ShapeError(msg)
    flat = reshape(weights, -1)
    dtype = flat.dtype if flat.dtype.kind in "fc" else _native.default_float(device=flat.queue)
    ordered = _native.take(flat, order, 0)
    return _native.accumulate("cumulative_sum", ordered, axis=0, dtype=dtype, include_initial=True)


@takes_arrays
def bincount(
    x: ndarray,
    /,
    weights: ndarray | None = None,
    minlength: int = 0,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Count how often each of the numbers 0, 1, 2 and so on is there.

    How many there are must be known before the result can be made, so this waits for `x`.

    Parameters
    ----------
    x
        An array of one dimension with integers that are not negative.
    weights
        What each element counts. The sums are differences of running sums.
    minlength
        How many numbers to count at least.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The counts, as ``int64``, or the sums of weights.

    Examples
    --------
    >>> import situ
    >>> situ.bincount(situ.asarray([0, 1, 1, 3])).to_numpy()
    array([1, 2, 0, 1])
    """
    if x.ndim != 1:
        msg = f"`bincount` counts in an array of one dimension, not {x.ndim}"
        raise ShapeError(msg)
    if x.dtype.kind not in "biu":
        msg = (
            f"`bincount` is not defined for {x.dtype}\n"
            '  help: it counts integers; convert them, e.g. with `x.astype("int64")`'
        )
        raise DTypeError(msg)
    if minlength < 0:
        msg = f"`minlength` must not be negative, and is {minlength}"
        raise ValueError(msg)
    length = minlength
    if x.size:
        smallest = int(_native.reduce("min", x, queue=queue))
        if smallest < 0:
            msg = (
                f"`bincount` cannot count {smallest}\n"
                "  why:  the result has a place for 0, 1, 2 and so on"
            )
            raise ValueError(msg)
        length = max(length, int(_native.reduce("max", x, queue=queue)) + 1)
    numbers = _native.iota(
        length + 1,
        0,
        1,
        compute="int64",
        dtype="int64",
        device=x.queue,
        usm_type=x.usm_type,
    )
    if weights is None:
        return _between(searchsorted(sort(x, queue=queue), numbers, queue=queue))
    order = _native.argsort(x, axis=0, queue=queue)
    sums = _running_sums(weights, order, x.size)
    places = searchsorted(x, numbers, sorter=order, queue=queue)
    return _between(_native.take(sums, places, 0))


@takes_arrays
def digitize(
    x: ndarray, bins: ndarray, /, right: bool = False, *, queue: Place | None = None
) -> ndarray:
    """Find the bin that each element falls into.

    Parameters
    ----------
    x
        An array of real numbers.
    bins
        The limits, in ascending or descending order. This waits for them, to see which.
    right
        Whether a limit belongs to the bin below it.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        For each element how many limits are below it (above it, if they descend).

    Examples
    --------
    >>> import situ
    >>> bins = situ.asarray([0.0, 1.0, 2.0])
    >>> situ.digitize(situ.asarray([0.5, 1.0, 9.0]), bins).to_numpy()
    array([1, 2, 3])
    """
    if x.dtype.kind == "c":
        msg = (
            f"`digitize` is not defined for {x.dtype}\n"
            "  help: complex numbers have no order; take `abs`, `real` or `imag` first"
        )
        raise DTypeError(msg)
    side = "left" if right else "right"
    if bool(_native.reduce("all", bins[1:] >= bins[:-1])):
        return searchsorted(bins, x, side, queue=queue)
    if bool(_native.reduce("all", bins[1:] <= bins[:-1])):
        # Seen from the other end, a number's equals are on its other side.
        below = searchsorted(bins[::-1], x, side, queue=queue)
        return bins.size - below
    msg = (
        "`digitize` needs limits in ascending or descending order\n"
        "  help: sort them with `situ.sort(bins)`"
    )
    raise ValueError(msg)


@takes_arrays
def histogram_bin_edges(
    x: ndarray,
    /,
    bins: Bins = 10,
    range: tuple[float, float] | None = None,
    weights: ndarray | None = None,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Find the limits that :func:`histogram` would use.

    Parameters
    ----------
    x
        An array of real numbers.
    bins
        How many bins of the same width, or their limits in ascending order; or the rule that
        finds out how many: ``"auto"``, ``"fd"``, ``"doane"``, ``"scott"``, ``"stone"``,
        ``"rice"``, ``"sturges"`` or ``"sqrt"``.
    range
        Where they begin and end; by default at the smallest and the largest element.
    weights
        Accepted for NumPy's sake: rules refuse them, and nothing else looks at them.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The limits, one more than bins.

    Examples
    --------
    >>> import situ
    >>> situ.histogram_bin_edges(situ.asarray([0.0, 4.0]), bins=2).to_numpy()
    array([0., 2., 4.])
    """
    if not isinstance(bins, int | str):
        edges = bins if isinstance(bins, ndarray) else asarray(bins, device=x.queue)
        if edges.ndim != 1:
            msg = f"limits of bins have one dimension, not {edges.ndim}"
            raise ShapeError(msg)
        if not bool(_native.reduce("all", edges[1:] >= edges[:-1])):
            msg = "limits of bins must ascend\n  help: sort them with `situ.sort(bins)`"
            raise ValueError(msg)
        return edges
    if isinstance(bins, int) and bins < 1:
        msg = (
            f"`histogram` got {bins} bins\n"
            "  why:  elements are counted in bins, so there must be some\n"
            "  help: give at least 1"
        )
        raise ValueError(msg)
    if range is not None:
        low, high = range
    elif x.size == 0:
        low, high = 0.0, 1.0
    else:
        low = float(_native.reduce("min", x, queue=queue))
        high = float(_native.reduce("max", x, queue=queue))
    if low > high or not np.isfinite([low, high]).all():
        msg = (
            f"bins cannot go from {low:g} to {high:g}\n"
            "  help: give a `range` of two finite numbers, the smaller one first"
        )
        raise ValueError(msg)
    if low == high:
        low, high = low - 0.5, high + 0.5
    if isinstance(bins, str):
        row = reshape(lend(x, queue), -1)
        bins = count_bins(row, bins, low, high, are_weighted=weights is not None)
    dtype = x.dtype if x.dtype.kind == "f" else None
    return linspace(low, high, bins + 1, dtype=dtype, device=x.queue, usm_type=x.usm_type)


@takes_arrays
def histogram(
    x: ndarray,
    /,
    bins: Bins = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: ndarray | None = None,
    *,
    queue: Place | None = None,
) -> tuple[ndarray, ndarray]:
    """Count how many elements fall between limits.

    Each bin has its lower limit, and the last one its upper limit too.

    Parameters
    ----------
    x
        An array of real numbers, which counts as flat.
    bins
        How many bins of the same width, their limits in ascending order, or a rule, as for
        :func:`histogram_bin_edges`.
    range
        Where they begin and end; by default at the smallest and the largest element.
    density
        Whether to divide by the width of bins and the number of elements in all of them, so that
        the area is one.
    weights
        What each element counts. The sums are differences of running sums.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    counts : ndarray
        How many elements are in each bin, as ``int64``, or what they weigh.
    edges : ndarray
        The limits of the bins.

    Examples
    --------
    >>> import situ
    >>> counts, edges = situ.histogram(situ.asarray([1.0, 2.0, 1.0, 4.0]), bins=3)
    >>> counts.to_numpy(), edges.to_numpy()
    (array([2, 1, 1]), array([1., 2., 3., 4.]))
    """
    flat = reshape(x, -1)
    edges = histogram_bin_edges(flat, bins, range, weights, queue=queue)
    order = None if weights is None else _native.argsort(flat, axis=0, queue=queue)
    row = sort(flat, queue=queue) if order is None else flat
    below = searchsorted(row, edges[:-1], "left", order, queue=queue)
    end = searchsorted(row, edges[-1:], "right", order, queue=queue)
    places = concat([below, end], queue=queue)
    if weights is None or order is None:
        counts = _between(places)
    else:
        sums = _running_sums(weights, order, flat.size)
        counts = _between(_native.take(sums, places, 0))
    if density:
        widths = edges[1:] - edges[:-1]
        counts = counts / widths / _native.reduce("sum", counts)
    return counts, edges
