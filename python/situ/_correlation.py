"""How numbers go together: covariances, correlations, and sums of products at every shift."""

import warnings
from typing import Literal

import numpy as np
import numpy.typing as npt

from situ import _native
from situ._array_arguments import takes_arrays
from situ._dtypes import result_type
from situ._library_kernels import slide
from situ._linear_algebra import diagonal
from situ._manipulation import atleast_2d, concat, squeeze
from situ._native import ndarray
from situ._padding import pad
from situ._placement import lend
from situ._queue_manager import Place
from situ._statistical import average, mean, sum
from situ.exceptions import ShapeError

__all__ = ["convolve", "corrcoef", "correlate", "cov"]

Mode = Literal["full", "same", "valid"]


@takes_arrays
def cov(
    m: ndarray,
    /,
    y: ndarray | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: ndarray | None = None,
    aweights: ndarray | None = None,
    *,
    dtype: npt.DTypeLike | None = None,
    queue: Place | None = None,
) -> ndarray:
    """Compute covariances of variables.

    Parameters
    ----------
    m
        Observations in one or two dimensions: a variable in each row, by default.
    y
        More variables.
    rowvar
        Whether rows are variables; else columns are.
    bias
        Whether sums are divided by the number of observations; else by one less.
    ddof
        What the number of observations is lessened by, whatever `bias` says.
    fweights
        How often each observation was made: integers that are not negative.
    aweights
        How much each observation counts.
    dtype
        The dtype of the result; ``float64`` or wider by default.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A matrix of the covariances; the variance, if there is one variable.

    Examples
    --------
    >>> import situ
    >>> situ.cov(situ.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).to_numpy()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    m, y = lend(m, queue), lend(y, queue)
    for name, each in (("m", m), ("y", y)):
        if each is not None and each.ndim > 2:
            msg = (
                f"`cov` got `{name}` with {each.ndim} dimensions\n"
                "  why:  there are variables and observations, so at most two\n"
                "  help: reshape it, e.g. with `m.reshape(len(m), -1)`"
            )
            raise ShapeError(msg)
    if ddof is not None and ddof != int(ddof):
        msg = (
            f"`cov` got the `ddof` {ddof}\n"
            "  why:  it lessens a number of observations, so it is an integer\n"
            "  help: leave it out, or give 0 or 1"
        )
        raise ValueError(msg)
    if dtype is None:
        dtype = result_type(m, *([] if y is None else [y]), _native.default_float(device=m))
    x = _variables(m, rowvar or m.ndim == 1, dtype)
    if x.shape[0] == 0:
        return _native.empty((0, 0), dtype=x.dtype, device=x.queue, usm_type=x.usm_type)
    if y is not None:
        others = _variables(y, True, dtype)
        x = concat([x, others if rowvar or others.shape[0] == 1 else others.T])
    weights = _weights(lend(fweights, queue), lend(aweights, queue), x.shape[1])
    lessened = (0 if bias else 1) if ddof is None else int(ddof)
    if weights is None:
        centred = x - mean(x, axis=1, keepdims=True)
        weighted = centred
        factor = float(x.shape[1] - lessened)
    else:
        centred = x - average(x, axis=1, weights=weights)[:, None]
        weighted = centred * weights
        factor = _weighted_count(weights, aweights, lessened)
    if factor <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=3)
        factor = 0.0
    products = _native.matmul(centred, _native.elementwise("conj", weighted.T))
    # A division of arrays, so that zero degrees of freedom give infinities and NaN.
    count = _native.full((), factor, dtype=products.dtype, device=x.queue, usm_type=x.usm_type)
    return squeeze(products * (1 / count))


def _variables(x: ndarray, rowvar: bool, dtype: npt.DTypeLike) -> ndarray:
    """Return a variable in each row."""
    rows = atleast_2d(_native.bring(x, dtype=np.dtype(dtype)))
    assert isinstance(rows, ndarray)
    return rows if rowvar else rows.T


def _weights(
    fweights: ndarray | None, aweights: ndarray | None, observations: int
) -> ndarray | None:
    """Return the product of the weights that are given."""
    product: ndarray | None = None
    for name, each in (("fweights", fweights), ("aweights", aweights)):
        if each is None:
            continue
        if each.ndim != 1 or each.shape[0] != observations:
            msg = (
                f"`cov` got `{name}` of shape {each.shape} for {observations} observations\n"
                "  why:  there is a weight for each observation\n"
                f"  help: give an array of {observations} weights"
            )
            raise RuntimeError(msg)
        if name == "fweights" and each.dtype.kind not in "biu":
            msg = (
                f"`cov` got `fweights` of {each.dtype}\n"
                "  why:  they say how often observations were made\n"
                "  help: give integers, or `aweights`"
            )
            raise TypeError(msg)
        if bool(_native.reduce("any", _native.elementwise("less", each, 0))):
            msg = (
                f"`cov` got negative `{name}`\n"
                "  why:  no observation counts for less than nothing\n"
                "  help: give weights of at least 0"
            )
            raise ValueError(msg)
        floats = _native.bring(each, dtype=np.dtype(_native.default_float(device=each)))
        product = floats if product is None else product * floats
    return product


def _weighted_count(weights: ndarray, aweights: ndarray | None, lessened: int) -> float:
    """Return what sums of weighted squares are divided by; this waits."""
    total = float(sum(weights))
    if lessened == 0:
        return total
    if aweights is None:
        return total - lessened
    return total - lessened * float(sum(weights * aweights)) / total


@takes_arrays
def corrcoef(
    x: ndarray,
    /,
    y: ndarray | None = None,
    rowvar: bool = True,
    *,
    dtype: npt.DTypeLike | None = None,
    queue: Place | None = None,
) -> ndarray:
    """Compute Pearson's correlations of variables.

    Parameters
    ----------
    x, y, rowvar, dtype, queue
        As for `cov`.

    Returns
    -------
    ndarray
        A matrix of the correlations, from -1 to 1.

    Examples
    --------
    >>> import situ
    >>> situ.corrcoef(situ.asarray([0.0, 1.0, 2.0]), situ.asarray([4.0, 2.0, 0.0])).to_numpy()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    covariances = cov(x, y, rowvar, dtype=dtype, queue=queue)
    if covariances.ndim == 0:
        return covariances / covariances
    spread = _native.elementwise("sqrt", _native.elementwise("real", diagonal(covariances)))
    found = covariances / spread[:, None] / spread[None, :]
    if found.dtype.kind != "c":
        return _native.elementwise("clip", found, -1, 1)
    real, imaginary = (
        _native.elementwise("clip", _native.elementwise(part, found), -1, 1)
        for part in ("real", "imag")
    )
    return real + 1j * imaginary


@takes_arrays
def convolve(
    a: ndarray, v: ndarray, /, mode: Mode = "full", *, queue: Place | None = None
) -> ndarray:
    """Compute the convolution of two rows of numbers.

    Every element is a sum of as many products as the shorter row has elements; for long rows of
    floats, products of Fourier transforms are quicker.

    Parameters
    ----------
    a, v
        Arrays of one dimension.
    mode
        ``"full"``, every place where the rows overlap; ``"same"``, as many as the longer row has
        elements; ``"valid"``, those where they overlap completely.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The sums.

    Examples
    --------
    >>> import situ
    >>> situ.convolve(situ.asarray([1, 2, 3]), situ.asarray([0, 1, 10])).to_numpy()
    array([ 0,  1, 12, 23, 30])
    """
    a, v = lend(a, queue), lend(v, queue)
    _check_rows("convolve", ("a", a), ("v", v))
    longer, shorter = (v, a) if v.size > a.size else (a, v)
    return _slid("convolve", longer, _native.flip(shorter), mode)


@takes_arrays
def correlate(
    a: ndarray, v: ndarray, /, mode: Mode = "valid", *, queue: Place | None = None
) -> ndarray:
    """Compute the correlation of two rows of numbers, at every shift.

    Parameters
    ----------
    a, v, mode, queue
        As for `convolve`.

    Returns
    -------
    ndarray
        The sums of products of `a` with the conjugate of `v`.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([1, 2, 3])
    >>> situ.correlate(x, situ.asarray([0, 1, 10]), "same").to_numpy()
    array([21, 32,  3])
    """
    a, v = lend(a, queue), lend(v, queue)
    _check_rows("correlate", ("a", a), ("v", v))
    v = _native.elementwise("conj", v) if v.dtype.kind == "c" else v
    if a.size >= v.size:
        return _slid("correlate", a, v, mode)
    return _native.flip(_slid("correlate", v, a, mode))


def _check_rows(name: str, *rows: tuple[str, ndarray]) -> None:
    for argument, x in rows:
        if x.ndim > 1:
            msg = (
                f"`{name}` got `{argument}` with {x.ndim} dimensions\n"
                "  why:  it shifts one row along another\n"
                f"  help: choose a row, or make one with `{argument}.reshape(-1)`"
            )
            raise ShapeError(msg)
        if x.size == 0:
            msg = (
                f"`{name}` got the empty `{argument}`\n"
                "  why:  there is nothing to multiply\n"
                "  help: give at least one element"
            )
            raise ValueError(msg)


def _slid(name: str, longer: ndarray, shorter: ndarray, mode: Mode) -> ndarray:
    """Return sums of products of a row with a shorter one that is shifted along it."""
    longer, shorter = longer.reshape(-1), shorter.reshape(-1)
    margin = shorter.size - 1
    # How far the shorter row may stick out, on the left and on the right.
    margins = {"full": (margin, margin), "same": ((margin + 1) // 2, margin // 2), "valid": (0, 0)}
    if mode not in margins:
        msg = (
            f"`{name}` has no mode {mode!r}\n"
            '  why:  the modes are "full", "same" and "valid"\n'
            "  help: give one of them"
        )
        raise ValueError(msg)
    dtype = np.dtype(result_type(longer, shorter))
    work = _work_dtype(dtype)
    row = pad(_native.bring(longer, dtype=work), margins[mode])
    weights = _native.bring(shorter, dtype=work)
    out = _native.empty(
        (row.size - margin,),
        dtype=work,
        device=row.queue,
        usm_type=_native.placement_of(row, weights).usm_type,
    )
    slide[out.size](row, weights, out)
    if dtype.kind == "b":
        return _native.elementwise("not_equal", out, 0)
    return _native.bring(out, dtype=dtype)


def _work_dtype(dtype: np.dtype[np.generic]) -> np.dtype[np.generic]:
    """Return the dtype to add in: sums of integers wrap round in any, halves need more digits."""
    if dtype.kind in "bi":
        return np.dtype(np.int64)
    if dtype.kind == "u":
        return np.dtype(np.uint64)
    return np.dtype(np.float32) if dtype == np.float16 else dtype
