"""Elementary functions of complex numbers at zeros, infinities, NaN and the ends of the range.

NumPy is compared with; where the array API standard says something else, or NumPy is wrong,
`decided_otherwise` has the reason. Exact values are compared in the tests of `complex_math`.
"""

import numpy as np
import pytest
from places import driver_devices

import situ

FUNCTIONS = (
    *("abs", "angle", "sign", "square", "reciprocal", "negative", "conj", "round"),
    *("sqrt", "exp", "expm1", "log", "log2", "log10", "log1p"),
    *(
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
    ),
    *("isfinite", "isinf", "isnan"),
)


def grid(dtype: str) -> np.ndarray:
    """Return all pairs of special parts."""
    limits = np.finfo(dtype)
    huge, tiny = float(limits.max) / 1.1, float(limits.smallest_subnormal)
    parts = [0.0, 0.5, 1.0, 2.0, np.inf, huge, tiny]
    parts = np.array([*parts, *(-part for part in parts), np.nan])
    z = np.empty((len(parts), len(parts)), dtype)
    z.real, z.imag = parts[:, None], parts[None, :]
    return z.ravel()


def is_infinite(x: np.ndarray) -> np.ndarray:
    return np.isinf(x.real) | np.isinf(x.imag)


def is_huge(z: np.ndarray) -> np.ndarray:
    """Return where a part is so large that sums and squares of such parts overflow."""
    limit = np.sqrt(np.finfo(z.dtype).max)
    return (np.abs(z.real) > limit) | (np.abs(z.imag) > limit)


def decided_otherwise(name: str, z: np.ndarray) -> tuple[np.ndarray, str]:
    """Return where situ differs from NumPy on purpose, and why."""
    x, y = z.real, z.imag
    match name:
        case "sign":
            is_open = (is_infinite(z) & np.isnan(z)) | (is_huge(z) & ~is_infinite(z))
            is_open |= (np.abs(x) < 1e-30) & (np.abs(y) < 1e-30)
            return is_open, "NaN stays NaN in the standard; NumPy's magnitudes overflow"
        case "square":
            return is_huge(z), "infinity minus infinity; NumPy's answer depends on the processor"
        case "expm1":
            return ~np.isfinite(z) | is_huge(z) | (
                x == 0
            ), "NumPy has exp(x) - 1, overflows and all"
        case "log1p":
            return is_huge(z) | (np.abs(x) < 1e-30), "NumPy has log(1 + x), overflows and all"
        case _:
            return np.zeros(z.shape, bool), ""


def is_sign_open(name: str, z: np.ndarray) -> np.ndarray:
    """Return where neither C nor the standard gives zeros and infinities of a result a sign."""
    x, y = z.real, z.imag
    if name in {"sin", "cos", "tan"}:
        x, y = y, x
    if name in {"exp", "sin", "cos", "sinh", "cosh"}:
        return ~np.isfinite(y) | np.isnan(x)
    # In C the sign goes round with sin(2y); in the standard it is that of y.
    return np.isinf(x) if name in {"tan", "tanh"} else np.zeros(z.shape, bool)


def parts_of(x: np.ndarray) -> tuple[np.ndarray, ...]:
    return (x.real, x.imag) if x.dtype.kind == "c" else (x,)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values_are_those_of_numpy(name: str, dtype: str) -> None:
    z = grid(dtype)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(z)
    found = getattr(situ, name)(situ.asarray(z)).to_numpy()
    assert found.dtype == expected.dtype
    is_other, reason = decided_otherwise(name, z)
    assert not is_other.all(), reason
    is_open = is_sign_open(name, z)
    for mine, theirs in zip(parts_of(found), parts_of(expected), strict=True):
        if theirs.dtype.kind == "b":
            np.testing.assert_array_equal(mine, theirs)
            continue
        with np.errstate(all="ignore"):
            tolerance = 8 * np.finfo(theirs.dtype).eps * np.abs(theirs)
            tolerance = np.maximum(tolerance, np.finfo(theirs.dtype).smallest_subnormal)
            is_close = np.abs(mine - theirs) <= tolerance
        is_same = (mine == theirs) & (np.signbit(mine) == np.signbit(theirs))
        is_same |= is_open & (np.abs(mine) == np.abs(theirs))
        is_same |= np.isnan(mine) & np.isnan(theirs)
        is_same |= is_close & (theirs != 0)
        wrong = ~(is_same | is_other)
        assert not wrong.any(), (z[wrong], found[wrong], expected[wrong])


@pytest.mark.parametrize("device", ["native", "reference", *driver_devices()])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_signs_point_where_numbers_do(device: str, dtype: str) -> None:
    inf, nan, half = np.inf, np.nan, 0.5**0.5
    limits = np.finfo(dtype)
    huge, tiny = float(limits.max), float(limits.smallest_subnormal)
    cases = {
        (0.0, -0.0): (0.0, 0.0),
        (3.0, -4.0): (0.6, -0.8),
        (inf, 1.0): (1.0, 0.0),
        (-inf, huge): (-1.0, 0.0),
        (0.0, inf): (0.0, 1.0),
        (-huge, -inf): (0.0, -1.0),
        (inf, -inf): (nan, nan),
        (inf, nan): (nan, nan),
        (nan, -inf): (nan, nan),
        (nan, 0.0): (nan, nan),
        (huge, -huge): (half, -half),
        (-tiny, tiny): (-half, half),
        (0.0, tiny): (0.0, 1.0),
    }
    z = np.array([complex(*parts) for parts in cases], dtype)
    expected = np.array([complex(*parts) for parts in cases.values()], dtype)
    found = situ.sign(situ.asarray(z, device=device)).to_numpy()
    np.testing.assert_allclose(found.real, expected.real, rtol=4 * limits.eps, equal_nan=True)
    np.testing.assert_allclose(found.imag, expected.imag, rtol=4 * limits.eps, equal_nan=True)


def test_reciprocals_overflow_to_infinity_and_not_to_nan() -> None:
    z = np.array([0j, 5e-324, -5e-324j, complex(0, -1), complex(np.inf, 1)])
    with np.errstate(all="ignore"):
        expected = np.reciprocal(z)
    np.testing.assert_array_equal(situ.reciprocal(situ.asarray(z)).to_numpy(), expected)
