"""What numbers are made of: divisors, bits, mantissas and exponents."""

import numpy as np
import numpy.typing as npt

from situ import _native
from situ._array_arguments import takes_arrays
from situ._dtypes import result_type
from situ._library_kernels import common_divisors, count_bits, scale32, scale64, split32, split64
from situ._manipulation import broadcast_arrays
from situ._native import ndarray
from situ._output import Output, stored
from situ._placement import lend
from situ._queue_manager import Place
from situ.exceptions import DTypeError

__all__ = ["bitwise_count", "frexp", "gcd", "lcm", "ldexp", "spacing"]

Number = bool | int | float | complex


@takes_arrays
def gcd(
    x1: ndarray | int, x2: ndarray | int, /, out: Output = None, *, queue: Place | None = None
) -> ndarray:
    """Find the greatest common divisors of integers.

    Parameters
    ----------
    x1, x2
        Arrays of integers whose shapes broadcast, or an array and a number.
    out
        Where the result goes; a new array by default.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The divisors, which are not negative.

    Examples
    --------
    >>> import situ
    >>> situ.gcd(situ.asarray([12, -18, 0]), 8).to_numpy()
    array([4, 2, 8])
    """
    first, second, dtype = _integers("gcd", x1, x2, queue)
    return stored("gcd", _native.bring(_divisors(first, second), dtype=dtype), out)


@takes_arrays
def lcm(
    x1: ndarray | int, x2: ndarray | int, /, out: Output = None, *, queue: Place | None = None
) -> ndarray:
    """Find the least common multiples of integers.

    Parameters
    ----------
    x1, x2
        Arrays of integers whose shapes broadcast, or an array and a number.
    out
        Where the result goes; a new array by default.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The multiples, which are not negative; those that the dtype cannot hold wrap round.

    Examples
    --------
    >>> import situ
    >>> situ.lcm(situ.asarray([4, -6, 0]), 10).to_numpy()
    array([20, 30,  0])
    """
    first, second, dtype = _integers("lcm", x1, x2, queue)
    divisors = _divisors(first, second)
    # Two zeros have the divisor zero, and the multiple zero whatever they are divided by.
    quotients = first // _native.elementwise("maximum", divisors, 1)
    return stored("lcm", _native.bring(quotients * second, dtype=dtype), out)


def _integers(
    name: str, x1: ndarray | int, x2: ndarray | int, queue: Place | None
) -> tuple[ndarray, ndarray, np.dtype[np.generic]]:
    """Return the magnitudes of integers as unsigned ones of 64 bits, and the dtype of results."""
    dtype = np.dtype(result_type(x1, x2))
    if dtype.kind not in "iu":
        msg = (
            f"`{name}` is not defined for {dtype}\n"
            "  why:  only integers have common divisors and multiples\n"
            "  help: convert first, e.g. with `x.astype(situ.int64)`"
        )
        raise DTypeError(msg)
    first, second = (
        _magnitudes(_native.bring(each, dtype=dtype)) for each in _together(x1, x2, queue, dtype)
    )
    return first, second, dtype


def _together(
    x1: ndarray | Number,
    x2: ndarray | Number,
    queue: Place | None,
    dtype: np.dtype[np.generic] | None = None,
) -> tuple[ndarray, ...]:
    """Return two operands as arrays of one shape, where the call runs.

    Numbers become arrays of `dtype`, which has to hold them; of their own kind by default.
    """
    placement = _native.placement_of(x1, x2, queue=queue)
    arrays = [
        lend(each, queue)
        if isinstance(each, ndarray)
        else _native.full(
            (), each, dtype=dtype, device=placement.queue, usm_type=placement.usm_type
        )
        for each in (x1, x2)
    ]
    return broadcast_arrays(*arrays)


def _magnitudes(x: ndarray) -> ndarray:
    """Return the magnitudes of integers of any width as unsigned integers of 64 bits."""
    if x.dtype.kind == "i":
        # The least integer has no magnitude in its own dtype: its bits are those of the magnitude.
        x = _native.elementwise("abs", x)
        x = _native.bring(x, dtype=np.dtype(f"uint{8 * x.dtype.itemsize}"))
    return _native.bring(x, dtype=np.dtype(np.uint64))


def _divisors(first: ndarray, second: ndarray) -> ndarray:
    divisors = _made_of(np.uint64, first, second)
    if first.size:
        common_divisors(first.reshape(-1), second.reshape(-1), divisors.reshape(-1))
    return divisors


def _made_of(dtype: npt.DTypeLike, *arrays: ndarray) -> ndarray:
    """Return an array for the results of a function of arrays of one shape."""
    return _native.empty(
        arrays[0].shape,
        dtype=np.dtype(dtype),
        device=arrays[0].queue,
        usm_type=_native.placement_of(*arrays).usm_type,
    )


@takes_arrays
def bitwise_count(x: ndarray, /, out: Output = None, *, queue: Place | None = None) -> ndarray:
    """Count the bits that are set in the magnitude of each integer.

    Parameters
    ----------
    x
        An array of integers.
    out
        Where the result goes; a new array by default.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    ndarray
        The counts, as ``uint8``.

    Examples
    --------
    >>> import situ
    >>> situ.bitwise_count(situ.asarray([0, 1, -3, 255])).to_numpy()
    array([0, 1, 2, 8], dtype=uint8)
    """
    x = lend(x, queue)
    if x.dtype.kind not in "biu":
        msg = (
            f"`bitwise_count` is not defined for {x.dtype}\n"
            "  why:  only integers are made of bits that count\n"
            "  help: convert first, e.g. with `x.astype(situ.int64)`"
        )
        raise DTypeError(msg)
    counts = _made_of(np.uint8, x)
    if x.size:
        count_bits(_magnitudes(x).reshape(-1), counts.reshape(-1))
    return stored("bitwise_count", counts, out)


@takes_arrays
def frexp(x: ndarray, /, *, queue: Place | None = None) -> tuple[ndarray, ndarray]:
    """Split numbers into mantissas and powers of two.

    Parameters
    ----------
    x
        An array of real numbers.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    tuple of ndarray
        The mantissas, whose magnitudes are from 1/2 to less than 1, and the exponents as ``int32``.
        Zeros, infinities and NaN are their own mantissas, with the exponent 0.

    Examples
    --------
    >>> import situ
    >>> mantissa, exponent = situ.frexp(situ.asarray([8.0, -0.75, 0.0]))
    >>> mantissa.to_numpy(), exponent.to_numpy()
    (array([ 0.5 , -0.75,  0.  ]), array([4, 0, 0], dtype=int32))
    """
    x = lend(x, queue)
    dtype, numbers = _floats("frexp", x)
    mantissa, exponent = _made_of(numbers.dtype, x), _made_of(np.int32, x)
    if x.size:
        split = split64 if numbers.dtype == np.float64 else split32
        split(numbers.reshape(-1), mantissa.reshape(-1), exponent.reshape(-1))
    return _native.bring(mantissa, dtype=dtype), exponent


@takes_arrays
def ldexp(
    x1: ndarray | Number, x2: ndarray | int, /, out: Output = None, *, queue: Place | None = None
) -> ndarray:
    """Multiply numbers by powers of two.

    Parameters
    ----------
    x1
        An array of real numbers, or a number.
    x2
        The exponents: an array of integers, or a number. The shapes broadcast.
    out
        Where the result goes; a new array by default.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        ``x1 * 2**x2``, rounded once.

    Examples
    --------
    >>> import situ
    >>> situ.ldexp(situ.asarray([0.5, -0.75]), situ.asarray([4, 2])).to_numpy()
    array([ 8., -3.])
    """
    if isinstance(x2, ndarray) and (x2.dtype.kind not in "biu" or x2.dtype == np.uint64):
        msg = (
            f"`ldexp` takes no exponents of {x2.dtype}\n"
            "  why:  they are integers that int64 holds\n"
            "  help: convert them first, e.g. with `x2.astype(situ.int64)`"
        )
        raise DTypeError(msg)
    numbers, powers = _together(x1, x2, queue)
    dtype, numbers = _floats("ldexp", numbers)
    powers = _native.bring(powers, dtype=np.dtype(np.int64))
    result = _made_of(numbers.dtype, numbers, powers)
    if result.size:
        scale = scale64 if numbers.dtype == np.float64 else scale32
        scale(numbers.reshape(-1), powers.reshape(-1), result.reshape(-1))
    return stored("ldexp", _native.bring(result, dtype=dtype), out)


def _floats(name: str, x: ndarray) -> tuple[np.dtype[np.generic], ndarray]:
    """Return the dtype of results, and the numbers as ``float32`` or ``float64``."""
    if x.dtype.kind == "c":
        msg = (
            f"`{name}` is not defined for {x.dtype}\n"
            "  why:  a complex number has no one exponent\n"
            "  help: take the parts, `situ.real(x)` and `situ.imag(x)`"
        )
        raise DTypeError(msg)
    if x.dtype.kind != "f":
        # It knows which float holds an integer of this width, on this device.
        x = _native.elementwise("copysign", x, x)
    narrow = x.dtype.itemsize <= 4
    return x.dtype, _native.bring(x, dtype=np.dtype(np.float32 if narrow else np.float64))


@takes_arrays
def spacing(x: ndarray, /, out: Output = None, *, queue: Place | None = None) -> ndarray:
    """Find the distance of each number to the next one that is farther from zero.

    Parameters
    ----------
    x
        An array of real numbers.
    out
        Where the result goes; a new array by default.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    ndarray
        The distances, with the sign of the number.

    Examples
    --------
    >>> import situ
    >>> bool(situ.spacing(situ.asarray(1.0)) == situ.finfo(situ.float64).eps)
    True
    """
    x = _native.elementwise("copysign", x, x, queue=queue)
    # Zeros of either sign are next to a positive number, and a sum with zero has no negative zero.
    away = _native.elementwise("copysign", float("inf"), _native.elementwise("add", x, 0.0))
    return _native.elementwise("subtract", _native.elementwise("nextafter", x, away), x, out=out)
