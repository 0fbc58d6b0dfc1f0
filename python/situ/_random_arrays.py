"""Arrays of random numbers.

Each element is what the device function of the same distribution returns for its position, so an
array is the same on every device, and a part of it can be made anew by itself. There is no state:
a program that wants other numbers gives another seed or offset.
"""

import math
import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from situ import _native
from situ._creation import Shape, empty
from situ._dtypes import DType
from situ._native import Kernel, ndarray
from situ._queue_manager import Place, default, named_place
from situ._random_kernels import (
    fill_integers,
    fill_normal32,
    fill_normal64,
    fill_uniform32,
    fill_uniform64,
)
from situ.exceptions import DTypeError

__all__ = ["integers", "normal", "uniform"]

_WORD = 2**64


def uniform(
    shape: Shape,
    seed: int,
    *,
    low: float = 0.0,
    high: float = 1.0,
    dtype: npt.DTypeLike | None = None,
    offset: int = 0,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make an array of evenly distributed numbers.

    Parameters
    ----------
    shape
        Sizes of the dimensions.
    seed
        Which sequence of numbers; not negative, up to 64 bits.
    low, high
        The numbers are at least `low` and below `high`; close to `high` they may be rounded to it,
        except for the default.
    dtype
        ``float32`` or ``float64``; by default the wider one that the device has.
    offset
        Where in the sequence to begin; element ``i``, in row-major order, is number ``offset + i``.
    device, queue, usm_type
        Where, as for `asarray`.

    Returns
    -------
    ndarray
        The array, the same on every device.

    Examples
    --------
    >>> import situ
    >>> x = situ.random.uniform((2, 3), seed=7)
    >>> x.shape, bool(situ.all(x < 1))
    ((2, 3), True)
    >>> bool(x[0, 1] == situ.random.uniform64(7, 1))
    True
    """
    place = named_place(device, queue)
    x = empty(shape, _float(dtype, place), device=place, usm_type=usm_type)
    return _filled(x, (fill_uniform32, fill_uniform64), seed, offset, low, high - low)


def normal(
    shape: Shape,
    seed: int,
    *,
    mean: float = 0.0,
    std: float = 1.0,
    dtype: npt.DTypeLike | None = None,
    offset: int = 0,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make an array of numbers of the normal distribution.

    Parameters
    ----------
    shape, seed, dtype, offset, device, queue, usm_type
        As for `uniform`.
    mean, std
        Mean and standard deviation.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> x = situ.random.normal(10_000, seed=7, mean=5.0)
    >>> bool(abs(situ.mean(x) - 5) < 0.05)
    True
    """
    place = named_place(device, queue)
    x = empty(shape, _float(dtype, place), device=place, usm_type=usm_type)
    return _filled(x, (fill_normal32, fill_normal64), seed, offset, mean, std)


def integers(
    shape: Shape,
    seed: int,
    *,
    low: int = 0,
    high: int,
    dtype: npt.DTypeLike = "int64",
    offset: int = 0,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make an array of evenly distributed integers.

    Parameters
    ----------
    shape, seed, offset, device, queue, usm_type
        As for `uniform`.
    low, high
        The integers are at least `low` and below `high`.
    dtype
        An integer dtype that holds them.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> dice = situ.random.integers(1000, seed=7, low=1, high=7)
    >>> int(dice.min()), int(dice.max())
    (1, 6)
    """
    chosen: DType = np.dtype(dtype)
    low, high = operator.index(low), operator.index(high)
    if chosen.kind not in "iu":
        msg = (
            f"`integers` makes arrays of integers, not of {chosen}\n"
            "  why:  each element is a whole number\n"
            "  help: give an integer dtype, and convert the result, e.g. with `astype`"
        )
        raise DTypeError(msg)
    info = np.iinfo(chosen.name)
    if not info.min <= low < high <= int(info.max) + 1:
        msg = (
            f"there are no integers of {chosen} from {low} to below {high}\n"
            f"  why:  `low` is less than `high`, and {chosen} has {info.min} to {info.max}\n"
            "  help: check the bounds, or give a wider `dtype`"
        )
        raise ValueError(msg)
    x = empty(shape, chosen, device=named_place(device, queue), usm_type=usm_type)
    # Sums wrap round, so that one kernel does signed and unsigned integers.
    start, count = np.uint64(low % _WORD), np.uint64((high - low) % _WORD)
    _launch(x, fill_integers, seed, offset, start, count)
    return x


def _float(dtype: npt.DTypeLike | None, place: Place | None) -> DType:
    if dtype is None:
        return np.dtype(_native.default_float(device=default() if place is None else place))
    chosen = np.dtype(dtype)
    if chosen not in (np.dtype(np.float32), np.dtype(np.float64)):
        msg = (
            f"random numbers are made as float32 or float64, not as {chosen}\n"
            "  why:  these are the ones that have device functions\n"
            "  help: convert the result, e.g. with `astype`"
        )
        raise DTypeError(msg)
    return chosen


def _filled(
    x: ndarray,
    kernels: tuple[Kernel, Kernel],
    seed: int,
    offset: int,
    start: float,
    width: float,
) -> ndarray:
    is_wide = x.dtype == np.float64
    number = x.dtype.type
    _launch(x, kernels[is_wide], seed, offset, number(start), number(width))
    return x


def _launch(x: ndarray, fill: Kernel, seed: int, offset: int, *numbers: Any) -> None:  # noqa: ANN401 - NumPy scalars
    words: list[Any] = [_word(seed, "seed"), _word(offset, "offset")]
    if math.prod(x.shape):
        fill(x.reshape(-1), *words, *numbers)


def _word(value: int, name: str) -> np.uint64:
    number = operator.index(value)
    if not 0 <= number < _WORD:
        msg = (
            f"`{name}` is {number}, which is no number of 64 bits\n"
            "  why:  random numbers are functions of a seed and a counter of 64 bits each\n"
            f"  help: give a number from 0 to {_WORD - 1}"
        )
        raise ValueError(msg)
    return np.uint64(number)
