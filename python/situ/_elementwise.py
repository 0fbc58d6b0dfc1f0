"""Elementwise functions.

Each is a name of the compiled table with its documentation; what it computes, and for which dtypes,
is said once, in ``crates/situ-array/src/functions/elementwise.rs``.
"""

from typing import Protocol, overload

import numpy.typing as npt

from situ import _native
from situ._array_arguments import set_name, takes_arrays
from situ._native import ndarray
from situ._queue_manager import Place
from situ._simulation import in_simulation, on_numbers

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "clip",
    "conj",
    "conjugate",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "divide",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "imag",
    "invert",
    "iscomplex",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "left_shift",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "power",
    "rad2deg",
    "radians",
    "real",
    "reciprocal",
    "remainder",
    "right_shift",
    "rint",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
    "where",
]

Number = bool | int | float | complex
Output = ndarray | tuple[ndarray] | None
Mask = ndarray | bool


class UnaryFunction(Protocol):
    """A function of one array."""

    def __call__(
        self,
        x: ndarray,
        /,
        out: Output = None,
        *,
        where: Mask = True,
        dtype: npt.DTypeLike | None = None,
        casting: str = "same_kind",
        queue: Place | None = None,
    ) -> ndarray:
        """Apply the function to each element; the result goes to `out`, if it is given."""
        ...


class BinaryFunction(Protocol):
    """A function of two operands, at least one of them an array; shapes are broadcast."""

    def __call__(
        self,
        x1: ndarray | Number,
        x2: ndarray | Number,
        /,
        out: Output = None,
        *,
        where: Mask = True,
        dtype: npt.DTypeLike | None = None,
        casting: str = "same_kind",
        queue: Place | None = None,
    ) -> ndarray:
        """Apply the function to pairs of elements; the result goes to `out`, if it is given."""
        ...


_OPTIONS = """out
        Where the result goes; a new array by default.
    where
        Where there is a result: an array of bools. Elsewhere `out` stays as it is, and a new array
        is undefined.
    dtype
        What to compute in; by default that follows from the operands.
    casting
        How far `dtype` and `out` may be from that: ``"no"``, ``"safe"``, ``"same_kind"`` or
        ``"unsafe"``.
    queue
        What runs the function: a queue from which the arrays are accessible. By default the queue
        that all arrays agree on."""


# How the compiled table knows its functions where there is nothing to say but the operands.
_NUMBERS = {name: number for number, (name, _) in enumerate(_native.elementwise_functions())}


def _shown(result: str) -> str:
    """Return what the example does to show floats shortly; bools cannot be rounded."""
    return "" if "True" in result or "False" in result else ".round(4)"


def _unary(name: str, summary: str, operand: str, result: str) -> UnaryFunction:
    number = _NUMBERS[name]

    def function(
        x: ndarray,
        /,
        out: Output = None,
        *,
        where: Mask = True,
        dtype: npt.DTypeLike | None = None,
        casting: str = "same_kind",
        queue: Place | None = None,
    ) -> ndarray:
        try:
            if where is True and out is dtype is queue is None and casting == "same_kind":
                return _native.unary(number, x)
            return _native.elementwise(
                name, x, out=out, where=where, dtype=dtype, casting=casting, queue=queue
            )
        except TypeError:
            if in_simulation():
                return on_numbers(name, x)
            raise

    set_name(function, name)
    function.__doc__ = f"""{summary}

    Parameters
    ----------
    x
        An array.
    {_OPTIONS}

    Returns
    -------
    ndarray
        The results.

    Examples
    --------
    >>> import situ
    >>> situ.{name}(situ.asarray({operand})).to_numpy(){_shown(result)}
    {result}
    """
    return function


def _binary(name: str, summary: str, operands: tuple[str, str], result: str) -> BinaryFunction:
    number = _NUMBERS[name]

    def function(
        x1: ndarray | Number,
        x2: ndarray | Number,
        /,
        out: Output = None,
        *,
        where: Mask = True,
        dtype: npt.DTypeLike | None = None,
        casting: str = "same_kind",
        queue: Place | None = None,
    ) -> ndarray:
        try:
            if where is True and out is dtype is queue is None and casting == "same_kind":
                return _native.binary(number, x1, x2)
            return _native.elementwise(
                name, x1, x2, out=out, where=where, dtype=dtype, casting=casting, queue=queue
            )
        except TypeError:
            if in_simulation():
                return on_numbers(name, x1, x2)
            raise

    set_name(function, name)
    function.__doc__ = f"""{summary}

    Parameters
    ----------
    x1, x2
        Arrays whose shapes broadcast, or an array and a number.
    {_OPTIONS}

    Returns
    -------
    ndarray
        The results.

    Examples
    --------
    >>> import situ
    >>> x1, x2 = situ.asarray({operands[0]}), situ.asarray({operands[1]})
    >>> situ.{name}(x1, x2).to_numpy(){_shown(result)}
    {result}
    """
    return function


abs = _unary("abs", "Magnitude of each element.", "[-1.5, 2.0]", "array([1.5, 2. ])")
acos = _unary(
    "acos", "Inverse cosine of each element, in radians.", "[1.0, 0.0]", "array([0.    , 1.5708])"
)
acosh = _unary(
    "acosh", "Inverse hyperbolic cosine of each element.", "[1.0, 2.0]", "array([0.   , 1.317])"
)
add = _binary("add", "Sum of elements.", ("[1, 2]", "[10, 20]"), "array([11, 22])")
asin = _unary(
    "asin", "Inverse sine of each element, in radians.", "[0.0, 1.0]", "array([0.    , 1.5708])"
)
asinh = _unary(
    "asinh", "Inverse hyperbolic sine of each element.", "[0.0, 1.0]", "array([0.    , 0.8814])"
)
atan = _unary(
    "atan", "Inverse tangent of each element, in radians.", "[0.0, 1.0]", "array([0.    , 0.7854])"
)
atan2 = _binary(
    "atan2",
    "Angle of the points ``(x2, x1)``, in radians.",
    ("[0.0, 1.0]", "[1.0, 1.0]"),
    "array([0.    , 0.7854])",
)
atanh = _unary(
    "atanh", "Inverse hyperbolic tangent of each element.", "[0.0, 0.5]", "array([0.    , 0.5493])"
)
bitwise_and = _binary(
    "bitwise_and",
    "Bitwise and of integers, logical and of bools.",
    ("[12, 10]", "[10, 3]"),
    "array([8, 2])",
)
bitwise_invert = _unary(
    "bitwise_invert",
    "Bitwise complement of each integer, logical complement of each bool.",
    "[0, 5]",
    "array([-1, -6])",
)
bitwise_left_shift = _binary(
    "bitwise_left_shift",
    "Bits of `x1` moved left by `x2`.",
    ("[1, 3]", "[4, 1]"),
    "array([16,  6])",
)
bitwise_or = _binary(
    "bitwise_or",
    "Bitwise or of integers, logical or of bools.",
    ("[12, 10]", "[10, 3]"),
    "array([14, 11])",
)
bitwise_right_shift = _binary(
    "bitwise_right_shift",
    "Bits of `x1` moved right by `x2`, keeping the sign.",
    ("[16, -8]", "[2, 1]"),
    "array([ 4, -4])",
)
bitwise_xor = _binary(
    "bitwise_xor",
    "Bitwise exclusive or of integers, logical of bools.",
    ("[12, 10]", "[10, 3]"),
    "array([6, 9])",
)
ceil = _unary("ceil", "Each element rounded up.", "[1.2, -1.2]", "array([ 2., -1.])")
copysign = _binary(
    "copysign",
    "Magnitude of `x1` with the sign of `x2`.",
    ("[1.0, 2.0]", "[-3.0, 4.0]"),
    "array([-1.,  2.])",
)
cos = _unary("cos", "Cosine of each element, in radians.", "[0.0, 1.0]", "array([1.    , 0.5403])")
cosh = _unary("cosh", "Hyperbolic cosine of each element.", "[0.0, 1.0]", "array([1.    , 1.5431])")
divide = _binary(
    "divide", "True quotient; integers become floats.", ("[1, 3]", "[2, 2]"), "array([0.5, 1.5])"
)
equal = _binary(
    "equal", "Whether elements are equal.", ("[1, 2]", "[1, 3]"), "array([ True, False])"
)
exp = _unary("exp", "e to the power of each element.", "[0.0, 1.0]", "array([1.    , 2.7183])")
expm1 = _unary(
    "expm1",
    "``exp(x) - 1``, exact also for small elements.",
    "[0.0, 1.0]",
    "array([0.    , 1.7183])",
)
floor = _unary("floor", "Each element rounded down.", "[1.2, -1.2]", "array([ 1., -2.])")
floor_divide = _binary(
    "floor_divide",
    "Quotient rounded down; integers divided by zero give 0, infinite quotients are not rounded.",
    ("[7, -7]", "[2, 2]"),
    "array([ 3, -4])",
)
greater = _binary("greater", "Whether ``x1 > x2``.", ("[1, 2]", "[1, 1]"), "array([False,  True])")
greater_equal = _binary(
    "greater_equal", "Whether ``x1 >= x2``.", ("[1, 2]", "[1, 3]"), "array([ True, False])"
)
hypot = _binary(
    "hypot",
    "``sqrt(x1**2 + x2**2)`` without overflow.",
    ("[3.0, 5.0]", "[4.0, 12.0]"),
    "array([ 5., 13.])",
)
isfinite = _unary(
    "isfinite",
    "Whether each element is neither infinite nor NaN.",
    '[1.0, float("inf")]',
    "array([ True, False])",
)
isinf = _unary(
    "isinf", "Whether each element is infinite.", '[1.0, float("inf")]', "array([False,  True])"
)
isnan = _unary(
    "isnan", "Whether each element is NaN.", '[1.0, float("nan")]', "array([False,  True])"
)
less = _binary("less", "Whether ``x1 < x2``.", ("[1, 2]", "[1, 3]"), "array([False,  True])")
less_equal = _binary(
    "less_equal", "Whether ``x1 <= x2``.", ("[1, 2]", "[1, 1]"), "array([ True, False])"
)
log = _unary("log", "Natural logarithm of each element.", "[1.0, 10.0]", "array([0.    , 2.3026])")
log10 = _unary("log10", "Base-10 logarithm of each element.", "[1.0, 1000.0]", "array([0., 3.])")
log1p = _unary(
    "log1p",
    "``log(1 + x)``, exact also for small elements.",
    "[0.0, 1.0]",
    "array([0.    , 0.6931])",
)
log2 = _unary("log2", "Base-2 logarithm of each element.", "[1.0, 8.0]", "array([0., 3.])")
logical_and = _binary(
    "logical_and",
    "Whether both elements are not zero.",
    ("[0, 2]", "[1, 3]"),
    "array([False,  True])",
)
logical_not = _unary(
    "logical_not", "Whether each element is zero.", "[0, 5]", "array([ True, False])"
)
logical_or = _binary(
    "logical_or",
    "Whether one of the elements is not zero.",
    ("[0, 2]", "[1, 3]"),
    "array([ True,  True])",
)
logical_xor = _binary(
    "logical_xor",
    "Whether exactly one of the elements is not zero.",
    ("[0, 2]", "[1, 3]"),
    "array([ True, False])",
)
maximum = _binary(
    "maximum", "The larger element; NaN if either is.", ("[1, 5]", "[3, 2]"), "array([3, 5])"
)
minimum = _binary(
    "minimum", "The smaller element; NaN if either is.", ("[1, 5]", "[3, 2]"), "array([1, 2])"
)
multiply = _binary("multiply", "Product of elements.", ("[2, 3]", "[10, 20]"), "array([20, 60])")
negative = _unary("negative", "Each element with its sign changed.", "[1, -2]", "array([-1,  2])")
nextafter = _binary(
    "nextafter", "The next float from `x1` towards `x2`.", ("[1.0]", "[2.0]"), "array([1.])"
)
not_equal = _binary(
    "not_equal", "Whether elements differ.", ("[1, 2]", "[1, 3]"), "array([False,  True])"
)
positive = _unary(
    "positive", "Each element as it is, in a new array.", "[1, -2]", "array([ 1, -2])"
)
pow = _binary("pow", "`x1` to the power of `x2`.", ("[2, 3]", "[10, 2]"), "array([1024,    9])")
remainder = _binary(
    "remainder",
    "Remainder of floor division, with the sign of `x2`.",
    ("[7, -7]", "[3, 3]"),
    "array([1, 2])",
)
sin = _unary("sin", "Sine of each element, in radians.", "[0.0, 1.0]", "array([0.    , 0.8415])")
sinh = _unary("sinh", "Hyperbolic sine of each element.", "[0.0, 1.0]", "array([0.    , 1.1752])")
sqrt = _unary("sqrt", "Square root of each element.", "[4.0, 2.0]", "array([2.    , 1.4142])")
square = _unary("square", "Each element multiplied by itself.", "[3, -2]", "array([9, 4])")
subtract = _binary(
    "subtract", "Difference of elements.", ("[1, 2]", "[10, 20]"), "array([ -9, -18])"
)
tan = _unary("tan", "Tangent of each element, in radians.", "[0.0, 1.0]", "array([0.    , 1.5574])")
tanh = _unary(
    "tanh", "Hyperbolic tangent of each element.", "[0.0, 1.0]", "array([0.    , 0.7616])"
)
trunc = _unary("trunc", "Each element rounded towards zero.", "[1.7, -1.7]", "array([ 1., -1.])")
cbrt = _unary("cbrt", "Cube root of each element.", "[8.0, -27.0]", "array([ 2., -3.])")
conj = _unary(
    "conj", "Complex conjugate of each element.", "[1 + 2j, 3 - 4j]", "array([1.-2.j, 3.+4.j])"
)
deg2rad = _unary("deg2rad", "Degrees in radians.", "[0.0, 180.0]", "array([0.    , 3.1416])")
exp2 = _unary("exp2", "2 to the power of each element.", "[0.0, 3.0]", "array([1., 8.])")
fmax = _binary(
    "fmax",
    "The larger element; the other one if one is NaN.",
    ('[1.0, float("nan")]', "[3.0, 2.0]"),
    "array([3., 2.])",
)
fmin = _binary(
    "fmin",
    "The smaller element; the other one if one is NaN.",
    ('[1.0, float("nan")]', "[3.0, 2.0]"),
    "array([1., 2.])",
)
fmod = _binary(
    "fmod",
    "Remainder of division rounded towards zero, with the sign of `x1`.",
    ("[7, -7]", "[3, 3]"),
    "array([ 1, -1])",
)
heaviside = _binary(
    "heaviside",
    "0 where `x1` is negative, 1 where it is positive, `x2` where it is zero.",
    ("[-1.5, 0.0, 2.0]", "[0.5, 0.5, 0.5]"),
    "array([0. , 0.5, 1. ])",
)
imag = _unary("imag", "Imaginary part of each element.", "[1 + 2j, 3 - 4j]", "array([ 2., -4.])")
logaddexp = _binary(
    "logaddexp",
    "``log(exp(x1) + exp(x2))`` without overflow.",
    ("[1000.0]", "[1000.0]"),
    "array([1000.6931])",
)
logaddexp2 = _binary(
    "logaddexp2",
    "``log2(2**x1 + 2**x2)`` without overflow.",
    ("[2000.0]", "[2000.0]"),
    "array([2001.])",
)
rad2deg = _unary(
    "rad2deg", "Radians in degrees.", "[0.0, 3.141592653589793]", "array([  0., 180.])"
)
real = _unary("real", "Real part of each element.", "[1 + 2j, 3 - 4j]", "array([1., 3.])")
reciprocal = _unary("reciprocal", "1 divided by each element.", "[2.0, 4.0]", "array([0.5 , 0.25])")
sign = _unary(
    "sign",
    "-1, 0 or 1 by the sign of each element; ``x / abs(x)`` of complex ones.",
    "[-3, 0, 5]",
    "array([-1,  0,  1])",
)
signbit = _unary(
    "signbit",
    "Whether each element is negative, or minus zero.",
    "[-0.0, 2.0]",
    "array([ True, False])",
)


fabs = _unary(
    "fabs",
    "Magnitude of each real element, as a float.",
    "[-3, 2]",
    "array([3., 2.])",
)
iscomplex = _unary(
    "iscomplex",
    "Whether each element has an imaginary part that is not zero.",
    "[1 + 2j, 3 + 0j]",
    "array([ True, False])",
)
isneginf = _unary(
    "isneginf",
    "Whether each element is minus infinity.",
    '[1.0, float("-inf")]',
    "array([False,  True])",
)
isposinf = _unary(
    "isposinf",
    "Whether each element is plus infinity.",
    '[1.0, float("inf")]',
    "array([False,  True])",
)
isreal = _unary(
    "isreal",
    "Whether each element has no imaginary part, or one that is zero.",
    "[1 + 2j, 3 + 0j]",
    "array([False,  True])",
)
rint = _unary(
    "rint",
    "Each element rounded to the nearest whole number, halves to the even one, as a float.",
    "[1.5, 2.5, -0.2]",
    "array([ 2.,  2., -0.])",
)
sinc = _unary(
    "sinc",
    "``sin(pi * x) / (pi * x)``, and 1 where `x` is zero.",
    "[0.0, 0.5, 2.0]",
    "array([ 1.    ,  0.6366, -0.    ])",
)


@takes_arrays
def clip(
    x: ndarray,
    /,
    min: ndarray | Number | None = None,
    max: ndarray | Number | None = None,
    out: Output = None,
    *,
    where: Mask = True,
    dtype: npt.DTypeLike | None = None,
    casting: str = "same_kind",
    queue: Place | None = None,
) -> ndarray:
    """Each element, but not less than `min` and not more than `max`.

    Parameters
    ----------
    x
        An array.
    min, max
        The limits, which broadcast with `x`; ``None`` for no limit.
    out, where, dtype, casting, queue
        As for `add`.

    Returns
    -------
    ndarray
        The results.

    Examples
    --------
    >>> import situ
    >>> situ.clip(situ.asarray([-5, 3, 12]), 0, 10).to_numpy()
    array([ 0,  3, 10])
    """
    limits = [limit for limit in (min, max) if limit is not None]
    if len(limits) == 2:
        name = "clip"
    elif limits:
        name = "minimum" if min is None else "maximum"
    else:
        # There is nothing to do, but the result is new.
        name, limits = "maximum", [x]
    return _native.elementwise(
        name, x, *limits, out=out, where=where, dtype=dtype, casting=casting, queue=queue
    )


@overload
def where(
    condition: ndarray, /, *, out: Output = None, queue: Place | None = None
) -> tuple[ndarray, ...]: ...
@overload
def where(
    condition: ndarray,
    x1: ndarray | Number,
    x2: ndarray | Number,
    /,
    *,
    out: Output = None,
    queue: Place | None = None,
) -> ndarray: ...
@takes_arrays
def where(
    condition: ndarray,
    x1: ndarray | Number | None = None,
    x2: ndarray | Number | None = None,
    /,
    *,
    out: Output = None,
    queue: Place | None = None,
) -> ndarray | tuple[ndarray, ...]:
    """Choose from `x1` where the condition holds, and from `x2` elsewhere.

    Parameters
    ----------
    condition
        An array; elements that are not zero hold. Alone, its positions are found, as by `nonzero`.
    x1, x2
        Arrays or numbers that broadcast with the condition.
    out
        Where the result goes; a new array by default.
    queue
        What runs the function: a queue from which the arrays are accessible. By default the queue
        that all arrays agree on.

    Returns
    -------
    ndarray
        The chosen elements, in the common dtype of `x1` and `x2`.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([-1.5, 2.0])
    >>> situ.where(x > 0, x, 0.0).to_numpy()
    array([0., 2.])
    """
    if x1 is None and x2 is None:
        return tuple(_native.nonzero(condition))
    if x1 is None or x2 is None:
        msg = (
            "`where` has one array to choose from\n"
            "  why:  elements come from `x1` where the condition holds, and from `x2` elsewhere\n"
            "  help: give both, or neither for the positions where it holds"
        )
        raise ValueError(msg)
    return _native.elementwise("where", condition, x1, x2, out=out, queue=queue)


# NumPy's other names.
absolute = abs
arccos = acos
arccosh = acosh
arcsin = asin
arcsinh = asinh
arctan = atan
arctan2 = atan2
arctanh = atanh
bitwise_not = bitwise_invert
conjugate = conj
degrees = rad2deg
invert = bitwise_invert
left_shift = bitwise_left_shift
mod = remainder
power = pow
radians = deg2rad
right_shift = bitwise_right_shift
true_divide = divide
