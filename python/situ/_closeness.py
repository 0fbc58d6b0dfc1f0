"""Whether arrays are equal, or nearly so."""

from situ import _native
from situ._array_arguments import takes_arrays
from situ._elementwise import Number
from situ._native import ndarray
from situ._queue_manager import Place

__all__ = ["allclose", "array_equal", "array_equiv", "isclose"]


def isclose(
    a: ndarray | Number,
    b: ndarray | Number,
    /,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
    *,
    queue: Place | None = None,
) -> ndarray:
    """Whether elements differ by no more than ``atol + rtol * abs(b)``.

    Parameters
    ----------
    a, b
        Arrays whose shapes broadcast, or an array and a number.
    rtol
        Which share of `b` they may differ by.
    atol
        By how much they may differ in any case.
    equal_nan
        Whether NaN is close to NaN.
    queue
        What runs the function: a queue from which the arrays are accessible. By default the queue
        that all arrays agree on.

    Returns
    -------
    ndarray
        Bools.

    Examples
    --------
    >>> import situ
    >>> situ.isclose(situ.asarray([1.0, 2.0]), situ.asarray([1.000001, 2.1])).to_numpy()
    array([ True, False])
    """
    name = "isclose_or_nan" if equal_nan else "isclose"
    return _native.elementwise(name, a, b, rtol, atol, queue=queue)


def allclose(
    a: ndarray | Number,
    b: ndarray | Number,
    /,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
    *,
    queue: Place | None = None,
) -> bool:
    """Whether all elements differ by no more than ``atol + rtol * abs(b)``; this waits.

    Parameters
    ----------
    a, b, rtol, atol, equal_nan, queue
        As for `isclose`.

    Returns
    -------
    bool
        The answer.

    Examples
    --------
    >>> import situ
    >>> situ.allclose(situ.asarray([1.0, 2.0]), situ.asarray([1.000001, 2.000001]))
    True
    """
    return bool(_native.reduce("all", isclose(a, b, rtol, atol, equal_nan, queue=queue)))


@takes_arrays
def array_equal(
    a1: ndarray, a2: ndarray, /, equal_nan: bool = False, *, queue: Place | None = None
) -> bool:
    """Whether two arrays have the same shape and the same elements; this waits.

    Parameters
    ----------
    a1, a2
        The arrays.
    equal_nan
        Whether NaN equals NaN.
    queue
        What runs the function: a queue from which the arrays are accessible. By default the queue
        that all arrays agree on.

    Returns
    -------
    bool
        The answer.

    Examples
    --------
    >>> import situ
    >>> situ.array_equal(situ.asarray([1, 2]), situ.asarray([1, 2]))
    True
    >>> situ.array_equal(situ.asarray([1, 2]), situ.asarray([1, 2, 3]))
    False
    """
    if a1.shape != a2.shape:
        return False
    if equal_nan and {a1.dtype.kind, a2.dtype.kind} & {"f", "c"}:
        same = isclose(a1, a2, 0.0, 0.0, equal_nan=True, queue=queue)
    else:
        same = _native.elementwise("equal", a1, a2, queue=queue)
    return bool(_native.reduce("all", same))


@takes_arrays
def array_equiv(a1: ndarray, a2: ndarray, /, *, queue: Place | None = None) -> bool:
    """Whether two arrays have the same elements once their shapes are broadcast; this waits.

    Parameters
    ----------
    a1, a2
        The arrays.
    queue
        What runs the function: a queue from which the arrays are accessible. By default the queue
        that all arrays agree on.

    Returns
    -------
    bool
        The answer; arrays whose shapes do not broadcast are not equivalent.

    Examples
    --------
    >>> import situ
    >>> situ.array_equiv(situ.asarray([1, 1]), situ.asarray([[1], [1]]))
    True
    """
    pairs = zip(reversed(a1.shape), reversed(a2.shape), strict=False)
    if any(size != other and 1 not in (size, other) for size, other in pairs):
        return False
    return bool(_native.reduce("all", _native.elementwise("equal", a1, a2, queue=queue)))
