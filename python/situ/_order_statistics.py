"""Medians and quantiles: elements at places in sorted rows.

Rows are sorted on the device. Where a quantile lies between two elements, a method says how much
each of them counts; the methods are those of NumPy.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from situ import _native
from situ._array_arguments import takes_arrays
from situ._elementwise import ceil, floor, isnan, where
from situ._manipulation import moveaxis, reshape, stack
from situ._native import ndarray
from situ._numbers import round as nearest
from situ._output import Output, stored
from situ._queue_manager import Place
from situ._sorting import sort
from situ.exceptions import DTypeError, ShapeError

__all__ = ["median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]

Axis = int | Sequence[int] | None

# Probabilities are numbers of the host, few of them; arrays of the device are read.
Probabilities = float | Sequence[float] | np.ndarray[Any, Any] | ndarray

# The parameters of Hyndman and Fan for the methods that interpolate.
_PLOTTING = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}

# The methods that choose an element, each by its place among `n` for the probability `q`.
_CHOOSING: dict[str, Callable[[ndarray, float], ndarray]] = {
    "lower": lambda n, q: floor((n - 1) * q),
    "higher": lambda n, q: ceil((n - 1) * q),
    "nearest": lambda n, q: nearest((n - 1) * q),
    "inverted_cdf": lambda n, q: ceil(n * q) - 1,
    "closest_observation": lambda n, q: nearest(n * q) - 1,
}

_METHODS = [*_PLOTTING, *_CHOOSING, "averaged_inverted_cdf", "midpoint"]


def _rows(function: str, x: ndarray, axis: Axis) -> tuple[ndarray, tuple[int, ...]]:
    """Put axes at the end, as one; also return the shape with them of size one."""
    if x.dtype.kind == "c":
        msg = (
            f"`{function}` is not defined for {x.dtype}\n"
            "  help: complex numbers have no order; take `abs`, `real` or `imag` first"
        )
        raise DTypeError(msg)
    if axis is None:
        return reshape(x, -1), (1,) * x.ndim
    axes = [axis] if isinstance(axis, int) else [operator.index(each) for each in axis]
    moved = moveaxis(x, axes, list(range(-len(axes), 0)))
    others = moved.shape[: x.ndim - len(axes)]
    sizes = list(x.shape)
    for each in axes:
        sizes[each] = 1
    length = 1
    for size in moved.shape[x.ndim - len(axes) :]:
        length *= size
    return reshape(moved, (*others, length)), tuple(sizes)


def _as_float(x: ndarray) -> ndarray:
    return x if x.dtype.kind == "f" else x.astype(_native.default_float(device=x.queue))


def _neighbours(n: ndarray, q: float, method: str) -> tuple[ndarray, ndarray | None]:
    """Say where a quantile lies among `n` elements, and how much the next one counts."""
    if method in _CHOOSING:
        return _CHOOSING[method](n, q), None
    if method == "averaged_inverted_cdf":
        place = n * q - 1
        low = floor(place)
        return low, where(place == low, 0.5, 1.0)
    if method == "midpoint":
        place = (n - 1) * q
        low = floor(place)
        return low, where(place == low, 0.0, 0.5)
    alpha, beta = _PLOTTING[method]
    # For the default this is (n - 1) * q, without rounding on the way.
    place = (n - 1) * q if method == "linear" else n * q + (alpha + q * (1 - alpha - beta)) - 1
    low = floor(place)
    return low, place - low


def _quantile(
    rows: ndarray, q: float, method: str, counts: ndarray, is_missing: ndarray | None
) -> ndarray:
    """Find one quantile of sorted rows, of which each has so many elements that count."""
    last = counts - 1
    low, weight = _neighbours(counts, q, method)
    first = where(low < 0, 0.0, where(low > last, last, low))
    position = where(first < 0, 0.0, first).astype("int64")
    found = _native.take_along_axis(rows, position[..., None], -1)[..., 0]
    if weight is not None:
        found = _as_float(found)
        second = where(low < 0, 0.0, where(low + 1 > last, last, low + 1))
        position = where(second < 0, 0.0, second).astype("int64")
        above = _as_float(_native.take_along_axis(rows, position[..., None], -1)[..., 0])
        weight = weight.astype(found.dtype)
        span = above - found
        # From the nearer side, so that rounding never leaves the span; equal elements stay as they
        # are, infinite ones too.
        between = where(weight < 0.5, found + span * weight, above - span * (1 - weight))
        found = where(found == above, found, between)
    if is_missing is not None and rows.dtype.kind == "f":
        found = where(is_missing, float("nan"), found)
    return found


def _counts(function: str, rows: ndarray, skips_nan: bool) -> tuple[ndarray, ndarray | None]:
    """Say how many elements of each row count, and which rows have no quantile."""
    length = rows.shape[-1]
    if length == 0:
        msg = (
            f"`{function}` of no elements has no value\n"
            "  why:  an axis that is reduced has size 0\n"
            "  help: leave such arrays out, or choose another axis"
        )
        raise ShapeError(msg)
    precise = _native.default_float(device=rows.queue)
    whole = _native.full(
        rows.shape[:-1], length, dtype=precise, device=rows.queue, usm_type=rows.usm_type
    )
    if rows.dtype.kind != "f":
        return whole, None
    if not skips_nan:
        return whole, isnan(rows[..., -1])
    missing = _native.reduce("count_nonzero", isnan(rows), axis=-1)
    counts = whole - missing.astype(precise)
    return counts, counts == 0


def _probabilities(function: str, q: Probabilities, top: float) -> np.ndarray[Any, Any]:
    host = np.asarray(q.to_numpy() if isinstance(q, ndarray) else q, dtype="float64")
    if not bool(((host >= 0) & (host <= top)).all()):
        msg = f"`{function}` takes numbers from 0 to {top:g}, not {host}"
        raise ValueError(msg)
    return host / top


def _quantiles(
    function: str,
    x: ndarray,
    q: Probabilities,
    axis: Axis,
    method: str,
    keepdims: bool,
    queue: Place | None,
    *,
    top: float = 1.0,
    skips_nan: bool = False,
) -> ndarray:
    if method not in _METHODS:
        listed = ", ".join(f'"{each}"' for each in _METHODS)
        msg = f"`{function}` has no method `{method}`\n  help: use one of {listed}"
        raise ValueError(msg)
    probabilities = _probabilities(function, q, top)
    rows, kept = _rows(function, x, axis)
    rows = sort(rows, axis=-1, queue=queue)
    counts, is_missing = _counts(function, rows, skips_nan)
    found = [
        _quantile(rows, float(each), method, counts, is_missing)
        for each in probabilities.reshape(-1)
    ]
    shape = kept if keepdims else rows.shape[:-1]
    if probabilities.ndim == 0:
        return reshape(found[0], shape)
    return reshape(stack(found), (*probabilities.shape, *shape))


@takes_arrays
def quantile(
    x: ndarray,
    /,
    q: Probabilities,
    axis: Axis = None,
    out: Output = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Find quantiles: elements below which a share of all elements is.

    Parameters
    ----------
    x
        An array of real numbers.
    q
        The shares, from 0 to 1.
    axis
        The axis or axes to reduce; all of them by default.
    out
        Where the result goes; a new array by default.
    overwrite_input
        Accepted for NumPy's sake: `x` stays as it is.
    method
        What a quantile is that lies between two elements: the methods of NumPy.
    keepdims
        Whether these axes stay, with size one.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The quantiles; the dimensions of `q` come first. NaN for rows with a NaN.

    Examples
    --------
    >>> import situ
    >>> situ.quantile(situ.asarray([4.0, 1.0, 3.0, 2.0]), [0.0, 0.5, 0.75]).to_numpy()
    array([1.  , 2.5 , 3.25])
    """
    found = _quantiles("quantile", x, q, axis, method, keepdims, queue)
    return stored("quantile", found, out)


@takes_arrays
def percentile(
    x: ndarray,
    /,
    q: Probabilities,
    axis: Axis = None,
    out: Output = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Find percentiles: elements below which so many of a hundred are.

    Parameters
    ----------
    x
        An array of real numbers.
    q
        The percentages, from 0 to 100.
    axis
        The axis or axes to reduce; all of them by default.
    out
        Where the result goes; a new array by default.
    overwrite_input
        Accepted for NumPy's sake: `x` stays as it is.
    method
        What a percentile is that lies between two elements: the methods of NumPy.
    keepdims
        Whether these axes stay, with size one.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The percentiles; the dimensions of `q` come first. NaN for rows with a NaN.

    Examples
    --------
    >>> import situ
    >>> float(situ.percentile(situ.asarray([4.0, 1.0, 3.0, 2.0]), 50))
    2.5
    """
    found = _quantiles("percentile", x, q, axis, method, keepdims, queue, top=100.0)
    return stored("percentile", found, out)


@takes_arrays
def nanquantile(
    x: ndarray,
    /,
    q: Probabilities,
    axis: Axis = None,
    out: Output = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Find quantiles of the elements that are not NaN.

    Parameters
    ----------
    x
        An array of real numbers.
    q
        The shares, from 0 to 1.
    axis
        The axis or axes to reduce; all of them by default.
    out
        Where the result goes; a new array by default.
    overwrite_input
        Accepted for NumPy's sake: `x` stays as it is.
    method
        What a quantile is that lies between two elements: the methods of NumPy.
    keepdims
        Whether these axes stay, with size one.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The quantiles; the dimensions of `q` come first. NaN for rows of nothing else.

    Examples
    --------
    >>> import situ
    >>> float(situ.nanquantile(situ.asarray([1.0, float("nan"), 3.0]), 0.5))
    2.0
    """
    found = _quantiles("nanquantile", x, q, axis, method, keepdims, queue, skips_nan=True)
    return stored("nanquantile", found, out)


@takes_arrays
def nanpercentile(
    x: ndarray,
    /,
    q: Probabilities,
    axis: Axis = None,
    out: Output = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Find percentiles of the elements that are not NaN.

    Parameters
    ----------
    x
        An array of real numbers.
    q
        The percentages, from 0 to 100.
    axis
        The axis or axes to reduce; all of them by default.
    out
        Where the result goes; a new array by default.
    overwrite_input
        Accepted for NumPy's sake: `x` stays as it is.
    method
        What a percentile is that lies between two elements: the methods of NumPy.
    keepdims
        Whether these axes stay, with size one.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The percentiles; the dimensions of `q` come first. NaN for rows of nothing else.

    Examples
    --------
    >>> import situ
    >>> float(situ.nanpercentile(situ.asarray([1.0, float("nan"), 3.0]), 100))
    3.0
    """
    found = _quantiles(
        "nanpercentile", x, q, axis, method, keepdims, queue, top=100.0, skips_nan=True
    )
    return stored("nanpercentile", found, out)


@takes_arrays
def median(
    x: ndarray,
    /,
    axis: Axis = None,
    out: Output = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Find the middle of sorted elements; halfway between the middle two if their number is even.

    Parameters
    ----------
    x
        An array of real numbers.
    axis
        The axis or axes to reduce; all of them by default.
    out
        Where the result goes; a new array by default.
    overwrite_input
        Accepted for NumPy's sake: `x` stays as it is.
    keepdims
        Whether these axes stay, with size one.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The medians. NaN for rows with a NaN.

    Examples
    --------
    >>> import situ
    >>> situ.median(situ.asarray([[3, 1, 2], [6, 9, 8]]), axis=1).to_numpy()
    array([2., 8.])
    """
    found = _quantiles("median", x, 0.5, axis, "linear", keepdims, queue)
    return stored("median", found, out)


@takes_arrays
def nanmedian(
    x: ndarray,
    /,
    axis: Axis = None,
    out: Output = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Find the median of the elements that are not NaN.

    Parameters
    ----------
    x
        An array of real numbers.
    axis
        The axis or axes to reduce; all of them by default.
    out
        Where the result goes; a new array by default.
    overwrite_input
        Accepted for NumPy's sake: `x` stays as it is.
    keepdims
        Whether these axes stay, with size one.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The medians. NaN for rows of nothing else.

    Examples
    --------
    >>> import situ
    >>> float(situ.nanmedian(situ.asarray([1.0, float("nan"), 3.0, 7.0])))
    3.0
    """
    found = _quantiles("nanmedian", x, 0.5, axis, "linear", keepdims, queue, skips_nan=True)
    return stored("nanmedian", found, out)
