"""Assertions about arrays, wherever they are.

NumPy's own assertions compare; what they say is completed with where the arrays are. Arrays of
different devices may be compared: what is tested is copied to the host.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from situ._native import ndarray

__all__ = [
    "assert_allclose",
    "assert_array_almost_equal",
    "assert_array_equal",
    "assert_array_less",
]

Comparable = ndarray | npt.ArrayLike


def assert_allclose(
    actual: Comparable,
    desired: Comparable,
    rtol: float = 1e-7,
    atol: float = 0.0,
    equal_nan: bool = True,
    err_msg: str = "",
    verbose: bool = True,
) -> None:
    """Raise an ``AssertionError`` unless two arrays are equal up to a tolerance.

    Parameters
    ----------
    actual
        The array that was computed: of situ, on any device, or anything that NumPy makes an array
        of.
    desired
        What it should be.
    rtol, atol
        Tolerances: elements may differ by ``atol + rtol * abs(desired)``.
    equal_nan
        Whether NaN equals NaN.
    err_msg
        What to say if they differ.
    verbose
        Whether to show the values.

    Examples
    --------
    >>> import situ
    >>> from situ.testing import assert_allclose
    >>> assert_allclose(situ.sin(situ.asarray([0.0, 0.5])), [0.0, 0.479425538604203])
    """
    _compare(
        lambda x, y: np.testing.assert_allclose(
            x, y, rtol=rtol, atol=atol, equal_nan=equal_nan, err_msg=err_msg, verbose=verbose
        ),
        actual,
        desired,
    )


def assert_array_equal(
    actual: Comparable,
    desired: Comparable,
    err_msg: str = "",
    verbose: bool = True,
    *,
    strict: bool = False,
) -> None:
    """Raise an ``AssertionError`` unless two arrays have equal elements; NaN equals NaN.

    Parameters
    ----------
    actual, desired
        The arrays, as for `assert_allclose`.
    err_msg
        What to say if they differ.
    verbose
        Whether to show the values.
    strict
        Whether shapes and dtypes must be the same, too.

    Examples
    --------
    >>> import situ
    >>> from situ.testing import assert_array_equal
    >>> assert_array_equal(situ.arange(3), [0, 1, 2])
    """
    _compare(
        lambda x, y: np.testing.assert_array_equal(x, y, err_msg, verbose, strict=strict),
        actual,
        desired,
    )


def assert_array_almost_equal(
    actual: Comparable,
    desired: Comparable,
    decimal: int = 6,
    err_msg: str = "",
    verbose: bool = True,
) -> None:
    """Raise an ``AssertionError`` unless two arrays are equal up to a number of decimals.

    Parameters
    ----------
    actual, desired
        The arrays, as for `assert_allclose`.
    decimal
        How many decimals.
    err_msg
        What to say if they differ.
    verbose
        Whether to show the values.

    Examples
    --------
    >>> import situ
    >>> from situ.testing import assert_array_almost_equal
    >>> assert_array_almost_equal(situ.asarray([1.0 / 3.0]), [0.333333], decimal=5)
    """
    _compare(
        lambda x, y: np.testing.assert_array_almost_equal(x, y, decimal, err_msg, verbose),
        actual,
        desired,
    )


def assert_array_less(
    x: Comparable,
    y: Comparable,
    err_msg: str = "",
    verbose: bool = True,
) -> None:
    """Raise an ``AssertionError`` unless each element of an array is less than that of another one.

    Parameters
    ----------
    x, y
        The arrays, as for `assert_allclose`.
    err_msg
        What to say if they are not.
    verbose
        Whether to show the values.

    Examples
    --------
    >>> import situ
    >>> from situ.testing import assert_array_less
    >>> assert_array_less(situ.zeros(3), situ.ones(3))
    """
    _compare(
        lambda left, right: np.testing.assert_array_less(left, right, err_msg, verbose),
        x,
        y,
        names=("x", "y"),
    )


def _compare(
    check: Callable[[Any, Any], None],
    left: Comparable,
    right: Comparable,
    names: tuple[str, str] = ("actual", "desired"),
) -> None:
    """Compare on the host, and say where arrays are if the comparison fails."""
    # Only this frame stands between the test and NumPy's.
    __tracebackhide__ = True
    try:
        check(_host(left), _host(right))
    except AssertionError as failure:
        places = [
            f"`{name}` is on {x.device.filter_string} ({x.usm_type} memory)"
            for name, x in zip(names, (left, right), strict=True)
            if isinstance(x, ndarray)
        ]
        raise AssertionError("\n".join([str(failure), *places])) from None


def _host(x: Comparable) -> npt.ArrayLike:
    return x.to_numpy() if isinstance(x, ndarray) else x
