"""The work of every line, written once for all libraries.

A function here takes arrays and calls functions of `xp`, a name that `bound` gives each library's
own meaning. So NumPy, situ, dpnp and JAX run the same statements, and Numba compiles them.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

Work = Callable[..., Any]

# What `bound` replaces.
xp: Any = None


def bound(work: Work, namespace: object) -> Work:
    """Return the work with `xp` as this namespace."""
    function = cast("FunctionType", work)
    names = {**function.__globals__, "xp": namespace}
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__)


def add(a: Any, b: Any) -> Any:
    return a + b


def chain(a: Any, b: Any, c: Any, d: Any) -> Any:
    return a * b + c - d


def sin(a: Any) -> Any:
    return xp.sin(a)


def log(a: Any) -> Any:
    return xp.log(a)


def power(a: Any, b: Any) -> Any:
    return a**b


def exp(a: Any) -> Any:
    return xp.exp(a)


def total(a: Any) -> Any:
    return xp.sum(a)


def squared_distance(a: Any, b: Any) -> Any:
    return xp.sum((a - b) ** 2)


def argmax(a: Any) -> Any:
    return xp.argmax(a)


def sum_of_columns(a: Any) -> Any:
    return xp.sum(a, axis=0)


def sum_of_rows(a: Any) -> Any:
    return xp.sum(a, axis=1)


def std_of_columns(a: Any) -> Any:
    return xp.std(a, axis=0)


def cumsum(a: Any) -> Any:
    return xp.cumsum(a)


def cumsum_of_rows(a: Any) -> Any:
    return xp.cumsum(a, axis=1)


def sort(a: Any) -> Any:
    return xp.sort(a)


def argsort(a: Any) -> Any:
    return xp.argsort(a)


def unique(a: Any) -> Any:
    return xp.unique(a)


def where(mask: Any, a: Any, b: Any) -> Any:
    return xp.where(mask, a, b)


def where_second(a: Any, mask: Any, b: Any) -> Any:
    return xp.where(mask, a, b)


def masked(a: Any, mask: Any) -> Any:
    return a[mask]


def take(a: Any, positions: Any) -> Any:
    return xp.take(a, positions)


def take_rows(a: Any, positions: Any) -> Any:
    return xp.take(a, positions, axis=0)


def add_every_second(a: Any, b: Any) -> Any:
    return a[::2] + b[::2]


def copy(a: Any) -> Any:
    return a.copy()


def transposed_copy(a: Any) -> Any:
    return a.T.copy()


def outer(a: Any, b: Any) -> Any:
    return xp.outer(a, b)


def stencil(a: Any) -> Any:
    """Replace each inner point by the mean of itself and its four neighbours."""
    return 0.2 * (a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])


def black_scholes(price: Any, strike: Any, years: Any) -> Any:
    """Give the price of call options; the normal distribution by a logistic function.

    NumPy has no error function, so the distribution is one that every library can write.
    """
    root = 0.3 * xp.sqrt(years)
    d1 = (xp.log(price / strike) + (0.1 + 0.5 * 0.3 * 0.3) * years) / root
    d2 = d1 - root
    n1 = 1.0 / (1.0 + xp.exp(-1.702 * d1))
    n2 = 1.0 / (1.0 + xp.exp(-1.702 * d2))
    return price * n1 - strike * xp.exp(-0.1 * years) * n2


def matmul(a: Any, b: Any) -> Any:
    return a @ b


def solve(a: Any, b: Any) -> Any:
    return xp.linalg.solve(a, b)


def cholesky(a: Any) -> Any:
    return xp.linalg.cholesky(a)


def svd(a: Any) -> Any:
    return xp.linalg.svd(a)


def eigh(a: Any) -> Any:
    return xp.linalg.eigh(a)


def fft(a: Any) -> Any:
    return xp.fft.fft(a)


def inner_part(a: Any) -> Any:
    return a[1:-1]
