"""Functions of `math`, `cmath` and NumPy that kernels have, written in the language of kernels.

The compiler itself knows the functions that are one operation of the device. Those that are several
are written here, as any device function would be; `find` makes one of them when a kernel mentions
it. They give what Python's and NumPy's own functions give, as far as numbers with a width can.
`simulate` does not come here: it calls the originals.
"""

# Parameters of device functions have the types of each call, so nothing is annotated; and each
# function is documented where it is named.
# ruff: noqa: ANN001, ANN202
# pyright: basic

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from situ._kernel import device_func
from situ._native import DeviceFunction

__all__ = ["find"]


def _gcd(a, b):
    a, b = abs(int(a)), abs(int(b))
    while b != 0:
        a, b = b, a % b
    return a


def _lcm(a, b):
    a, b = abs(int(a)), abs(int(b))
    x, y = a, b
    while y != 0:
        x, y = y, x % y
    return a // max(x, 1) * b


def _factorial(n):
    product = 1
    for k in range(2, int(n) + 1):
        product *= k
    return product


def _perm(n, k):
    product = 1
    for j in range(int(k)):
        product *= int(n) - j
    return product


def _comb(n, k):
    n, k = int(n), int(k)
    if k > n:
        return 0
    k = min(k, n - k)
    result = 1
    for j in range(k):
        result = result * (n - j) // (j + 1)
    return result


def _isqrt(n):
    n = int(n)
    root = int(math.sqrt(n))
    # The square root of a large integer is rounded; step to the exact one. Squares could overflow.
    while root > 0 and root > n // max(root, 1):
        root -= 1
    while root + 1 <= n // (root + 1):
        root += 1
    return root


def _isclose(a, b, rel_tol=1e-09, abs_tol=0.0):
    if a == b:
        return True
    if math.isinf(a) or math.isinf(b):
        return False
    difference = abs(a - b)
    return difference <= max(rel_tol * max(abs(a), abs(b)), abs_tol)


def _complex_isclose(a, b, rel_tol=1e-09, abs_tol=0.0):
    if a == b:
        return True
    difference = abs(complex(a) - complex(b))
    if math.isinf(difference):
        return False
    return difference <= max(rel_tol * max(abs(a), abs(b)), abs_tol)


def _modf(x):
    whole = np.trunc(x)
    if math.isinf(x):
        return math.copysign(x - x if x == 0 else 0.0, x), whole
    return math.copysign(x - whole, x), whole


def _frexp(x):
    value = np.float64(x)
    if value == 0 or not math.isfinite(value):
        return value, 0
    shift = 0
    if abs(value) < 2.2250738585072014e-308:
        # Make a subnormal number normal.
        value *= 18014398509481984.0
        shift = 54
    bits = value.view(np.int64)
    exponent = ((bits >> 52) & 0x7FF) - 1022
    mantissa = (bits & ~(0x7FF << 52)) | (1022 << 52)
    return mantissa.view(np.float64), exponent - shift


def _ldexp(x, n):
    # In steps that neither overflow nor underflow before the result does, except for the last.
    value, n = float(x), int(n)
    n = max(min(n, 2200), -2200)
    while n > 1000:
        value *= 1.0715086071862673e301
        n -= 1000
    while n < -900:
        value *= 1.1830521861667747e-271
        n += 900
    return value * 2.0**n


def _remainder(x, y):
    if math.isinf(y) and math.isfinite(x):
        return float(x)
    y = abs(y)
    rest = math.fmod(abs(x), y)
    # What is left is below `y`; the nearest multiple is this one or the next, an even one if tied.
    other = y - rest
    if rest > other or (rest == other and math.fmod(abs(x) - rest, 2 * y) != 0):
        rest = -other
    return math.copysign(1.0, x) * rest


def _ulp(x):
    if math.isnan(x) or math.isinf(x):
        return abs(x)
    size = abs(x)
    next_ = math.nextafter(size, math.inf)
    if math.isinf(next_):
        return size - math.nextafter(size, 0.0)
    return next_ - size


def _logaddexp(x, y):
    if x == y:
        return x + math.log(2.0)
    return max(x, y) + math.log1p(math.exp(-abs(x - y)))


def _logaddexp2(x, y):
    if x == y:
        return x + 1.0
    return max(x, y) + math.log1p(np.exp2(-abs(x - y))) * 1.4426950408889634


def _heaviside(x, y):
    if math.isnan(x):
        return x
    if x == 0:
        return y
    return 0.0 if x < 0 else 1.0


def _float_power(x, y):
    return float(x) ** float(y)


def _spacing(x):
    size = abs(x)
    return math.copysign(math.nextafter(size, math.inf) - size, x)


def _sinc(x):
    if x == 0:
        return 1.0
    return math.sin(math.pi * x) / (math.pi * x)


def _bitwise_count(x):
    # The highest bit of the lowest signed integer is its own absolute value's.
    bits = np.uint64(abs(x))
    count = 0
    while bits != 0:
        bits &= bits - 1
        count += 1
    return np.uint8(count)


def _phase(z):
    z = complex(z)
    return math.atan2(z.imag, z.real)


def _polar(z):
    z = complex(z)
    return abs(z), math.atan2(z.imag, z.real)


def _rect(r, phi):
    return complex(r * math.cos(phi), r * math.sin(phi))


def _divmod(x, y):
    return x // y, x % y


_FUNCTIONS: dict[str, dict[str, Callable[..., Any]]] = {
    "math": {
        "comb": _comb,
        "factorial": _factorial,
        "frexp": _frexp,
        "gcd": _gcd,
        "isclose": _isclose,
        "isqrt": _isqrt,
        "lcm": _lcm,
        "ldexp": _ldexp,
        "modf": _modf,
        "perm": _perm,
        "remainder": _remainder,
        "ulp": _ulp,
    },
    "cmath": {
        "isclose": _complex_isclose,
        "phase": _phase,
        "polar": _polar,
        "rect": _rect,
    },
    "numpy": {
        "angle": _phase,
        "bitwise_count": _bitwise_count,
        "divmod": _divmod,
        "float_power": _float_power,
        "frexp": _frexp,
        "gcd": _gcd,
        "heaviside": _heaviside,
        "lcm": _lcm,
        "ldexp": _ldexp,
        "logaddexp": _logaddexp,
        "logaddexp2": _logaddexp2,
        "modf": _modf,
        "sinc": _sinc,
        "spacing": _spacing,
    },
}


@cache
def find(module: str, name: str) -> DeviceFunction | None:
    """Return the device function for a function of a module, if there is one."""
    function = _FUNCTIONS.get(module, {}).get(name)
    return None if function is None else device_func(function)
