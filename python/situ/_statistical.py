"""Reductions over axes.

The answer is the same for any number of threads. Floats are combined in the next wider dtype where
the device has it, and otherwise so that rounding errors grow with the logarithm of their number.

Functions take their arguments as the array API has them and as NumPy has them. A mask puts what
changes nothing in the place of elements that do not count.
"""

from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from situ import _native
from situ._array_arguments import set_name, takes_arrays
from situ._complex_extremes import take_complex_extreme
from situ._dtypes import DType
from situ._native import ndarray
from situ._output import Output, chosen, stored
from situ._placement import lend
from situ._queue_manager import Place

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "average",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "max",
    "mean",
    "min",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]

Axis = int | tuple[int, ...] | None
Mask = ndarray | bool

# What results have by default.
_WIDENED = "64 bits for integers and bools, else that of `x`"

# What changes nothing, and what joins a start to the result.
_NEUTRAL = {"all": True, "any": False, "sum": 0, "nansum": 0, "prod": 1, "nanprod": 1}
_JOIN = {
    "sum": "add",
    "nansum": "add",
    "prod": "multiply",
    "nanprod": "multiply",
    "max": "maximum",
    "min": "minimum",
}


class Truth(Protocol):
    """A reduction to a bool."""

    def __call__(
        self,
        x: ndarray,
        /,
        axis: Axis = None,
        out: Output = None,
        keepdims: bool = False,
        *,
        where: Mask = True,
        queue: Place | None = None,
    ) -> ndarray:
        """Reduce along axes."""
        ...


class Extreme(Protocol):
    """A reduction to one of the elements."""

    def __call__(
        self,
        x: ndarray,
        /,
        axis: Axis = None,
        out: Output = None,
        keepdims: bool = False,
        initial: complex | None = None,
        where: Mask = True,
        *,
        queue: Place | None = None,
    ) -> ndarray:
        """Reduce along axes."""
        ...


class Total(Protocol):
    """A reduction whose result may have another dtype, and a start."""

    def __call__(
        self,
        x: ndarray,
        /,
        axis: Axis = None,
        dtype: npt.DTypeLike | None = None,
        out: Output = None,
        keepdims: bool = False,
        initial: complex | None = None,
        where: Mask = True,
        *,
        queue: Place | None = None,
    ) -> ndarray:
        """Reduce along axes."""
        ...


class Mean(Protocol):
    """A reduction to a number in the middle."""

    def __call__(
        self,
        x: ndarray,
        /,
        axis: Axis = None,
        dtype: npt.DTypeLike | None = None,
        out: Output = None,
        keepdims: bool = False,
        *,
        where: Mask = True,
        queue: Place | None = None,
    ) -> ndarray:
        """Reduce along axes."""
        ...


class Spread(Protocol):
    """A reduction to a measure of how far elements are from their mean."""

    def __call__(
        self,
        x: ndarray,
        /,
        axis: Axis = None,
        dtype: npt.DTypeLike | None = None,
        out: Output = None,
        ddof: float = 0.0,
        keepdims: bool = False,
        *,
        where: Mask = True,
        correction: float | None = None,
        queue: Place | None = None,
    ) -> ndarray:
        """Reduce along axes."""
        ...


def _documentation(summary: str, more: str, example: str, result: str) -> str:
    return f"""{summary}

    Parameters
    ----------
    x
        An array.
    axis
        The axis or axes to reduce; all of them by default.
    {more}out
        Where the result goes; a new array by default.
    keepdims
        Whether these axes stay, with size one.
    where
        Which elements count: an array of bools that broadcasts to the shape of `x`.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The results; a 0-d array if there are no other axes.

    Examples
    --------
    >>> import situ
    >>> {example}
    {result}
    """


_INITIAL = """initial
        What the result starts from, as if it were one more element.
    """


def _element_type(default: str) -> str:
    return f"""dtype
        Element type of the result; by default {default}.
    """


def _masked(x: ndarray, where: Mask, neutral: complex, queue: Place | None) -> ndarray:
    """Return the array with what changes nothing where the mask does not hold."""
    if where is True:
        return x
    return _native.elementwise("where", where, x, neutral, queue=queue)


def _joined(name: str, result: ndarray, initial: complex | None) -> ndarray:
    """Return the result with what it starts from, which is converted to its dtype."""
    if initial is None:
        return result
    return _native.elementwise(_JOIN[name], result, initial, dtype=result.dtype, casting="unsafe")


def _truth(name: str, summary: str, example: str, result: str) -> Truth:
    @takes_arrays
    def function(
        x: ndarray,
        /,
        axis: Axis = None,
        out: Output = None,
        keepdims: bool = False,
        *,
        where: Mask = True,
        queue: Place | None = None,
    ) -> ndarray:
        if where is True and axis is out is queue is None and not keepdims:
            return _native.reduce(name, x)
        counted = _masked(x, where, _NEUTRAL[name], queue)
        found = _native.reduce(name, counted, axis=axis, keepdims=keepdims, queue=queue)
        return stored(name, found, out)

    set_name(function, name)
    function.__doc__ = _documentation(summary, "", example, result)
    return function


def _extreme(name: Literal["max", "min"], summary: str, example: str, result: str) -> Extreme:
    @takes_arrays
    def function(
        x: ndarray,
        /,
        axis: Axis = None,
        out: Output = None,
        keepdims: bool = False,
        initial: complex | None = None,
        where: Mask = True,
        *,
        queue: Place | None = None,
    ) -> ndarray:
        if initial is None:
            if where is not True:
                msg = (
                    f"`{name}` of elements that a mask chooses needs a start\n"
                    "  why:  the mask may choose none, and then there is no answer\n"
                    "  help: give `initial=`, which takes part as one more element"
                )
                raise ValueError(msg)
            if x.dtype.kind == "c":
                found = take_complex_extreme(name, lend(x, queue), axis, keepdims)
            elif axis is out is queue is None and not keepdims:
                return _native.reduce(name, x)
            else:
                found = _native.reduce(name, x, axis=axis, keepdims=keepdims, queue=queue)
            return stored(name, found, out)
        counted = _masked(x, where, initial, queue)
        if counted.size == 0:
            # Only the shape is asked for, which has nothing to compare.
            shape = _native.reduce("any", counted, axis=axis, keepdims=keepdims).shape
            found = _native.full(shape, initial, dtype=x.dtype, device=x.queue, usm_type=x.usm_type)
        else:
            found = _native.reduce(name, counted, axis=axis, keepdims=keepdims, queue=queue)
        return stored(name, _joined(name, found, initial), out)

    set_name(function, name)
    function.__doc__ = _documentation(summary, _INITIAL, example, result)
    return function


def _total(name: str, summary: str, example: str, result: str) -> Total:
    @takes_arrays
    def function(
        x: ndarray,
        /,
        axis: Axis = None,
        dtype: npt.DTypeLike | None = None,
        out: Output = None,
        keepdims: bool = False,
        initial: complex | None = None,
        where: Mask = True,
        *,
        queue: Place | None = None,
    ) -> ndarray:
        if where is True and axis is dtype is out is initial is queue is None and not keepdims:
            return _native.reduce(name, x)
        target = chosen(name, out)
        if dtype is None and target is not None:
            dtype = target.dtype
        counted = _masked(x, where, _NEUTRAL[name], queue)
        found = _native.reduce(
            name, counted, axis=axis, dtype=dtype, keepdims=keepdims, queue=queue
        )
        return stored(name, _joined(name, found, initial), out)

    set_name(function, name)
    more = _element_type(_WIDENED) + _INITIAL
    function.__doc__ = _documentation(summary, more, example, result)
    return function


def _averaged(x: ndarray, dtype: npt.DTypeLike | None) -> DType:
    """Return the dtype of a mean: that asked for, else floats."""
    if dtype is not None:
        return np.dtype(dtype)
    return x.dtype if x.dtype.kind in "fc" else _native.default_float(device=x.queue)


def _counts(x: ndarray, where: ndarray | bool, axis: Axis, keepdims: bool) -> ndarray:
    """Return how many elements a mask chooses."""
    mask = where if isinstance(where, ndarray) else _native.full([], where, device=x.queue)
    mask = _native.broadcast_to(mask, x.shape)
    return _native.reduce("count_nonzero", mask, axis=axis, keepdims=keepdims)


def _masked_mean(
    x: ndarray, where: Mask, axis: Axis, keepdims: bool, dtype: DType, queue: Place | None
) -> ndarray:
    counted = _masked(x, where, 0, queue)
    total = _native.reduce("sum", counted, axis=axis, dtype=dtype, keepdims=keepdims, queue=queue)
    count = _counts(x, where, axis, keepdims)
    return _native.elementwise("divide", total, count, dtype=dtype)


def _precise(x: ndarray, dtype: DType) -> DType:
    """Return the dtype to combine in, as wide as the device has."""
    return np.result_type(dtype, _native.default_float(device=x.queue))


def _mean(name: str, summary: str, example: str, result: str) -> Mean:
    @takes_arrays
    def function(
        x: ndarray,
        /,
        axis: Axis = None,
        dtype: npt.DTypeLike | None = None,
        out: Output = None,
        keepdims: bool = False,
        *,
        where: Mask = True,
        queue: Place | None = None,
    ) -> ndarray:
        if where is True:
            if axis is dtype is out is queue is None and not keepdims:
                return _native.reduce(name, x)
            found = _native.reduce(name, x, axis=axis, dtype=dtype, keepdims=keepdims, queue=queue)
        else:
            target = _averaged(x, dtype)
            valid = _numbers(x, where, queue) if name == "nanmean" else where
            found = _masked_mean(x, valid, axis, keepdims, _precise(x, target), queue)
            found = _native.bring(found, dtype=target)
        return stored(name, found, out)

    set_name(function, name)
    more = _element_type("that of `x`, and ``float64`` for integers and bools")
    function.__doc__ = _documentation(summary, more, example, result)
    return function


def _real(dtype: DType) -> DType:
    """Return the dtype of the parts of complex numbers, and any other as it is."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def _numbers(x: ndarray, where: Mask, queue: Place | None) -> Mask:
    """Return which elements that count are not NaN."""
    if x.dtype.kind not in "fc":
        return where
    valid = _native.elementwise("equal", x, x, queue=queue)
    if where is True:
        return valid
    return _native.elementwise("logical_and", valid, where, queue=queue)


def _masked_variance(
    x: ndarray, where: Mask, axis: Axis, keepdims: bool, correction: float, queue: Place | None
) -> ndarray:
    """Return the mean square of the distances of elements that count, as precise as can be."""
    dtype = _precise(x, _averaged(x, None))
    center = _masked_mean(x, where, axis, True, dtype, queue)
    distance = _native.elementwise("subtract", x, center, dtype=dtype, queue=queue)
    size = _native.elementwise("abs", distance)
    squares = _masked(_native.elementwise("square", size), where, 0, queue)
    total = _native.reduce("sum", squares, axis=axis, keepdims=keepdims, queue=queue)
    count = _counts(x, where, axis, keepdims)
    divisor = _native.elementwise("maximum", _native.elementwise("subtract", count, correction), 0)
    return _native.elementwise("divide", total, divisor, dtype=total.dtype)


def _spread(name: str, summary: str, example: str, result: str) -> Spread:
    @takes_arrays
    def function(
        x: ndarray,
        /,
        axis: Axis = None,
        dtype: npt.DTypeLike | None = None,
        out: Output = None,
        ddof: float = 0.0,
        keepdims: bool = False,
        *,
        where: Mask = True,
        correction: float | None = None,
        queue: Place | None = None,
    ) -> ndarray:
        if correction is None:
            correction = ddof
        elif ddof:
            msg = (
                f"`{name}` got both `ddof` and `correction`\n"
                "  why:  they are two names for one number\n"
                "  help: give one of them"
            )
            raise ValueError(msg)
        converted = None
        if dtype is not None and np.dtype(dtype).kind in "biu":
            # Only the result is converted, since the distances from a mean are no integers.
            converted = np.dtype(dtype)
        elif dtype is not None:
            asked = np.dtype(dtype)
            converted = asked if asked.kind == "c" else None
            x = _native.bring(x, dtype=asked if x.dtype.kind == "c" else _real(asked))
        if where is True:
            found = _native.reduce(
                name, x, axis=axis, correction=correction, keepdims=keepdims, queue=queue
            )
        else:
            valid = _numbers(x, where, queue) if name.startswith("nan") else where
            found = _masked_variance(x, valid, axis, keepdims, correction, queue)
            if name.endswith("std"):
                found = _native.elementwise("sqrt", found)
            found = _native.bring(found, dtype=_real(_averaged(x, None)))
        if converted is not None:
            found = _native.bring(found, dtype=converted)
        return stored(name, found, out)

    more = (
        _element_type("that of `x`, and ``float64`` for integers and bools")
        + """ddof, correction
        What is subtracted from the number of elements that the squares are divided by; 1 for the
        unbiased estimate from a sample.
    """
    )
    set_name(function, name)
    function.__doc__ = _documentation(summary, more, example, result)
    return function


class Accumulation(Protocol):
    """A function that combines each element with all those before it."""

    def __call__(
        self,
        x: ndarray,
        /,
        *,
        axis: int | None = None,
        dtype: npt.DTypeLike | None = None,
        out: Output = None,
        include_initial: bool = False,
        queue: Place | None = None,
    ) -> ndarray:
        """Accumulate along an axis."""
        ...


class FlatAccumulation(Protocol):
    """An accumulation that takes the whole array as one row where no axis is named."""

    def __call__(
        self,
        x: ndarray,
        /,
        axis: int | None = None,
        dtype: npt.DTypeLike | None = None,
        out: Output = None,
        *,
        queue: Place | None = None,
    ) -> ndarray:
        """Accumulate along an axis."""
        ...


def _accumulation(name: str, summary: str, example: str, result: str) -> Accumulation:
    def function(
        x: ndarray,
        /,
        *,
        axis: int | None = None,
        dtype: npt.DTypeLike | None = None,
        out: Output = None,
        include_initial: bool = False,
        queue: Place | None = None,
    ) -> ndarray:
        target = chosen(name, out)
        if dtype is None and target is not None:
            dtype = target.dtype
        found = _native.accumulate(
            name, x, axis=axis, dtype=dtype, include_initial=include_initial, queue=queue
        )
        return stored(name, found, out)

    set_name(function, name)
    function.__doc__ = f"""{summary}

    Parameters
    ----------
    x
        An array.
    axis
        The axis to go along. It may be left out where there is only one.
    dtype
        Element type of the result; by default {_WIDENED}.
    out
        Where the result goes; a new array by default.
    include_initial
        Whether the result starts with what comes before the first element.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The results.

    Examples
    --------
    >>> import situ
    >>> {example}
    {result}
    """
    return function


def _flat_accumulation(name: str, summary: str, example: str, result: str) -> FlatAccumulation:
    is_sum = name.endswith("sum")

    @takes_arrays
    def function(
        x: ndarray,
        /,
        axis: int | None = None,
        dtype: npt.DTypeLike | None = None,
        out: Output = None,
        *,
        queue: Place | None = None,
    ) -> ndarray:
        target = chosen(name, out)
        if dtype is None and target is not None:
            dtype = target.dtype
        if name.startswith("nan"):
            x = _masked(x, _numbers(x, True, queue), 0 if is_sum else 1, queue)
        if axis is None:
            x, axis = x.reshape(-1), 0
        native = "cumulative_sum" if is_sum else "cumulative_prod"
        found = _native.accumulate(native, x, axis=axis, dtype=dtype, queue=queue)
        return stored(name, found, out)

    set_name(function, name)
    function.__doc__ = f"""{summary}

    Parameters
    ----------
    x
        An array.
    axis
        The axis to go along. By default the whole array is one row, in row-major order.
    dtype
        Element type of the result; by default {_WIDENED}.
    out
        Where the result goes; a new array by default.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The results.

    Examples
    --------
    >>> import situ
    >>> {example}
    {result}
    """
    return function


def count_nonzero(
    x: ndarray, /, axis: Axis = None, *, keepdims: bool = False, queue: Place | None = None
) -> ndarray:
    """How many elements are not zero.

    Parameters
    ----------
    x
        An array.
    axis
        The axis or axes to reduce; all of them by default.
    keepdims
        Whether these axes stay, with size one.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The numbers, as ``int64``; a 0-d array if there are no other axes.

    Examples
    --------
    >>> import situ
    >>> situ.count_nonzero(situ.asarray([[1, 0], [2, 3]]), axis=1).to_numpy()
    array([1, 2])
    """
    return _native.reduce("count_nonzero", x, axis=axis, keepdims=keepdims, queue=queue)


@takes_arrays
def average(
    x: ndarray,
    /,
    axis: Axis = None,
    weights: ndarray | None = None,
    *,
    keepdims: bool = False,
    queue: Place | None = None,
) -> ndarray:
    """Return the mean of elements that count more or less.

    Parameters
    ----------
    x
        An array.
    axis
        The axis or axes to reduce; all of them by default.
    weights
        How much each element counts: an array of the shape of `x`, or one along the one axis. All
        count the same by default.
    keepdims
        Whether these axes stay, with size one.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The means; a 0-d array if there are no other axes.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([1.0, 2.0, 6.0])
    >>> float(situ.average(x, weights=situ.asarray([1, 1, 2])))
    3.75
    """
    if weights is None:
        return _native.reduce("mean", x, axis=axis, keepdims=keepdims, queue=queue)
    if weights.shape != x.shape and isinstance(axis, int) and weights.ndim == 1:
        sizes = [1] * x.ndim
        sizes[axis] = -1
        weights = weights.reshape(sizes)
    weights = _native.broadcast_to(weights, x.shape)
    weighted = _native.elementwise("multiply", x, weights, queue=queue)
    dtype = np.result_type(_averaged(x, None), _averaged(weights, None))
    total, weight = (
        _native.reduce("sum", part, axis=axis, dtype=dtype, keepdims=keepdims, queue=queue)
        for part in (weighted, weights)
    )
    return _native.elementwise("divide", total, weight)


def ptp(
    x: ndarray,
    /,
    axis: Axis = None,
    out: Output = None,
    keepdims: bool = False,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Return the distance between the smallest and the largest element.

    Parameters
    ----------
    x
        An array.
    axis
        The axis or axes to reduce; all of them by default.
    out
        Where the result goes; a new array by default.
    keepdims
        Whether these axes stay, with size one.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The distances; a 0-d array if there are no other axes.

    Examples
    --------
    >>> import situ
    >>> situ.ptp(situ.asarray([[1, 5], [7, 3]]), axis=0).to_numpy()
    array([6, 2])
    """
    largest, smallest = (
        _native.reduce(name, x, axis=axis, keepdims=keepdims, queue=queue)
        for name in ("max", "min")
    )
    return _native.elementwise("subtract", largest, smallest, out=out)


def _nan_extreme(name: str, summary: str, example: str, result: str) -> Extreme:
    plain = name.removeprefix("nan")

    @takes_arrays
    def function(
        x: ndarray,
        /,
        axis: Axis = None,
        out: Output = None,
        keepdims: bool = False,
        initial: complex | None = None,
        where: Mask = True,
        *,
        queue: Place | None = None,
    ) -> ndarray:
        reduction = max if plain == "max" else min
        if x.dtype.kind != "f" or initial is not None or where is not True:
            valid = _numbers(x, where, queue)
            return reduction(x, axis, out, keepdims, initial, valid, queue=queue)
        found = _native.reduce(name, x, axis=axis, keepdims=keepdims, queue=queue)
        return stored(name, found, out)

    set_name(function, name)
    function.__doc__ = _documentation(summary, _INITIAL, example, result)
    return function


all = _truth(
    "all",
    "Whether all elements are not zero; NaN is not zero.",
    "situ.all(situ.asarray([[1, 0], [2, 3]]), axis=1).to_numpy()",
    "array([False,  True])",
)
any = _truth(
    "any",
    "Whether at least one element is not zero; NaN is not zero.",
    "situ.any(situ.asarray([[0, 0], [2, 3]]), axis=1).to_numpy()",
    "array([False,  True])",
)
cumprod = _flat_accumulation(
    "cumprod",
    "The product of each element and all those before it.",
    "situ.cumprod(situ.asarray([[1, 2], [3, 4]])).to_numpy()",
    "array([ 1,  2,  6, 24])",
)
cumsum = _flat_accumulation(
    "cumsum",
    "The sum of each element and all those before it.",
    "situ.cumsum(situ.asarray([[1, 2], [3, 4]])).to_numpy()",
    "array([ 1,  3,  6, 10])",
)
cumulative_prod = _accumulation(
    "cumulative_prod",
    "The product of each element and all those before it.",
    "situ.cumulative_prod(situ.asarray([1, 2, 3, 4])).to_numpy()",
    "array([ 1,  2,  6, 24])",
)
cumulative_sum = _accumulation(
    "cumulative_sum",
    "The sum of each element and all those before it.",
    "situ.cumulative_sum(situ.asarray([1, 2, 3, 4])).to_numpy()",
    "array([ 1,  3,  6, 10])",
)
max = _extreme(
    "max",
    "The largest element; NaN if there is one.",
    "situ.max(situ.asarray([[1, 5], [7, 3]]), axis=0).to_numpy()",
    "array([7, 5])",
)
mean = _mean(
    "mean",
    "The arithmetic mean.",
    "situ.mean(situ.asarray([[1, 5], [7, 3]]), axis=0).to_numpy()",
    "array([4., 4.])",
)
min = _extreme(
    "min",
    "The smallest element; NaN if there is one.",
    "situ.min(situ.asarray([[1, 5], [7, 3]]), axis=0).to_numpy()",
    "array([1, 3])",
)
nancumprod = _flat_accumulation(
    "nancumprod",
    "The product of each element and all those before it, without NaN.",
    'situ.nancumprod(situ.asarray([2.0, float("nan"), 3.0])).to_numpy()',
    "array([2., 2., 6.])",
)
nancumsum = _flat_accumulation(
    "nancumsum",
    "The sum of each element and all those before it, without NaN.",
    'situ.nancumsum(situ.asarray([2.0, float("nan"), 3.0])).to_numpy()',
    "array([2., 2., 5.])",
)
nanmax = _nan_extreme(
    "nanmax",
    "The largest element that is not NaN; NaN if there is none.",
    'situ.nanmax(situ.asarray([2.0, float("nan"), 3.0])).to_numpy()',
    "array(3.)",
)
nanmean = _mean(
    "nanmean",
    "The arithmetic mean of elements that are not NaN.",
    'situ.nanmean(situ.asarray([2.0, float("nan"), 3.0])).to_numpy()',
    "array(2.5)",
)
nanmin = _nan_extreme(
    "nanmin",
    "The smallest element that is not NaN; NaN if there is none.",
    'situ.nanmin(situ.asarray([2.0, float("nan"), 3.0])).to_numpy()',
    "array(2.)",
)
nanprod = _total(
    "nanprod",
    "The product of elements that are not NaN.",
    'situ.nanprod(situ.asarray([2.0, float("nan"), 3.0])).to_numpy()',
    "array(6.)",
)
nanstd = _spread(
    "nanstd",
    "The standard deviation of elements that are not NaN.",
    'float(situ.nanstd(situ.asarray([1.0, 3.0, float("nan"), 3.0, 1.0])))',
    "1.0",
)
nansum = _total(
    "nansum",
    "The sum of elements that are not NaN.",
    'situ.nansum(situ.asarray([2.0, float("nan"), 3.0])).to_numpy()',
    "array(5.)",
)
nanvar = _spread(
    "nanvar",
    "The variance of elements that are not NaN.",
    'float(situ.nanvar(situ.asarray([1.0, 2.0, float("nan"), 3.0, 4.0])))',
    "1.25",
)
prod = _total(
    "prod",
    "The product of elements.",
    "situ.prod(situ.asarray([[1, 2], [3, 4]]), axis=0).to_numpy()",
    "array([3, 8])",
)
std = _spread(
    "std",
    "The standard deviation: the square root of the variance.",
    "float(situ.std(situ.asarray([1.0, 3.0, 1.0, 3.0])))",
    "1.0",
)
sum = _total(
    "sum",
    "The sum of elements.",
    "situ.sum(situ.asarray([[1, 2], [3, 4]]), axis=0).to_numpy()",
    "array([4, 6])",
)
var = _spread(
    "var",
    "The variance: the mean square of the distances from the mean.",
    "float(situ.var(situ.asarray([1.0, 2.0, 3.0, 4.0])))",
    "1.25",
)

# NumPy's other names.
amax = max
amin = min
