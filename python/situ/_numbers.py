"""What is made of numbers: rounded ones, quotients and remainders, parts, angles."""

import numpy as np

from situ import _native
from situ._array_arguments import takes_arrays
from situ._dtypes import result_type
from situ._elementwise import Mask, Number, Output
from situ._native import ndarray
from situ._queue_manager import Place

__all__ = ["angle", "around", "divmod", "fix", "float_power", "modf", "nan_to_num", "round"]


@takes_arrays
def round(
    x: ndarray,
    /,
    decimals: int = 0,
    out: Output = None,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Each element rounded to a number of decimals, halves to the even digit.

    Parameters
    ----------
    x
        An array.
    decimals
        How many decimals are left; of negative ones, how many digits before the point are zeros.
    out
        Where the result goes; a new array by default.
    queue
        What runs the function: a queue from which the arrays are accessible. By default the queue
        that all arrays agree on.

    Returns
    -------
    ndarray
        The results, in the dtype of `x`.

    Examples
    --------
    >>> import situ
    >>> situ.round(situ.asarray([0.5, 1.5, 2.6])).to_numpy()
    array([0., 2., 3.])
    >>> situ.round(situ.asarray([0.123, 4.567]), 1).to_numpy()
    array([0.1, 4.6])
    """
    is_whole = x.dtype.kind in "biu"
    if decimals == 0 or (is_whole and decimals > 0):
        # As in NumPy, bools become floats, but stay bools under `floor`, `ceil` and `trunc`.
        name = "rint" if x.dtype.kind == "b" else "round"
        return _native.elementwise(name, x, out=out, queue=queue)
    name = "round_decimals" if decimals > 0 else "round_tens"
    scale = 10.0 ** abs(decimals)
    if not is_whole:
        return _native.elementwise(name, x, scale, out=out, queue=queue)
    if out is None:
        out = _native.empty(x.shape, dtype=x.dtype, device=x.queue, usm_type=x.usm_type)
    return _native.elementwise(name, x, scale, out=out, casting="unsafe", queue=queue)


def fix(x: ndarray, /, out: Output = None, *, queue: Place | None = None) -> ndarray:
    """Each element rounded towards zero.

    Parameters
    ----------
    x
        An array.
    out
        Where the result goes; a new array by default.
    queue
        What runs the function: a queue from which the arrays are accessible. By default the queue
        that all arrays agree on.

    Returns
    -------
    ndarray
        The results.

    Examples
    --------
    >>> import situ
    >>> situ.fix(situ.asarray([2.7, -2.7])).to_numpy()
    array([ 2., -2.])
    """
    return _native.elementwise("trunc", x, out=out, queue=queue)


@takes_arrays
def float_power(
    x1: ndarray | Number,
    x2: ndarray | Number,
    /,
    out: Output = None,
    *,
    where: Mask = True,
    casting: str = "same_kind",
    queue: Place | None = None,
) -> ndarray:
    """Powers in double precision, so that integers have negative ones too.

    Parameters
    ----------
    x1, x2
        Bases and exponents: arrays whose shapes broadcast, or an array and a number.
    out, where, casting, queue
        As for `add`.

    Returns
    -------
    ndarray
        The results, as ``float64`` or ``complex128``.

    Examples
    --------
    >>> import situ
    >>> situ.float_power(situ.asarray([2, 4]), -1).to_numpy()
    array([0.5 , 0.25])
    """
    dtype = result_type(x1, x2, np.float64)
    return _native.elementwise(
        "pow", x1, x2, out=out, where=where, dtype=dtype, casting=casting, queue=queue
    )


def divmod(
    x1: ndarray | Number, x2: ndarray | Number, /, *, queue: Place | None = None
) -> tuple[ndarray, ndarray]:
    """Quotients rounded down, and the remainders.

    Parameters
    ----------
    x1, x2
        Arrays whose shapes broadcast, or an array and a number.
    queue
        What runs the function: a queue from which the arrays are accessible. By default the queue
        that all arrays agree on.

    Returns
    -------
    tuple of ndarray
        ``floor_divide(x1, x2)`` and ``remainder(x1, x2)``.

    Examples
    --------
    >>> import situ
    >>> quotient, remainder = situ.divmod(situ.asarray([7, -7]), 3)
    >>> quotient.to_numpy(), remainder.to_numpy()
    (array([ 2, -3]), array([1, 2]))
    """
    return (
        _native.elementwise("floor_divide", x1, x2, queue=queue),
        _native.elementwise("remainder", x1, x2, queue=queue),
    )


@takes_arrays
def modf(x: ndarray, /, *, queue: Place | None = None) -> tuple[ndarray, ndarray]:
    """Fractions and whole numbers that elements are the sums of; both have the element's sign.

    Parameters
    ----------
    x
        An array.
    queue
        What runs the function: a queue from which the arrays are accessible. By default the queue
        that all arrays agree on.

    Returns
    -------
    tuple of ndarray
        The fractions and the whole numbers, as floats.

    Examples
    --------
    >>> import situ
    >>> fraction, whole = situ.modf(situ.asarray([2.5, -1.25]))
    >>> fraction.to_numpy(), whole.to_numpy()
    (array([ 0.5 , -0.25]), array([ 2., -1.]))
    """
    number = _native.elementwise("copysign", x, x, queue=queue)
    whole = _native.elementwise("trunc", number)
    # Infinities have no fraction, but a sign.
    is_whole = _native.elementwise("equal", number, whole)
    fraction = _native.elementwise("subtract", number, whole)
    fraction = _native.elementwise("where", is_whole, 0.0, fraction)
    return _native.elementwise("copysign", fraction, number), whole


@takes_arrays
def nan_to_num(
    x: ndarray,
    /,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Replace NaN and infinities by numbers.

    Parameters
    ----------
    x
        An array.
    copy
        Whether the result is a new array; else it is `x`, changed.
    nan
        What stands for NaN.
    posinf, neginf
        What stands for the infinities; by default the largest and the smallest number of the dtype.
    queue
        What runs the function: a queue from which the arrays are accessible. By default the queue
        that all arrays agree on.

    Returns
    -------
    ndarray
        The results.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([1.0, float("nan"), float("inf")])
    >>> situ.nan_to_num(x, posinf=99.0).to_numpy()
    array([ 1.,  0., 99.])
    """
    out = None if copy else x
    if x.dtype.kind in "biu":
        return _native.elementwise("maximum", x, x, out=out, queue=queue)
    limits = np.finfo(x.dtype)
    posinf = float(limits.max) if posinf is None else posinf
    neginf = float(limits.min) if neginf is None else neginf
    return _native.elementwise("nan_to_num", x, nan, posinf, neginf, out=out, queue=queue)


@takes_arrays
def angle(z: ndarray, /, deg: bool = False, *, queue: Place | None = None) -> ndarray:
    """Return the angle of each complex number with the positive real axis.

    Parameters
    ----------
    z
        An array.
    deg
        Whether the result is in degrees; it is in radians by default.
    queue
        What runs the function: a queue from which the arrays are accessible. By default the queue
        that all arrays agree on.

    Returns
    -------
    ndarray
        The angles.

    Examples
    --------
    >>> import situ
    >>> situ.angle(situ.asarray([1 + 0j, 0 + 1j]), deg=True).to_numpy()
    array([ 0., 90.])
    """
    if z.dtype.kind == "c":
        real = _native.elementwise("real", z, queue=queue)
        imaginary = _native.elementwise("imag", z, queue=queue)
        result = _native.elementwise("atan2", imaginary, real)
    else:
        # As in NumPy, the imaginary part is Python's zero: bools become `float64`.
        result = _native.elementwise("atan2", 0, z, queue=queue)
    return _native.elementwise("rad2deg", result) if deg else result


# NumPy's other name.
around = round
