"""What NumPy's functions tell about arrays."""

from situ import _native
from situ._array_arguments import takes_arrays
from situ._native import ndarray

__all__ = ["iscomplexobj", "isrealobj", "may_share_memory", "ndim", "shape", "size"]


@takes_arrays
def ndim(x: ndarray, /) -> int:
    """Tell how many dimensions an array has.

    Parameters
    ----------
    x
        The array.

    Returns
    -------
    int
        Their number.

    Examples
    --------
    >>> import situ
    >>> situ.ndim(situ.zeros((2, 3)))
    2
    """
    return x.ndim


@takes_arrays
def shape(x: ndarray, /) -> tuple[int, ...]:
    """Tell the sizes of the dimensions of an array.

    Parameters
    ----------
    x
        The array.

    Returns
    -------
    tuple of int
        The sizes.

    Examples
    --------
    >>> import situ
    >>> situ.shape(situ.zeros((2, 3)))
    (2, 3)
    """
    return x.shape


@takes_arrays
def size(x: ndarray, /, axis: int | None = None) -> int:
    """Tell how many elements an array has, or entries along an axis.

    Parameters
    ----------
    x
        The array.
    axis
        The axis; all elements are counted by default.

    Returns
    -------
    int
        Their number.

    Examples
    --------
    >>> import situ
    >>> situ.size(situ.zeros((2, 3))), situ.size(situ.zeros((2, 3)), axis=1)
    (6, 3)
    """
    # Moving the axis refuses one that does not exist, in the words of all functions.
    return x.size if axis is None else _native.moveaxis(x, axis, 0).shape[0]


def may_share_memory(a: ndarray, b: ndarray, /) -> bool:
    """Tell whether two arrays are views of one allocation.

    Parameters
    ----------
    a, b
        The arrays.

    Returns
    -------
    bool
        Whether they are; their elements may lie apart all the same.

    Examples
    --------
    >>> import situ
    >>> x = situ.zeros(4)
    >>> situ.may_share_memory(x[:2], x[1:])
    True
    """
    return _native.shares_memory(a, b)


@takes_arrays
def iscomplexobj(x: ndarray, /) -> bool:
    """Tell whether an array has a complex dtype.

    Parameters
    ----------
    x
        The array.

    Returns
    -------
    bool
        Whether it has.

    Examples
    --------
    >>> import situ
    >>> situ.iscomplexobj(situ.zeros(2, "complex64"))
    True
    """
    return x.dtype.kind == "c"


@takes_arrays
def isrealobj(x: ndarray, /) -> bool:
    """Tell whether an array has a dtype that is not complex.

    Parameters
    ----------
    x
        The array.

    Returns
    -------
    bool
        Whether it has.

    Examples
    --------
    >>> import situ
    >>> situ.isrealobj(situ.zeros(2))
    True
    """
    return x.dtype.kind != "c"
