"""Functions of ``dpnp`` that are short expressions of situ's functions.

They live here and not in situ because their users are programs written for the peer; one that many
ask for belongs there, under its own name.
"""

# Numbers, arrays, places and dtypes come in whatever form the peer takes them.
# ruff: noqa: ANN401

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

import situ
from situ._native import ndarray

__all__ = ["LINALG_NAMES", "NAMES"]

Axis = int | tuple[int, ...] | None


def apply_along_axis(
    func1d: Callable[..., Any],
    axis: int,
    arr: ndarray,
    *args: object,
    **kwargs: object,
) -> ndarray:
    """Apply a function to each row along an axis, one after the other."""
    rows = situ.moveaxis(arr, axis, -1)
    outer = rows.shape[:-1]
    results = [
        situ.asarray(func1d(row, *args, **kwargs), device=arr.queue)
        for row in situ.reshape(rows, (-1, rows.shape[-1]))
    ]
    stacked = situ.stack(results).reshape((*outer, *results[0].shape))
    inner = tuple(range(len(outer), stacked.ndim))
    places = tuple(axis % arr.ndim + index for index in range(len(inner)))
    return situ.moveaxis(stacked, inner, places) if inner else stacked


def apply_over_axes(func: Callable[..., Any], a: ndarray, axes: int | Sequence[int]) -> ndarray:
    """Apply a function along one axis after the other."""
    result = a
    for axis in (axes,) if isinstance(axes, int) else axes:
        reduced = func(result, axis)
        result = reduced if reduced.ndim == result.ndim else situ.expand_dims(reduced, axis=axis)
    return result


def logsumexp(
    x: ndarray,
    /,
    *,
    axis: Axis = None,
    dtype: Any = None,
    keepdims: bool = False,
    out: Any = None,
) -> ndarray:
    """Return the logarithm of the sum of exponentials."""
    del dtype
    greatest = situ.max(x, axis=axis, keepdims=True)
    greatest = situ.where(situ.isfinite(greatest), greatest, 0.0)
    total = situ.sum(situ.exp(x - greatest), axis=axis, keepdims=keepdims)
    if not keepdims:
        greatest = situ.reshape(greatest, total.shape)
    return situ.add(situ.log(total), greatest, out=out)


def cumlogsumexp(
    x: ndarray,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
    out: Any = None,
) -> ndarray:
    """Return the logarithms of the sums of exponentials so far."""
    del dtype
    greatest = situ.max(x)
    sums = situ.cumulative_sum(situ.exp(x - greatest), axis=axis, include_initial=include_initial)
    return situ.add(situ.log(sums), greatest, out=out)


def reduce_hypot(
    x: ndarray,
    /,
    *,
    axis: Axis = None,
    dtype: Any = None,
    keepdims: bool = False,
    out: Any = None,
) -> ndarray:
    """Return the square root of the sum of squares."""
    squares = situ.square(x)
    return situ.sqrt(situ.sum(squares, axis=axis, dtype=dtype, keepdims=keepdims), out=out)


def cov(
    m: ndarray,
    y: ndarray | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: None = None,
    aweights: None = None,
    *,
    dtype: Any = None,
) -> ndarray:
    """Return the covariances of the rows; weights are not taken."""
    if fweights is not None or aweights is not None:
        msg = (
            "`dpnp.cov` takes no weights here\n"
            "  help: for `fweights`, repeat the observations, e.g. `dpnp.repeat(m, fweights, 1)`; "
            "for `aweights`, call `numpy.cov` with `dpnp.asnumpy(m)`"
        )
        raise NotImplementedError(msg)
    x = _rows(m, rowvar)
    if y is not None:
        x = situ.concat([x, _rows(y, rowvar)])
    if dtype is not None:
        x = situ.astype(x, dtype)
    ddof = (0 if bias else 1) if ddof is None else ddof
    centred = x - situ.mean(x, axis=1, keepdims=True)
    return situ.squeeze(centred @ situ.conj(centred).T / (x.shape[1] - ddof))


def corrcoef(
    x: ndarray,
    y: ndarray | None = None,
    rowvar: bool = True,
    *,
    dtype: Any = None,
) -> ndarray:
    """Return the correlations of the rows."""
    covariances = cov(x, y, rowvar, dtype=dtype)
    if covariances.ndim == 0:
        return covariances / covariances
    deviations = situ.sqrt(situ.real(situ.diagonal(covariances)))
    return covariances / deviations[:, None] / deviations[None, :]


def _rows(x: ndarray, rowvar: bool) -> ndarray:
    x = cast("ndarray", situ.atleast_2d(x))
    return x if rowvar or x.shape[0] == 1 else x.T


def convolve(a: ndarray, v: ndarray, mode: str = "full", method: str = "auto") -> ndarray:
    """Return the convolution of two rows of numbers."""
    del method
    if a.size < v.size:
        a, v = v, a
    margin = v.size - 1
    full = _convolved(a, v, margin)
    if mode == "full":
        return full
    if mode == "same":
        begin = margin // 2
        return full[begin : begin + a.size]
    if mode == "valid":
        return full[margin : a.size]
    msg = f"`mode` is 'full', 'same' or 'valid', not {mode!r}"
    raise ValueError(msg)


# From so many products on, a Fourier transform is quicker.
_MANY = 1 << 22


def _convolved(a: ndarray, v: ndarray, margin: int) -> ndarray:
    size = a.size + margin
    kinds = {a.dtype.kind, v.dtype.kind}
    if a.size * v.size > _MANY and "f" in kinds and "c" not in kinds:
        return situ.fft.irfft(situ.fft.rfft(a, size) * situ.fft.rfft(v, size), size)
    # A product with a matrix of shifted rows, which is exact for integers.
    places = situ.arange(size, device=a)[:, None] + situ.arange(v.size, device=a)
    shifted = situ.take(situ.pad(a, margin), situ.reshape(places, (-1,))).reshape(places.shape)
    return shifted @ situ.flip(v)


def correlate(a: ndarray, v: ndarray, mode: str = "valid", method: str = "auto") -> ndarray:
    """Return the correlation of two rows of numbers."""
    result = convolve(a, situ.conj(situ.flip(v)), mode, method)
    if a.size < v.size and mode == "same":
        full = convolve(a, situ.conj(situ.flip(v)), "full", method)
        begin = a.size // 2
        return full[begin : begin + v.size]
    return result


def ediff1d(ary: ndarray, to_end: Any = None, to_begin: Any = None) -> ndarray:
    """Return differences of neighbours, with something before and after them."""
    flat = situ.reshape(ary, (-1,))
    parts = [
        situ.reshape(situ.asarray(part, dtype=flat.dtype, device=ary.queue), (-1,))
        for part in (to_begin, to_end)
        if part is not None
    ]
    between = situ.diff(flat)
    if to_begin is not None:
        return situ.concat([parts[0], between, *parts[1:]])
    return situ.concat([between, *parts])


def ldexp(x1: ndarray, x2: Any, /, out: Any = None, **_rest: object) -> ndarray:
    """Return numbers multiplied by powers of two."""
    floats = x1 if x1.dtype.kind == "f" else situ.astype(x1, situ.float64)
    return situ.multiply(floats, situ.exp2(situ.astype(x2, floats.dtype)), out=out)


def mask_indices(
    n: int,
    mask_func: Callable[..., ndarray],
    k: Any = 0,
    device: Any = None,
    **_rest: object,
) -> tuple[ndarray, ...]:
    """Return the indices that a mask such as `tril` leaves."""
    return situ.nonzero(mask_func(situ.ones((n, n), dtype=situ.int64, device=device), k=k))


def matvec(x1: ndarray, x2: ndarray, /, out: Any = None, **_rest: object) -> ndarray:
    """Return products of matrices and vectors."""
    return _written(situ.squeeze(situ.matmul(x1, x2[..., None]), axis=-1), out)


def vecmat(x1: ndarray, x2: ndarray, /, out: Any = None, **_rest: object) -> ndarray:
    """Return products of vectors, conjugated, and matrices."""
    return _written(situ.squeeze(situ.matmul(situ.conj(x1)[..., None, :], x2), axis=-2), out)


def _written(result: ndarray, out: ndarray | None) -> ndarray:
    if out is None:
        return result
    out[...] = result
    return out


def piecewise(x: ndarray, condlist: Sequence[ndarray], funclist: Sequence[Any]) -> ndarray:
    """Return numbers chosen by conditions; one more of them is for what no condition holds for."""
    conditions = list(condlist)
    default: Any = 0
    if len(funclist) == len(conditions) + 1:
        default = funclist[-1]
    pieces = [situ.full_like(x, value) for value in funclist[: len(conditions)]]
    return situ.astype(situ.select(conditions[::-1], pieces[::-1], default), x.dtype)


def put_along_axis(
    a: ndarray,
    ind: ndarray,
    values: Any,
    axis: int | None,
    mode: str = "wrap",
) -> None:
    """Assign elements by indices along an axis, in place."""
    del mode
    if axis is None:
        flat = a.reshape(-1)
        flat[cast("Any", situ.reshape(ind, (-1,)))] = values
        a[...] = flat.reshape(a.shape)
        return
    axis %= a.ndim
    places: list[ndarray] = []
    for dimension, size in enumerate(ind.shape):
        shape = [1] * a.ndim
        shape[dimension] = size
        own = situ.arange(size, device=a).reshape(shape)
        places.append(ind if dimension == axis else situ.broadcast_to(own, ind.shape))
    a[cast("Any", tuple(places))] = values


def real_if_close(a: ndarray, tol: float = 100) -> ndarray:
    """Return the real parts if the imaginary ones are next to nothing."""
    if a.dtype.kind != "c":
        return a
    limit = tol * float(np.finfo(a.dtype).eps) if tol > 1 else tol
    return situ.real(a) if bool(situ.all(situ.abs(situ.imag(a)) < limit)) else a


def require(
    a: object, dtype: Any = None, requirements: object = None, *, like: object = None
) -> ndarray:
    """Return an array; every array of situ meets what can be required."""
    del requirements, like
    return situ.asarray(a, dtype=dtype)


def resize(a: ndarray, new_shape: int | Sequence[int]) -> ndarray:
    """Return an array of another shape, with the elements over and over."""
    shape = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
    size = int(np.prod(shape))
    if a.size == 0 or size == 0:
        return situ.zeros(shape, dtype=a.dtype, device=a)
    flat = situ.reshape(a, (-1,))
    return situ.tile(flat, (-(-size // a.size),))[:size].reshape(shape)


def sort_complex(a: ndarray) -> ndarray:
    """Return sorted complex numbers."""
    if a.dtype.kind == "c":
        return situ.sort(a)
    # As NumPy chooses.
    is_narrow = a.dtype.kind in "iu" and a.dtype.itemsize <= 2
    return situ.sort(situ.astype(a, situ.complex64 if is_narrow else situ.complex128))


def spacing(x: ndarray, /, out: Any = None, **_rest: object) -> ndarray:
    """Return the distance to the next number away from zero."""
    away = situ.copysign(situ.full_like(x, situ.inf), x)
    return situ.subtract(situ.nextafter(x, away), x, out=out)


def trim_zeros(filt: ndarray, trim: str = "fb", axis: object = None) -> ndarray:
    """Return a row of numbers without zeros at its ends."""
    del axis
    places = situ.flatnonzero(filt)
    if places.size == 0:
        return filt[:0]
    first, last = int(places[0]), int(places[-1]) + 1
    return filt[first if "f" in trim else 0 : last if "b" in trim else filt.size]


def unwrap(
    p: ndarray, discont: float | None = None, axis: int = -1, *, period: float = 2 * np.pi
) -> ndarray:
    """Return angles without jumps of more than half a period."""
    p = p if p.dtype.kind == "f" or isinstance(period, int) else situ.astype(p, situ.float64)
    steps = situ.diff(p, axis=axis)
    half = period / 2
    wrapped = situ.remainder(steps + half, period) - half
    wrapped = situ.where((wrapped == -half) & (steps > 0), half, wrapped)
    limit = half if discont is None else max(discont, half)
    correction = situ.where(situ.abs(steps) < limit, 0.0, wrapped - steps)
    first = situ.zeros_like(situ.take(p, situ.zeros(1, dtype=situ.int64, device=p), axis=axis))
    return p + situ.concat([first, situ.cumulative_sum(correction, axis=axis)], axis=axis)


def vander(x: Any, /, N: int | None = None, increasing: bool = False, **place: Any) -> ndarray:
    """Return the powers of numbers, one column for each exponent."""
    del place
    x = situ.asarray(x)
    count = x.size if N is None else N
    exponents = situ.arange(count, device=x)
    return x[:, None] ** (exponents if increasing else situ.flip(exponents))


def tensorinv(a: ndarray, ind: int = 2) -> ndarray:
    """Return the inverse of an array that is a matrix of its first and last dimensions."""
    shape = (*a.shape[ind:], *a.shape[:ind])
    size = int(np.prod(a.shape[ind:]))
    return situ.linalg.inv(situ.reshape(a, (size, -1))).reshape(shape)


def tensorsolve(a: ndarray, b: ndarray, axes: Sequence[int] | None = None) -> ndarray:
    """Return what gives an array when it is multiplied by another over all its dimensions."""
    if axes is not None:
        kept = [axis for axis in range(a.ndim) if axis not in axes]
        a = situ.permute_dims(a, (*kept, *axes))
    shape = a.shape[b.ndim :]
    return situ.linalg.solve(situ.reshape(a, (b.size, -1)), situ.reshape(b, (-1,))).reshape(shape)


NAMES: dict[str, object] = {
    function.__name__: function
    for function in (
        apply_along_axis,
        apply_over_axes,
        convolve,
        corrcoef,
        correlate,
        cov,
        cumlogsumexp,
        ediff1d,
        ldexp,
        logsumexp,
        mask_indices,
        matvec,
        piecewise,
        put_along_axis,
        real_if_close,
        reduce_hypot,
        require,
        resize,
        sort_complex,
        spacing,
        trim_zeros,
        unwrap,
        vander,
        vecmat,
    )
}

LINALG_NAMES: dict[str, object] = {"tensorinv": tensorinv, "tensorsolve": tensorsolve}
