"""Windows that signals are multiplied with, and the Bessel function that one of them is made of."""

from typing import Any

import numpy as np

from situ import _native
from situ._array_arguments import takes_arrays
from situ._creation import arange, ones
from situ._library_kernels import bessel
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place
from situ.exceptions import DTypeError

__all__ = ["bartlett", "i0", "kaiser"]


@takes_arrays
def i0(x: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Compute the modified Bessel function of the first kind and order 0.

    Parameters
    ----------
    x
        An array of real numbers.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    ndarray
        The values, as floats.

    Notes
    -----
    The result of infinity is infinity, where NumPy has NaN, and finite wherever the function is.

    Examples
    --------
    >>> import situ
    >>> situ.i0(situ.asarray([0.0, 1.0])).to_numpy()
    array([1.        , 1.26606588])
    """
    x = lend(x, queue)
    if x.dtype.kind == "c":
        msg = (
            f"`i0` is not defined for {x.dtype}\n"
            "  why:  it is computed for real numbers\n"
            "  help: take `situ.real(x)` or `situ.abs(x)` first"
        )
        raise DTypeError(msg)
    if x.dtype.kind != "f":
        x = _native.bring(x, dtype=_native.default_float(device=x))
    work = np.dtype(np.float32) if x.dtype.itemsize <= 4 else x.dtype
    numbers = _native.elementwise("abs", _native.bring(x, dtype=work))
    values = _native.empty(x.shape, dtype=work, device=x.queue, usm_type=x.usm_type)
    if x.size:
        bessel(numbers.reshape(-1), values.reshape(-1))
    return _native.bring(values, dtype=x.dtype)


def bartlett(
    m: int,
    /,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make the window of Bartlett: a triangle from 0 to 1 to 0.

    Parameters
    ----------
    m
        How many points.
    device, queue, usm_type
        Where, as for `asarray`.

    Returns
    -------
    ndarray
        The window.

    Examples
    --------
    >>> import situ
    >>> situ.bartlett(5).to_numpy()
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    place: dict[str, Any] = {"device": device, "queue": queue, "usm_type": usm_type}
    if m <= 1:
        return ones(max(m, 0), **place)
    steps = arange(1 - m, m, 2, **place)
    return 1 - _native.elementwise("abs", steps) / (m - 1)


def kaiser(
    m: int,
    beta: float,
    /,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make the window of Kaiser: a Bessel function over a circle.

    Parameters
    ----------
    m
        How many points.
    beta
        How narrow: 0 is a rectangle, 5 is like `hamming`, 8.6 like `blackman`.
    device, queue, usm_type
        Where, as for `asarray`.

    Returns
    -------
    ndarray
        The window.

    Examples
    --------
    >>> import situ
    >>> situ.kaiser(5, 5.0).to_numpy().round(4)
    array([0.0367, 0.5529, 1.    , 0.5529, 0.0367])
    """
    place: dict[str, Any] = {"device": device, "queue": queue, "usm_type": usm_type}
    if m <= 1:
        return ones(max(m, 0), **place)
    across = (arange(m, **place) - (m - 1) / 2) / ((m - 1) / 2)
    circle = _native.elementwise("sqrt", _native.elementwise("maximum", 1 - across * across, 0.0))
    numbers = circle * float(beta)
    whole = _native.full((), float(beta), dtype=numbers.dtype, device=numbers.queue)
    return i0(numbers) / i0(whole)
