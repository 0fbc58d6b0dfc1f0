"""Element types: their names, what they hold, and which of them meet in which.

Dtypes are NumPy's dtype objects, so that other libraries know them. Nothing here touches the
elements of an array, and no array moves; only `astype` makes a new one.
"""

from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from situ import _native
from situ._array_arguments import adopted, takes_arrays
from situ._native import Device, ndarray
from situ._queue_manager import Place, named_place
from situ.exceptions import DTypeError, DTypeKindError

__all__ = [
    "astype",
    "bool_",
    "can_cast",
    "complex64",
    "complex128",
    "finfo",
    "float16",
    "float32",
    "float64",
    "iinfo",
    "int8",
    "int16",
    "int32",
    "int64",
    "isdtype",
    "result_type",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]

DType = np.dtype[Any]

bool_: DType = np.dtype(np.bool_)
int8: DType = np.dtype(np.int8)
int16: DType = np.dtype(np.int16)
int32: DType = np.dtype(np.int32)
int64: DType = np.dtype(np.int64)
uint8: DType = np.dtype(np.uint8)
uint16: DType = np.dtype(np.uint16)
uint32: DType = np.dtype(np.uint32)
uint64: DType = np.dtype(np.uint64)
float16: DType = np.dtype(np.float16)
float32: DType = np.dtype(np.float32)
float64: DType = np.dtype(np.float64)
complex64: DType = np.dtype(np.complex64)
complex128: DType = np.dtype(np.complex128)

_SIGNED = (int8, int16, int32, int64)
_UNSIGNED = (uint8, uint16, uint32, uint64)
_FLOAT = (float16, float32, float64)
_COMPLEX = (complex64, complex128)

ALL: tuple[DType, ...] = (bool_, *_SIGNED, *_UNSIGNED, *_FLOAT, *_COMPLEX)

_ALL = frozenset(ALL)

# The kinds, as the standard calls them.
KINDS: dict[str, tuple[DType, ...]] = {
    "bool": (bool_,),
    "signed integer": _SIGNED,
    "unsigned integer": _UNSIGNED,
    "integral": (*_SIGNED, *_UNSIGNED),
    "real floating": _FLOAT,
    "complex floating": _COMPLEX,
    "numeric": (*_SIGNED, *_UNSIGNED, *_FLOAT, *_COMPLEX),
}


@dataclass(frozen=True, slots=True)
class FloatInfo:
    """What a floating-point dtype holds, in Python's numbers.

    Attributes
    ----------
    dtype
        The dtype; that of the parts, for complex numbers.
    bits
        How many bits a number has.
    eps
        The distance from 1 to the next number.
    max, min
        The largest and the smallest finite number.
    smallest_normal
        The smallest positive number with full precision.
    smallest_subnormal
        The smallest positive number.
    precision
        How many decimal digits every number has.
    resolution
        Ten to the power of minus `precision`.
    """

    dtype: DType
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    smallest_subnormal: float
    precision: int
    resolution: float

    @property
    def tiny(self) -> float:
        """NumPy's other name of `smallest_normal`."""
        return self.smallest_normal


@dataclass(frozen=True, slots=True)
class IntegerInfo:
    """What an integer dtype holds.

    Attributes
    ----------
    dtype
        The dtype.
    bits
        How many bits a number has.
    max, min
        The largest and the smallest number.
    """

    dtype: DType
    bits: int
    max: int
    min: int


def known(dtype: npt.DTypeLike) -> DType:
    """Return the dtype object that a dtype, a scalar type or a name stands for.

    Parameters
    ----------
    dtype
        What stands for it.

    Returns
    -------
    numpy.dtype
        The dtype.

    Raises
    ------
    DTypeError
        If situ has no such dtype.
    """
    found: DType = np.dtype(dtype)
    if found not in _ALL:
        names = ", ".join(each.name for each in ALL)
        msg = (
            f"situ has no dtype {found}\n"
            "  why:  arrays hold bools, integers, floats and complex numbers of native byte order\n"
            f"  help: choose one of {names}"
        )
        raise DTypeError(msg)
    return found


def is_on(dtype: DType, device: Device) -> bool:
    """Return whether arrays of a dtype can be on a device."""
    if dtype in (float64, complex128):
        return device.has_aspect("fp64")
    return dtype != float16 or device.has_aspect("fp16")


@takes_arrays
def astype(
    x: ndarray,
    dtype: npt.DTypeLike,
    /,
    *,
    copy: bool = True,
    device: Place | None = None,
    queue: Place | None = None,
) -> ndarray:
    """Convert an array to another dtype.

    Parameters
    ----------
    x
        An array.
    dtype
        Element type of the result. Floats lose their fraction on the way to integers, and complex
        numbers their imaginary part, with a ``ComplexWarning``, on the way to anything but
        ``bool``.
    copy
        Whether to make a new array even if the dtype is the same.
    device, queue
        Where the result is, as for `asarray`; by default where `x` is.

    Returns
    -------
    ndarray
        The result; `x` itself if nothing changes and `copy` is false.

    Examples
    --------
    >>> import situ
    >>> situ.astype(situ.asarray([1.5, -2.5]), situ.int32).to_numpy()
    array([ 1, -2], dtype=int32)
    """
    target = known(dtype)
    place = named_place(device, queue)
    return _native.bring(x, dtype=target, device=place, copy=True if copy else None)


Casting = Literal["no", "equiv", "safe", "same_kind", "unsafe"]


def can_cast(
    from_: npt.DTypeLike | ndarray, to: npt.DTypeLike, /, casting: Casting = "safe"
) -> bool:
    """Tell whether a dtype converts to another one by the rules of promotion.

    Parameters
    ----------
    from_
        A dtype, or an array for its dtype. With an array the answer also says whether its device
        has the other dtype.
    to
        The other dtype.
    casting
        How much may change: ``"no"``, ``"equiv"``, ``"safe"`` (no value), ``"same_kind"`` or
        ``"unsafe"``, as in NumPy.

    Returns
    -------
    bool
        Whether it does.

    Examples
    --------
    >>> import situ
    >>> situ.can_cast(situ.int8, situ.int16), situ.can_cast(situ.float64, situ.float32)
    (True, False)
    """
    target = known(to)
    from_ = adopted(from_)
    if isinstance(from_, ndarray):
        allowed = np.can_cast(from_.dtype, target, casting=casting)
        return allowed and is_on(target, from_.device)
    if isinstance(from_, int | float | complex) and not isinstance(from_, np.generic):
        msg = (
            f"`can_cast` does not take the number {from_}\n"
            "  why:  a Python number has no dtype; it takes that of what it meets\n"
            "  help: ask for the dtype of both with `situ.result_type`"
        )
        raise TypeError(msg)
    return np.can_cast(known(from_), target, casting=casting)


def _dtype_of(what: npt.DTypeLike | ndarray) -> DType:
    what = adopted(what)
    return what.dtype if isinstance(what, ndarray) else known(what)


def finfo(type: npt.DTypeLike | ndarray, /) -> FloatInfo:
    """Tell what a floating-point dtype holds.

    Parameters
    ----------
    type
        A floating-point or complex dtype, or an array of one.

    Returns
    -------
    FloatInfo
        An object with ``bits``, ``eps``, ``max``, ``min``, ``smallest_normal`` and ``dtype``, and
        a few more of NumPy's. Its numbers are Python's.

    Examples
    --------
    >>> import situ
    >>> situ.finfo(situ.float32).bits, situ.finfo(situ.float64).eps
    (32, 2.220446049250313e-16)
    """
    dtype = _dtype_of(type)
    if dtype.kind not in "fc":
        msg = (
            f"`finfo` knows nothing of {dtype}\n"
            "  why:  it tells about floating-point and complex dtypes\n"
            "  help: use `situ.iinfo` for integers"
        )
        raise DTypeKindError(msg)
    of = np.finfo(dtype)
    return FloatInfo(
        dtype=np.dtype(of.dtype),
        bits=int(of.bits),
        eps=float(of.eps),
        max=float(of.max),
        min=float(of.min),
        smallest_normal=float(of.smallest_normal),
        smallest_subnormal=float(of.smallest_subnormal),
        precision=int(of.precision),
        resolution=float(of.resolution),
    )


def iinfo(type: npt.DTypeLike | ndarray, /) -> IntegerInfo:
    """Tell what an integer dtype holds.

    Parameters
    ----------
    type
        An integer dtype, or an array of one.

    Returns
    -------
    IntegerInfo
        An object with ``bits``, ``max``, ``min`` and ``dtype``.

    Examples
    --------
    >>> import situ
    >>> situ.iinfo(situ.int8).min, situ.iinfo(situ.int8).max
    (-128, 127)
    """
    dtype = _dtype_of(type)
    if dtype.kind not in "iu":
        msg = (
            f"`iinfo` knows nothing of {dtype}\n"
            "  why:  it tells about integer dtypes\n"
            "  help: use `situ.finfo` for floats"
        )
        raise DTypeKindError(msg)
    of = np.iinfo(dtype)
    return IntegerInfo(dtype=dtype, bits=int(of.bits), max=int(of.max), min=int(of.min))


Kind = npt.DTypeLike | str | tuple["Kind", ...]


def isdtype(dtype: npt.DTypeLike, kind: Kind) -> bool:
    """Tell whether a dtype is another one, or of a kind.

    Parameters
    ----------
    dtype
        The dtype.
    kind
        A dtype, one of ``"bool"``, ``"signed integer"``, ``"unsigned integer"``, ``"integral"``,
        ``"real floating"``, ``"complex floating"`` and ``"numeric"``, or a tuple of these.

    Returns
    -------
    bool
        Whether it is, for tuples whether it is any of them.

    Examples
    --------
    >>> import situ
    >>> situ.isdtype(situ.float32, "real floating")
    True
    >>> situ.isdtype(situ.int8, (situ.bool, "unsigned integer"))
    False
    """
    this = known(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(this, each) for each in kind)
    if isinstance(kind, str):
        return this in dtypes_of(kind)
    return this == known(kind)


def dtypes_of(kind: str) -> tuple[DType, ...]:
    """Return the dtypes of a kind.

    Raises
    ------
    ValueError
        If there is no such kind.
    """
    if kind not in KINDS:
        names = ", ".join(f'"{name}"' for name in KINDS)
        msg = f'there is no kind of dtypes "{kind}"\n  help: choose one of {names}'
        raise ValueError(msg)
    return KINDS[kind]


def result_type(*arrays_and_dtypes: npt.DTypeLike | ndarray | complex) -> DType:
    """Return the dtype in which arrays, dtypes and numbers meet.

    It is what an operation like `add` would make of them. Python's numbers have no dtype of their
    own and take that of the others, if its kind can hold them.

    Parameters
    ----------
    *arrays_and_dtypes
        Arrays, of any devices; dtypes; numbers.

    Returns
    -------
    numpy.dtype
        The dtype. For arrays on devices without the aspect ``fp64``, what nobody asked to be double
        precision is single precision.

    Examples
    --------
    >>> import situ
    >>> situ.result_type(situ.int8, situ.uint8)
    dtype('int16')
    >>> situ.result_type(situ.ones(3, dtype=situ.float32), 2.5)
    dtype('float32')
    """
    if not arrays_and_dtypes:
        msg = "`result_type` needs at least one array, dtype or number"
        raise ValueError(msg)
    given = [adopted(each) for each in arrays_and_dtypes]
    arrays = [each for each in given if isinstance(each, ndarray)]
    plain = [_without_data(each) for each in given]
    common: DType = known(np.result_type(*plain))
    doubles = (float64, complex128)
    asked_for = any(isinstance(each, np.dtype) and each in doubles for each in plain)
    if common in doubles and not asked_for:
        single = not all(is_on(common, array.device) for array in arrays)
        return _HALVES[common] if single else common
    return common


_HALVES = {float64: float32, complex128: complex64}


def _without_data(what: npt.DTypeLike | ndarray | complex) -> DType | complex:
    """Return what decides a dtype: a dtype, or a Python number."""
    if isinstance(what, ndarray):
        return what.dtype
    if isinstance(what, int | float | complex) and not isinstance(what, np.generic):
        return what
    if isinstance(what, np.generic | np.ndarray):
        return known(cast("npt.NDArray[Any]", what).dtype)
    return known(what)
