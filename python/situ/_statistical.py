"""Reductions over axes.

The answer is the same for any number of threads. Floats are combined in the next wider dtype where
the device has it, and otherwise so that rounding errors grow with the logarithm of their number.
"""

from typing import Protocol

import numpy.typing as npt

from situ import _native
from situ._native import ndarray
from situ._queue_manager import Place

__all__ = [
    "all",
    "any",
    "count_nonzero",
    "cumulative_prod",
    "cumulative_sum",
    "max",
    "mean",
    "min",
    "nanprod",
    "nansum",
    "prod",
    "std",
    "sum",
    "var",
]

Axis = int | tuple[int, ...] | None

# What results have by default.
_WIDENED = "64 bits for integers and bools, else that of `x`"


class Reduction(Protocol):
    """A function that makes one of many elements."""

    def __call__(
        self,
        x: ndarray,
        /,
        *,
        axis: Axis = None,
        keepdims: bool = False,
        queue: Place | None = None,
    ) -> ndarray:
        """Reduce along axes."""
        ...


class TypedReduction(Protocol):
    """A reduction whose result may have another dtype."""

    def __call__(
        self,
        x: ndarray,
        /,
        *,
        axis: Axis = None,
        dtype: npt.DTypeLike | None = None,
        keepdims: bool = False,
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
        *,
        axis: Axis = None,
        correction: float = 0.0,
        keepdims: bool = False,
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
    {more}keepdims
        Whether these axes stay, with size one.
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


def _reduction(name: str, summary: str, example: str, result: str) -> Reduction:
    def function(
        x: ndarray,
        /,
        *,
        axis: Axis = None,
        keepdims: bool = False,
        queue: Place | None = None,
    ) -> ndarray:
        return _native.reduce(name, x, axis=axis, keepdims=keepdims, queue=queue)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = _documentation(summary, "", example, result)
    return function


def _typed(name: str, summary: str, dtype: str, example: str, result: str) -> TypedReduction:
    # The parameter below has the name of a text that is only needed here.
    more = f"dtype\n        Element type of the result; by default {dtype}.\n    "

    def function(
        x: ndarray,
        /,
        *,
        axis: Axis = None,
        dtype: npt.DTypeLike | None = None,
        keepdims: bool = False,
        queue: Place | None = None,
    ) -> ndarray:
        return _native.reduce(name, x, axis=axis, dtype=dtype, keepdims=keepdims, queue=queue)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = _documentation(summary, more, example, result)
    return function


def _spread(name: str, summary: str, example: str, result: str) -> Spread:
    def function(
        x: ndarray,
        /,
        *,
        axis: Axis = None,
        correction: float = 0.0,
        keepdims: bool = False,
        queue: Place | None = None,
    ) -> ndarray:
        return _native.reduce(
            name, x, axis=axis, correction=correction, keepdims=keepdims, queue=queue
        )

    more = """correction
        What is subtracted from the number of elements that the squares are divided by; 1 for the
        unbiased estimate from a sample.
    """
    function.__name__ = function.__qualname__ = name
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
        include_initial: bool = False,
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
        include_initial: bool = False,
        queue: Place | None = None,
    ) -> ndarray:
        return _native.accumulate(
            name, x, axis=axis, dtype=dtype, include_initial=include_initial, queue=queue
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{summary}

    Parameters
    ----------
    x
        An array.
    axis
        The axis to go along. It may be left out where there is only one.
    dtype
        Element type of the result; by default {_WIDENED}.
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


all = _reduction(
    "all",
    "Whether all elements are not zero; NaN is not zero.",
    "situ.all(situ.asarray([[1, 0], [2, 3]]), axis=1).to_numpy()",
    "array([False,  True])",
)
any = _reduction(
    "any",
    "Whether at least one element is not zero; NaN is not zero.",
    "situ.any(situ.asarray([[0, 0], [2, 3]]), axis=1).to_numpy()",
    "array([False,  True])",
)
count_nonzero = _reduction(
    "count_nonzero",
    "How many elements are not zero.",
    "situ.count_nonzero(situ.asarray([[1, 0], [2, 3]]), axis=1).to_numpy()",
    "array([1, 2])",
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
max = _reduction(
    "max",
    "The largest element; NaN if there is one.",
    "situ.max(situ.asarray([[1, 5], [7, 3]]), axis=0).to_numpy()",
    "array([7, 5])",
)
mean = _typed(
    "mean",
    "The arithmetic mean.",
    "that of `x`, and ``float64`` for integers and bools",
    "situ.mean(situ.asarray([[1, 5], [7, 3]]), axis=0).to_numpy()",
    "array([4., 4.])",
)
min = _reduction(
    "min",
    "The smallest element; NaN if there is one.",
    "situ.min(situ.asarray([[1, 5], [7, 3]]), axis=0).to_numpy()",
    "array([1, 3])",
)
nanprod = _typed(
    "nanprod",
    "The product of elements that are not NaN.",
    _WIDENED,
    'situ.nanprod(situ.asarray([2.0, float("nan"), 3.0])).to_numpy()',
    "array(6.)",
)
nansum = _typed(
    "nansum",
    "The sum of elements that are not NaN.",
    _WIDENED,
    'situ.nansum(situ.asarray([2.0, float("nan"), 3.0])).to_numpy()',
    "array(5.)",
)
prod = _typed(
    "prod",
    "The product of elements.",
    _WIDENED,
    "situ.prod(situ.asarray([[1, 2], [3, 4]]), axis=0).to_numpy()",
    "array([3, 8])",
)
std = _spread(
    "std",
    "The standard deviation: the square root of the variance.",
    "float(situ.std(situ.asarray([1.0, 3.0, 1.0, 3.0])))",
    "1.0",
)
sum = _typed(
    "sum",
    "The sum of elements.",
    _WIDENED,
    "situ.sum(situ.asarray([[1, 2], [3, 4]]), axis=0).to_numpy()",
    "array([4, 6])",
)
var = _spread(
    "var",
    "The variance: the mean square of the distances from the mean.",
    "float(situ.var(situ.asarray([1.0, 2.0, 3.0, 4.0])))",
    "1.25",
)
