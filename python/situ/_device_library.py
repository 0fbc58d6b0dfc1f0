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


# Functions of NumPy compute in the dtype that their arguments have together. `x * 1.0` is a number
# of that dtype, and a `float64` for integers.


def _numpy_gcd(a, b):
    # An operator of integers: floats are refused here.
    kind = (a | b).dtype
    a, b = kind.type(abs(a)), kind.type(abs(b))
    while b != 0:
        a, b = b, a % b
    return a


def _numpy_lcm(a, b):
    kind = (a | b).dtype
    a, b = kind.type(abs(a)), kind.type(abs(b))
    x, y = a, b
    while y != 0:
        x, y = y, x % y
    return a // max(x, kind.type(1)) * b


def _numpy_frexp(x):
    mantissa, exponent = _FREXP(x)
    return (x * 1.0).dtype.type(mantissa), np.int32(exponent)


def _numpy_ldexp(x, n):
    return (x * 1.0).dtype.type(_LDEXP(x, n))


def _numpy_modf(x):
    value = x * 1.0
    whole = np.trunc(value)
    rest = value.dtype.type(0) if math.isinf(value) else value - whole
    return np.copysign(rest, value), whole


def _logaddexp(x, y):
    kind = (x * 1.0 + y * 1.0).dtype
    x, y = kind.type(x), kind.type(y)
    if x == y:
        return x + 0.6931471805599453
    # Of two numbers the larger, or NaN.
    return np.maximum(x, y) + np.log1p(np.exp(-abs(x - y)))


def _logaddexp2(x, y):
    kind = (x * 1.0 + y * 1.0).dtype
    x, y = kind.type(x), kind.type(y)
    if x == y:
        return x + 1.0
    return np.maximum(x, y) + np.log1p(np.exp2(-abs(x - y))) * 1.4426950408889634


def _heaviside(x, y):
    kind = (x * 1.0 + y * 1.0).dtype
    if x != x:
        return kind.type(x)
    if x == 0:
        return kind.type(y)
    return kind.type(0) if x < 0 else kind.type(1)


def _float_power(x, y):
    kind = (x * np.float64(1) * y).dtype
    return kind.type(x) ** kind.type(y)


def _spacing(x):
    value = x * 1.0
    size = abs(value)
    gap = np.nextafter(size, size.dtype.type(math.inf)) - size
    return -gap if value < 0 else gap


def _sinc(x):
    angle = x * 3.141592653589793
    one = angle.dtype.type(1)
    return np.sin(angle) / angle if angle != 0 else one


def _bitwise_count(x):
    # An operator of integers: floats are refused here. The highest bit of the lowest signed integer
    # is its own absolute value's.
    bits = np.uint64(abs(x | x))
    count = 0
    while bits != 0:
        bits &= bits - 1
        count += 1
    return np.uint8(count)


def _numpy_isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    if a == b:
        return True
    if equal_nan and a != a and b != b:
        return True
    # Infinities are close to themselves only.
    if not (np.isfinite(a) and np.isfinite(b)):
        return False
    return abs(a - b) <= atol + rtol * abs(b)


def _finite(x, nan):
    if np.isnan(x):
        return x.dtype.type(nan)
    if np.isinf(x):
        # The largest number there is.
        return np.nextafter(x, x.dtype.type(0))
    return x


def _nan_to_num(x, copy=True, nan=0.0):
    if x.dtype == np.complex64 or x.dtype == np.complex128:
        return x.dtype.type(complex(_FINITE(x.real, nan), _FINITE(x.imag, nan)))
    return _FINITE(x, nan)


def _isneginf(x):
    return np.isinf(x) and x < 0


def _isposinf(x):
    return np.isinf(x) and x > 0


def _isreal(x):
    return np.imag(x) == 0


def _iscomplex(x):
    return np.imag(x) != 0


def _phase(z):
    z = complex(z)
    return math.atan2(z.imag, z.real)


def _angle(z, deg=False):
    angle = np.arctan2(np.imag(z), np.real(z))
    return angle * 57.29577951308232 if deg else angle


def _polar(z):
    z = complex(z)
    return abs(z), math.atan2(z.imag, z.real)


def _rect(r, phi):
    return complex(r * math.cos(phi), r * math.sin(phi))


def _divmod(x, y):
    return x // y, x % y


# Called by functions above.
_FINITE = device_func(_finite)
_FREXP = device_func(_frexp)
_LDEXP = device_func(_ldexp)

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
        "angle": _angle,
        "bitwise_count": _bitwise_count,
        "divmod": _divmod,
        "float_power": _float_power,
        "frexp": _numpy_frexp,
        "gcd": _numpy_gcd,
        "heaviside": _heaviside,
        "isclose": _numpy_isclose,
        "iscomplex": _iscomplex,
        "isneginf": _isneginf,
        "isposinf": _isposinf,
        "isreal": _isreal,
        "lcm": _numpy_lcm,
        "ldexp": _numpy_ldexp,
        "logaddexp": _logaddexp,
        "logaddexp2": _logaddexp2,
        "modf": _numpy_modf,
        "nan_to_num": _nan_to_num,
        "sinc": _sinc,
        "spacing": _spacing,
    },
}


@cache
def find(module: str, name: str) -> DeviceFunction | None:
    """Return the device function for a function of a module, if there is one."""
    function = _FUNCTIONS.get(module, {}).get(name)
    return None if function is None else device_func(function)
