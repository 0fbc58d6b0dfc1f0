"""Polynomials as rows of coefficients, the highest power first, by NumPy's names."""

from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np

from situ import _native
from situ._array_arguments import takes_arrays
from situ._correlation import convolve
from situ._creation import arange, ones, zeros
from situ._dtypes import finfo, result_type
from situ._linear_algebra import diag, outer
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place
from situ._searching import flatnonzero
from situ._statistical import sum
from situ.exceptions import ShapeError
from situ.linalg import eigvals, inv, lstsq

__all__ = [
    "poly",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "roots",
    "vander",
]


def _row(function: str, name: str, p: ndarray) -> ndarray:
    """Return coefficients in one dimension."""
    if p.ndim > 1:
        msg = (
            f"`{function}` got `{name}` with {p.ndim} dimensions\n"
            "  why:  a polynomial is a row of coefficients\n"
            f"  help: choose a row, e.g. `{name}[0]`"
        )
        raise ShapeError(msg)
    return p.reshape(-1)


@takes_arrays
def polyval(p: ndarray, x: ndarray | complex, /, *, queue: Place | None = None) -> ndarray:
    """Evaluate a polynomial by Horner's rule.

    Parameters
    ----------
    p
        Its coefficients, the highest power first.
    x
        Where.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The values.

    Examples
    --------
    >>> import situ
    >>> situ.polyval(situ.asarray([3.0, 0.0, 1.0]), situ.asarray([2.0, 5.0])).to_numpy()
    array([13., 76.])
    """
    if queue is not None:
        p = lend(p, queue)
        x = lend(x, queue)
    shape = x.shape if isinstance(x, ndarray) else ()
    dtype = result_type(p, x)
    result = _native.full(shape, 0, dtype=dtype, device=p.queue, usm_type=p.usm_type)
    for power in range(p.shape[0]):
        result = result * x + p[power]
    return result


@takes_arrays
def polyadd(a1: ndarray, a2: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Add two polynomials.

    Parameters
    ----------
    a1, a2
        Their coefficients, the highest power first.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The coefficients of the sum.

    Examples
    --------
    >>> import situ
    >>> situ.polyadd(situ.asarray([1, 2]), situ.asarray([9, 5, 4])).to_numpy()
    array([9, 6, 6])
    """
    return _native.elementwise("add", *_aligned("polyadd", lend(a1, queue), lend(a2, queue)))


@takes_arrays
def polysub(a1: ndarray, a2: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Subtract a polynomial from another.

    Parameters
    ----------
    a1, a2, queue
        As for `polyadd`.

    Returns
    -------
    ndarray
        The coefficients of the difference.

    Examples
    --------
    >>> import situ
    >>> situ.polysub(situ.asarray([2, 10, -2]), situ.asarray([3, 10, -4])).to_numpy()
    array([-1,  0,  2])
    """
    return _native.elementwise("subtract", *_aligned("polysub", lend(a1, queue), lend(a2, queue)))


def _aligned(function: str, a1: ndarray, a2: ndarray) -> tuple[ndarray, ndarray]:
    """Return the coefficients of two polynomials, the shorter with zeros before."""
    a1, a2 = _row(function, "a1", a1), _row(function, "a2", a2)
    longest = max(a1.size, a2.size)
    filled: list[ndarray] = []
    for each in (a1, a2):
        head = zeros(longest - each.size, each.dtype, queue=each.queue, usm_type=each.usm_type)
        filled.append(each if each.size == longest else _native.concat([head, each], 0))
    return filled[0], filled[1]


@takes_arrays
def polymul(a1: ndarray, a2: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Multiply two polynomials; how many zeros they begin with must be known, so this waits.

    Parameters
    ----------
    a1, a2, queue
        As for `polyadd`.

    Returns
    -------
    ndarray
        The coefficients of the product.

    Examples
    --------
    >>> import situ
    >>> situ.polymul(situ.asarray([1, 2, 3]), situ.asarray([9, 5, 1])).to_numpy()
    array([ 9, 23, 38, 17,  3])
    """
    a1, a2 = lend(a1, queue), lend(a2, queue)
    return convolve(_trimmed(_row("polymul", "a1", a1)), _trimmed(_row("polymul", "a2", a2)))


def _trimmed(p: ndarray) -> ndarray:
    """Return coefficients without zeros before the first other one; one zero if there is none."""
    places = flatnonzero(p)
    if places.size == 0:
        return zeros(1, p.dtype, queue=p.queue, usm_type=p.usm_type)
    return p[int(places[0]) :]


@takes_arrays
def polydiv(u: ndarray, v: ndarray, /, *, queue: Place | None = None) -> tuple[ndarray, ndarray]:
    """Divide a polynomial by another; this waits.

    Parameters
    ----------
    u, v
        The coefficients of dividend and divisor, the highest power first.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    tuple of ndarray
        The coefficients of quotient and remainder.

    Examples
    --------
    >>> import situ
    >>> quotient, rest = situ.polydiv(situ.asarray([3.0, 5.0, 2.0]), situ.asarray([2.0, 1.0]))
    >>> quotient.to_numpy(), rest.to_numpy()
    (array([1.5 , 1.75]), array([0.25]))
    """
    dtype = result_type(u, v, _native.default_float(device=u))
    u, v = (_native.bring(lend(each, queue), dtype=dtype) for each in (u, v))
    u, v = _row("polydiv", "u", u), _row("polydiv", "v", v)
    steps = max(u.size - v.size + 1, 1)
    quotient = zeros(steps, dtype, queue=u.queue, usm_type=_native.placement_of(u, v).usm_type)
    rest = _native.bring(u, copy=True)
    for step in range(u.size - v.size + 1):
        quotient[step] = rest[step] / v[0]
        rest[step : step + v.size] -= quotient[step] * v
    # What division leaves of the highest powers is rounding.
    near = _native.elementwise("isclose", rest, 0.0, 0.0, 1e-14)
    (others,) = _native.nonzero(_native.elementwise("logical_not", near))
    first = int(others[0]) if others.size else rest.size - 1
    return quotient, rest[first:]


@takes_arrays
def polyder(p: ndarray, /, m: int = 1, *, queue: Place | None = None) -> ndarray:
    """Differentiate a polynomial.

    Parameters
    ----------
    p
        Its coefficients, the highest power first.
    m
        How often.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    ndarray
        The coefficients of the derivative.

    Examples
    --------
    >>> import situ
    >>> situ.polyder(situ.asarray([1, 1, 1, 1])).to_numpy()
    array([3, 2, 1])
    """
    p = _row("polyder", "p", lend(p, queue))
    if m < 0:
        msg = (
            f"`polyder` cannot differentiate {m} times\n"
            "  why:  an order is not negative\n"
            "  help: integrate with `situ.polyint`"
        )
        raise ValueError(msg)
    # After as many times as there are coefficients nothing is left to differentiate.
    for _ in range(min(m, p.size)):
        degree = max(p.size - 1, 0)
        p = p[:degree] * arange(degree, 0, -1, queue=p.queue)
    return p


@takes_arrays
def polyint(
    p: ndarray,
    /,
    m: int = 1,
    k: complex | Sequence[complex] | None = None,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Integrate a polynomial.

    Parameters
    ----------
    p
        Its coefficients, the highest power first.
    m
        How often.
    k
        The constants of the integrations, the first one's first; zeros by default. One number is
        for all of them.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    ndarray
        The coefficients of the integral.

    Examples
    --------
    >>> import situ
    >>> situ.polyint(situ.asarray([3.0, 2.0, 1.0])).to_numpy()
    array([1., 1., 1., 0.])
    """
    p = _row("polyint", "p", lend(p, queue))
    if m < 0:
        msg = (
            f"`polyint` cannot integrate {m} times\n"
            "  why:  an order is not negative\n"
            "  help: differentiate with `situ.polyder`"
        )
        raise ValueError(msg)
    constants = list(k) if isinstance(k, Sequence) else [0 if k is None else k]
    if len(constants) == 1:
        constants *= m
    if len(constants) < m:
        msg = (
            f"`polyint` got {len(constants)} constants for {m} integrations\n"
            "  why:  there is one for each\n"
            f"  help: give {m}, or one number for all"
        )
        raise ValueError(msg)
    for constant in constants[:m]:
        last = _native.full((1,), constant, device=p.queue, usm_type=p.usm_type)
        p = _native.concat([p / arange(p.size, 0, -1, queue=p.queue), last], 0)
    return p


@takes_arrays
def poly(seq_of_zeros: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Make the polynomial that has given roots, or the characteristic one of a matrix.

    Parameters
    ----------
    seq_of_zeros
        The roots, in one dimension; or a square matrix, whose eigenvalues they are.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    ndarray
        The coefficients, the highest power first, which has the coefficient 1. They are real if
        the complex ones among the roots come in conjugate pairs.

    Examples
    --------
    >>> import situ
    >>> situ.poly(situ.asarray([0.0, 2.0])).to_numpy()
    array([ 1., -2.,  0.])
    """
    numbers = lend(seq_of_zeros, queue)
    if numbers.ndim == 2 and numbers.shape[0] == numbers.shape[1] != 0:
        numbers = eigvals(numbers)
    elif numbers.ndim != 1:
        msg = (
            f"`poly` got an array of shape {numbers.shape}\n"
            "  why:  it takes roots in one dimension, or a square matrix\n"
            "  help: give `x.reshape(-1)`"
        )
        raise ShapeError(msg)
    dtype = numbers.dtype
    if dtype.kind in "bi" or dtype.kind == "u":
        dtype = np.dtype(_native.default_float(device=numbers))
    place: dict[str, Any] = {"queue": numbers.queue, "usm_type": numbers.usm_type}
    product = ones(1, dtype, **place)
    one = ones(1, dtype, **place)
    for position in range(numbers.size):
        root = _native.bring(numbers[position : position + 1], dtype=dtype)
        product = convolve(product, _native.concat([one, -root], 0))
    if product.dtype.kind == "c" and _are_paired(numbers):
        product = _native.elementwise("real", product)
    return product


def _are_paired(numbers: ndarray) -> bool:
    """Return whether each complex number's conjugate is among the numbers as well; this waits."""
    mirrored = _native.sort(_native.elementwise("conj", numbers), axis=0)
    same = _native.elementwise("equal", _native.sort(numbers, axis=0), mirrored)
    return bool(_native.reduce("all", same))


@takes_arrays
def roots(p: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Find the roots of a polynomial: the eigenvalues of its companion matrix; this waits.

    Parameters
    ----------
    p
        Its coefficients, the highest power first.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    ndarray
        The roots; complex numbers unless all of them are real.

    Examples
    --------
    >>> import situ
    >>> sorted(situ.roots(situ.asarray([1.0, -3.0, 2.0])).to_numpy().round(12).tolist())
    [1.0, 2.0]
    """
    p = _row("roots", "p", lend(p, queue))
    places = flatnonzero(p)
    if p.dtype.kind not in "fc":
        p = _native.bring(p, dtype=_native.default_float(device=p))
    place: dict[str, Any] = {"queue": p.queue, "usm_type": p.usm_type}
    if places.size == 0:
        return zeros(0, p.dtype, **place)
    first, last = int(places[0]), int(places[-1])
    # Zeros before are powers that are not there, and zeros after are roots at zero.
    trailing = p.size - 1 - last
    p = p[first : last + 1]
    degree = p.size - 1
    at_zero = zeros(trailing, p.dtype, **place)
    if degree == 0:
        return at_zero
    companion = (
        diag(ones(degree - 1, p.dtype, **place), -1)
        if degree > 1
        else zeros((1, 1), p.dtype, **place)
    )
    companion[0, :] = -p[1:] / p[0]
    found = eigvals(companion)
    if p.dtype.kind != "c" and not bool(_native.reduce("any", _native.elementwise("imag", found))):
        found = _native.elementwise("real", found)
    return _native.concat([found, at_zero], 0)


@takes_arrays
def vander(
    x: ndarray, /, N: int | None = None, increasing: bool = False, *, queue: Place | None = None
) -> ndarray:
    """Make the matrix of the powers of numbers.

    Parameters
    ----------
    x
        The numbers, in one dimension.
    N
        How many powers; as many as there are numbers by default.
    increasing
        Whether powers ascend from left to right.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    ndarray
        The matrix, with a row for each number.

    Examples
    --------
    >>> import situ
    >>> situ.vander(situ.asarray([1, 2, 3]), 3).to_numpy()
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    x = lend(x, queue)
    if x.ndim != 1:
        msg = (
            f"`vander` got an array with {x.ndim} dimensions\n"
            "  why:  there is a row for each number of one row\n"
            "  help: give `x.reshape(-1)`"
        )
        raise ShapeError(msg)
    count = x.size if N is None else N
    dtype = np.dtype(result_type(x, np.int64))
    factors = _native.broadcast_to(
        _native.bring(x, dtype=dtype)[:, None], (x.size, max(count - 1, 0))
    )
    powers = _native.accumulate(
        "cumulative_prod", factors, axis=1, dtype=dtype, include_initial=True
    )
    powers = powers[:, :count]
    return powers if increasing else _native.flip(powers, 1)


@overload
def polyfit(
    x: ndarray,
    y: ndarray,
    deg: int,
    /,
    rcond: float | None = None,
    full: Literal[False] = False,
    w: ndarray | None = None,
    cov: Literal[False] = False,
    *,
    queue: Place | None = None,
) -> ndarray: ...
@overload
def polyfit(
    x: ndarray,
    y: ndarray,
    deg: int,
    /,
    rcond: float | None = None,
    full: bool = False,
    w: ndarray | None = None,
    cov: bool | Literal["unscaled"] = False,
    *,
    queue: Place | None = None,
) -> ndarray | tuple[object, ...]: ...
@takes_arrays
def polyfit(
    x: ndarray,
    y: ndarray,
    deg: int,
    /,
    rcond: float | None = None,
    full: bool = False,
    w: ndarray | None = None,
    cov: bool | Literal["unscaled"] = False,
    *,
    queue: Place | None = None,
) -> ndarray | tuple[object, ...]:
    """Fit a polynomial to points, by least squares.

    Parameters
    ----------
    x
        Where the points are, in one dimension.
    y
        The values there; several columns are fitted each for itself.
    deg
        The degree of the polynomial.
    rcond
        Which singular values count as zero, relative to the largest one.
    full
        Whether the result also tells how the system was solved.
    w
        A weight for each point, which its distance is multiplied by.
    cov
        Whether the result also has the covariances of the coefficients; with ``"unscaled"`` they
        are not scaled by the distances.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The coefficients, the highest power first. With `full` a tuple of these, the sum of squared
        distances, the rank, the singular values and `rcond`; with `cov` a tuple of these and the
        covariances.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([0.0, 1.0, 2.0, 3.0])
    >>> situ.polyfit(x, 2 * x + 1, 1).to_numpy().round(12)
    array([2., 1.])
    """
    x, y, w = lend(x, queue), lend(y, queue), lend(w, queue)
    degree = _checked_points(x, y, w, deg)
    dtype = result_type(x, _native.default_float(device=x))
    x = _native.bring(x, dtype=dtype)
    left = vander(x, degree + 1)
    right = _native.bring(y, dtype=result_type(y, dtype))
    if rcond is None:
        rcond = x.size * float(finfo(dtype).eps)
    if w is not None:
        left = left * w[:, None]
        right = right * (w[:, None] if right.ndim == 2 else w)
    # Columns of one length, so that high powers do not drown the others.
    lengths = _native.elementwise("sqrt", sum(left * left, axis=0))
    lengths = _native.elementwise("where", lengths == 0, 1.0, lengths)
    left = left / lengths
    found, distances, rank, singular = lstsq(left, right, rcond)
    coefficients = (found.T / lengths).T
    if full:
        return coefficients, distances, rank, singular, rcond
    if cov is False:
        return coefficients
    base = inv(_native.matmul(left.T, left)) / outer(lengths, lengths)
    if cov != "unscaled":
        if x.size <= degree + 1:
            msg = (
                f"`polyfit` has {x.size} points for {degree + 1} coefficients\n"
                "  why:  the covariances are scaled by what more points leave over\n"
                '  help: give more points, or `cov="unscaled"`'
            )
            raise ValueError(msg)
        base = (
            base[..., None] * (distances / (x.size - degree - 1))
            if y.ndim > 1
            else base * (distances / (x.size - degree - 1))
        )
    elif y.ndim > 1:
        base = _native.broadcast_to(base[..., None], (*base.shape, y.shape[1]))
    return coefficients, base


def _checked_points(x: ndarray, y: ndarray, w: ndarray | None, deg: int) -> int:
    """Return the degree, if everything has the right shape."""
    degree = int(deg)
    if degree < 0:
        msg = (
            f"`polyfit` got the degree {degree}\n"
            "  why:  the lowest degree is that of a constant, 0\n"
            "  help: give 1 for a line"
        )
        raise ValueError(msg)
    is_row = x.ndim == 1 and x.size > 0
    fits = y.ndim in {1, 2} and y.shape[:1] == x.shape
    if not is_row or not fits or (w is not None and w.shape != x.shape):
        given = f"`x` of shape {x.shape}, `y` of {y.shape}"
        given += "" if w is None else f", `w` of {w.shape}"
        msg = (
            f"`polyfit` got {given}\n"
            "  why:  there is a value, or a row of values, and a weight for each point\n"
            "  help: give arrays that agree in their first dimension"
        )
        raise TypeError(msg)
    return degree
