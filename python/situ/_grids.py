"""Numbers at regular places: sequences, matrices and positions, by NumPy's names."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from situ import _native
from situ._creation import arange, eye, linspace
from situ._native import ndarray
from situ._queue_manager import Place

__all__ = [
    "blackman",
    "fromfunction",
    "geomspace",
    "hamming",
    "hanning",
    "identity",
    "indices",
    "logspace",
    "tri",
    "tril_indices",
    "triu_indices",
]


def identity(
    n: int,
    dtype: npt.DTypeLike | None = None,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make a square matrix with ones on the main diagonal and zeros elsewhere.

    Parameters
    ----------
    n
        How many rows and columns.
    dtype
        Element type; ``float64`` by default.
    device, queue, usm_type
        Where, as for `asarray`.

    Returns
    -------
    ndarray
        The matrix.

    Examples
    --------
    >>> import situ
    >>> situ.identity(2).to_numpy()
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, dtype=dtype, device=device, queue=queue, usm_type=usm_type)


def logspace(
    start: complex,
    stop: complex,
    /,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: npt.DTypeLike | None = None,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make a number of powers of a base whose exponents are at even distances.

    Parameters
    ----------
    start, stop
        The first and the last exponent.
    num
        How many numbers.
    endpoint
        Whether the last exponent is included.
    base
        The base.
    dtype
        Element type; by default ``float64``, or ``complex128`` if an end is complex.
    device, queue, usm_type
        Where, as for `asarray`.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> situ.logspace(0, 2, 3).to_numpy()
    array([  1.,  10., 100.])
    """
    exponents = linspace(
        start, stop, num, endpoint=endpoint, device=device, queue=queue, usm_type=usm_type
    )
    powers = _native.elementwise("pow", base, exponents)
    return powers if dtype is None else _native.bring(powers, dtype=dtype)


def geomspace(
    start: float,
    stop: float,
    /,
    num: int = 50,
    endpoint: bool = True,
    dtype: npt.DTypeLike | None = None,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make a number of numbers, each the same multiple of the one before.

    Parameters
    ----------
    start, stop
        The ends: two positive numbers, or two negative ones.
    num
        How many numbers.
    endpoint
        Whether `stop` is included.
    dtype
        Element type; ``float64`` by default.
    device, queue, usm_type
        Where, as for `asarray`.

    Returns
    -------
    ndarray
        The array.

    Examples
    --------
    >>> import situ
    >>> situ.geomspace(1, 1000, 4).to_numpy()
    array([   1.,   10.,  100., 1000.])
    """
    if not start * stop > 0:
        msg = (
            f"there is no geometric sequence from {start} to {stop}\n"
            "  why:  each number is a multiple of the one before, so all have one sign\n"
            "  help: give two positive numbers, or two negative ones"
        )
        raise ValueError(msg)
    sign = 1.0 if start > 0 else -1.0
    exponents = (float(np.log10(abs(start))), float(np.log10(abs(stop))))
    result = logspace(*exponents, num, endpoint, device=device, queue=queue, usm_type=usm_type)
    result = result * sign
    # Rounding must not move the ends.
    if num > 0:
        result[0] = start
    if num > 1 and endpoint:
        result[-1] = stop
    return result if dtype is None else _native.bring(result, dtype=dtype)


def tri(
    n_rows: int,
    n_cols: int | None = None,
    /,
    k: int = 0,
    dtype: npt.DTypeLike | None = None,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make a matrix with ones on and below a diagonal and zeros above it.

    Parameters
    ----------
    n_rows, n_cols
        Its sizes; as many columns as rows by default.
    k
        Which diagonal: 0 for the main one, more for those right of it, less for those below.
    dtype
        Element type; ``float64`` by default.
    device, queue, usm_type
        Where, as for `asarray`.

    Returns
    -------
    ndarray
        The matrix.

    Examples
    --------
    >>> import situ
    >>> situ.tri(2, 3, dtype="int64").to_numpy()
    array([[1, 0, 0],
           [1, 1, 0]])
    """
    n_cols = n_rows if n_cols is None else n_cols
    rows = arange(n_rows, device=device, queue=queue, usm_type=usm_type)
    columns = arange(n_cols, device=rows.queue, usm_type=usm_type)
    mask = columns - rows[:, None] <= k
    target = _native.default_float(device=rows.queue) if dtype is None else dtype
    return _native.bring(mask, dtype=target)


def indices(
    dimensions: Sequence[int],
    dtype: npt.DTypeLike = "int64",
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make the positions of all elements of a shape.

    Parameters
    ----------
    dimensions
        The shape.
    dtype
        Element type; ``int64`` by default.
    device, queue, usm_type
        Where, as for `asarray`.

    Returns
    -------
    ndarray
        Positions along each axis, one axis after the other.

    Examples
    --------
    >>> import situ
    >>> rows, columns = situ.unstack(situ.indices((2, 3)))
    >>> rows.to_numpy()
    array([[0, 0, 0],
           [1, 1, 1]])
    """
    shape = list(dimensions)
    result = _native.empty(
        [len(shape), *shape],
        dtype=dtype,
        device=device if queue is None else queue,
        usm_type=usm_type,
    )
    for axis, size in enumerate(shape):
        along = arange(size, dtype=dtype, device=result.queue)
        result[axis] = along.reshape([-1] + [1] * (len(shape) - axis - 1))
    return result


def fromfunction(
    function: Callable[..., ndarray],
    shape: Sequence[int],
    /,
    *,
    dtype: npt.DTypeLike = "float64",
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
    **keywords: Any,  # noqa: ANN401 - they are the function's
) -> ndarray:
    """Call a function with the positions of all elements.

    Parameters
    ----------
    function
        It is called once, with an array of positions for each axis.
    shape
        The shape of these arrays.
    dtype
        Their element type; ``float64`` by default.
    device, queue, usm_type
        Where, as for `asarray`.
    **keywords
        What else the function gets.

    Returns
    -------
    ndarray
        What the function returns.

    Examples
    --------
    >>> import situ
    >>> situ.fromfunction(lambda i, j: i * 10 + j, (2, 3), dtype="int64").to_numpy()
    array([[ 0,  1,  2],
           [10, 11, 12]])
    """
    grid = indices(shape, dtype, device=device, queue=queue, usm_type=usm_type)
    return function(*_native.unstack(grid, 0), **keywords)


def tril_indices(
    n: int,
    k: int = 0,
    m: int | None = None,
    *,
    device: Place | None = None,
    queue: Place | None = None,
) -> tuple[ndarray, ndarray]:
    """Find the positions of a matrix that are on or below a diagonal; this waits.

    Parameters
    ----------
    n, m
        Rows and columns of the matrix; as many columns as rows by default.
    k
        Which diagonal: 0 for the main one, more for those right of it, less for those below.
    device, queue
        Where, as for `asarray`.

    Returns
    -------
    tuple of ndarray
        Rows and columns.

    Examples
    --------
    >>> import situ
    >>> [position.to_numpy() for position in situ.tril_indices(2)]
    [array([0, 1, 1]), array([0, 0, 1])]
    """
    rows, columns = _native.nonzero(tri(n, m, k, "bool", device=device, queue=queue))
    return rows, columns


def triu_indices(
    n: int,
    k: int = 0,
    m: int | None = None,
    *,
    device: Place | None = None,
    queue: Place | None = None,
) -> tuple[ndarray, ndarray]:
    """Find the positions of a matrix that are on or above a diagonal; this waits.

    Parameters
    ----------
    n, m
        Rows and columns of the matrix; as many columns as rows by default.
    k
        Which diagonal: 0 for the main one, more for those right of it, less for those below.
    device, queue
        Where, as for `asarray`.

    Returns
    -------
    tuple of ndarray
        Rows and columns.

    Examples
    --------
    >>> import situ
    >>> [position.to_numpy() for position in situ.triu_indices(2)]
    [array([0, 0, 1]), array([0, 1, 1])]
    """
    below = tri(n, m, k - 1, "bool", device=device, queue=queue)
    rows, columns = _native.nonzero(_native.elementwise("logical_not", below))
    return rows, columns


def hanning(
    m: int,
    /,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make the window of von Hann: one wave of a cosine, from 0 to 0.

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
    >>> situ.hanning(5).to_numpy().round(4) + 0.0
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return _cosines(m, (0.5, -0.5), device, queue, usm_type)


def hamming(
    m: int,
    /,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make the window of Hamming: one wave of a cosine that ends above 0.

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
    >>> situ.hamming(5).to_numpy().round(4) + 0.0
    array([0.08, 0.54, 1.  , 0.54, 0.08])
    """
    return _cosines(m, (0.54, -0.46), device, queue, usm_type)


def blackman(
    m: int,
    /,
    *,
    device: Place | None = None,
    queue: Place | None = None,
    usm_type: str | None = None,
) -> ndarray:
    """Make the window of Blackman: two waves of cosines, from 0 to 0.

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
    >>> situ.blackman(5).to_numpy().round(4) + 0.0
    array([0.  , 0.34, 1.  , 0.34, 0.  ])
    """
    return _cosines(m, (0.42, -0.5, 0.08), device, queue, usm_type)


def _cosines(
    m: int,
    terms: tuple[float, ...],
    device: Place | None,
    queue: Place | None,
    usm_type: str | None,
) -> ndarray:
    """Return a sum of cosines, of which the first has no wave, the second one, and so on."""
    if m == 1:
        return linspace(1.0, 1.0, 1, device=device, queue=queue, usm_type=usm_type)
    angles = linspace(0.0, 2 * math.pi, max(m, 0), device=device, queue=queue, usm_type=usm_type)
    result = angles * 0.0 + terms[0]
    for waves, size in enumerate(terms[1:], start=1):
        result = result + _native.elementwise("cos", angles * waves) * size
    return result
