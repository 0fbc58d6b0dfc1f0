"""Every elementwise function against NumPy: value, dtype, shape and refusal."""

import warnings

import numpy as np
import pytest
from differential.strategies import View, operands
from hypothesis import given
from hypothesis import strategies as st
from places import driver_devices

import situ
from situ import _native

NUMPY_NAMES = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
    "pow": "power",
    "round": "rint",
}

# Functions that IEEE 754 does not fix to the last bit: at most this many units in the last place.
MATH_ULP = 4
EXACT = {
    "abs",
    "clip",
    "conj",
    "fmax",
    "fmin",
    "fmod",
    "heaviside",
    "imag",
    "real",
    "reciprocal",
    "sign",
    "where",
    "add",
    "ceil",
    "copysign",
    "divide",
    "fabs",
    "floor",
    "floor_divide",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "positive",
    "remainder",
    "rint",
    "round",
    "sqrt",
    "square",
    "subtract",
    "trunc",
}

# What other functions are made of; they are compared where those are.
PARTS = {"isclose", "isclose_or_nan", "nan_to_num", "round_decimals", "round_tens"}
FUNCTIONS = [(name, arity) for name, arity in _native.elementwise_functions() if name not in PARTS]
UNARY = [name for name, arity in FUNCTIONS if arity == 1]
BINARY = [name for name, arity in FUNCTIONS if arity == 2]
TERNARY = [name for name, arity in FUNCTIONS if arity == 3]


def numpy_result(name, *hosts):
    """Compute with NumPy; ``None`` where it refuses."""
    function = getattr(np, NUMPY_NAMES.get(name, name))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return np.asarray(function(*hosts))
        except (TypeError, ValueError):
            return None


def assert_agrees(name, found, expected, from_complex):
    """Compare results: integers and exact functions to the bit, others within a few ulp."""
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    if expected.dtype.kind in "biu":
        np.testing.assert_array_equal(found, expected)
        return
    if expected.dtype.kind == "c":
        real = expected.real.dtype
        # Complex results are compared by their distance, in units of their magnitude.
        ulp = 64 * np.finfo(real).eps
        finite = np.isfinite(expected) & np.isfinite(found)
        # NumPy's `log1p` of complex numbers near zero is as bad as `log(1 + z)`; ours is compared
        # with exact values in Rust.
        smallest = ulp if name == "log1p" else np.finfo(real).tiny * 64
        np.testing.assert_allclose(found[finite], expected[finite], rtol=ulp, atol=smallest)
        return
    if name == "sinc":
        # Where the sine is nearly zero nothing is left of pi's digits; then the distance counts.
        eps = float(np.finfo(expected.dtype).eps)
        np.testing.assert_allclose(found.astype("f8"), expected.astype("f8"), rtol=0, atol=8 * eps)
        return
    exact = name in EXACT and not (name == "abs" and from_complex)
    ulp = 0 if exact else MATH_ULP
    both_nan = np.isnan(found) & np.isnan(expected)
    same = (found == expected) | both_nan
    if ulp == 0:
        assert same.all(), (found[~same], expected[~same])
        if name in {"clip", "fmax", "fmin", "maximum", "minimum", "nextafter"}:
            # Which of two equal zeros wins: NumPy chooses by vector width for the extremes, and not
            # as C does for `nextafter` of float16.
            return
        signs = np.signbit(found) == np.signbit(expected)
        assert (signs | both_nan | (expected != 0)).all()
        return
    with np.errstate(all="ignore"):
        spacing = np.spacing(np.abs(expected))
        close = np.abs(found.astype("f8") - expected.astype("f8")) <= ulp * spacing.astype("f8")
    assert (same | close).all(), (found[~(same | close)], expected[~(same | close)])


def assert_complex_powers_agree(found, expected, hosts):
    """Compare complex powers: as many digits are lost as the logarithm of the result is long."""
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    real = np.finfo(expected.real.dtype)
    with np.errstate(all="ignore"):
        base, exponent = (host.astype("complex128") for host in hosts)
        logarithm = np.nan_to_num(np.abs(exponent * np.log(base)), posinf=0.0)
        bound = 64 * real.eps * np.abs(expected) * (1 + logarithm) + real.tiny * 64
        error = np.abs(found - expected)
    finite = np.isfinite(expected) & np.isfinite(found)
    assert np.all((error <= bound)[finite])


def check(name, views, device):
    """Run a function on NumPy and on a device and compare."""
    hosts = [view.host for view in views]
    if name == "round" and hosts[0].dtype.kind in "iu":
        # Rounding leaves integers alone, as the array API has it; NumPy makes floats of them.
        expected = hosts[0]
    else:
        expected = numpy_result(name, *hosts)
    if name == "reciprocal" and hosts[0].dtype.kind in "biu":
        # As in every division of integers by zero here; NumPy's answer depends on the machine.
        expected = np.where(hosts[0] == 0, np.zeros_like(expected), expected)
    if name == "floor_divide" and expected is not None and expected.dtype.kind == "f":
        # As the array API has it; NumPy makes NaN of `inf // 2` and -1 of `-2 // inf`.
        with np.errstate(all="ignore"):
            exact = np.divide(*hosts, dtype=expected.dtype)
        has_infinity = np.isinf(hosts[0]) | np.isinf(hosts[1])
        expected = np.where(has_infinity, exact, expected)
    arrays = [view.on(device) for view in views]
    try:
        found = getattr(situ, name)(*arrays)
    except situ.DTypeError:
        # Complex numbers have no order and no remainder here; NumPy orders them all the same.
        assert expected is None or any(host.dtype.kind == "c" for host in hosts)
        return
    except ValueError:
        # Integers have no negative powers.
        assert expected is None
        assert name == "pow"
        return
    if expected is None:
        pytest.fail(f"NumPy refuses {name} of {[host.dtype for host in hosts]}, situ does not")
    if name == "pow" and expected.dtype.kind == "c":
        assert_complex_powers_agree(found.to_numpy(), expected, hosts)
        return
    from_complex = any(host.dtype.kind == "c" for host in hosts)
    assert_agrees(name, found.to_numpy(), expected, from_complex)


@pytest.mark.parametrize("name", UNARY)
@given(views=operands(1))
def test_unary_functions_agree_with_numpy(name, views):
    check(name, views, "native")


@pytest.mark.parametrize("name", [name for name in BINARY if name != "pow"])
@given(views=operands(2))
def test_binary_functions_agree_with_numpy(name, views):
    check(name, views, "native")


@pytest.mark.parametrize("name", TERNARY)
@given(views=operands(3))
def test_ternary_functions_agree_with_numpy(name, views):
    check(name, views, "native")


@given(views=operands(2))
def test_powers_agree_with_numpy(views):
    exponent = views[1].base
    if exponent.dtype.kind == "i":
        # Both refuse negative ones, which are in most arrays.
        np.maximum(exponent, 0, out=exponent)
    check("pow", views, "native")


@given(views=operands(2))
def test_powers_are_refused_as_numpy_refuses_them(views):
    check("pow", views, "native")


@pytest.mark.parametrize("name", ["add", "less", "floor_divide", "sqrt", "abs"])
@given(views=operands(2))
def test_the_reference_device_agrees_too(name, views):
    check(name, views[: 1 if name in UNARY else 2], "reference")


@pytest.mark.parametrize(("name", "arity"), [("positive", 1), ("add", 2), ("where", 3)])
@given(views=operands(3, st.just(np.dtype("int16"))))
def test_results_lie_in_memory_as_numpys_do(name, arity, views):
    hosts = [view.host for view in views[:arity]]
    # The iterator that NumPy's functions allocate their results with.
    expected = np.nditer([*hosts, None], flags=["zerosize_ok"]).operands[-1]
    found = getattr(situ, name)(*(view.on("native") for view in views[:arity]))
    assert found.shape == expected.shape
    if expected.size:
        along = [axis for axis, size in enumerate(found.shape) if size > 1]
        assert [found.strides[axis] for axis in along] == [expected.strides[axis] for axis in along]


# Values where functions differ: both zeros, both signs, halves, limits, and what is not finite.
SAMPLES = {
    "int32": [0, 1, 2, 3, 7, 31, -1, -2, -7, 2**31 - 1, -(2**31)],
    "float32": [0.0, -0.0, 0.5, 1.0, -1.5, 2.5, 30.0, 1e-30, -1e30, np.inf, -np.inf, np.nan],
    "float64": [0.0, -0.0, 0.25, 1.0, -2.5, 3.5, 700.0, 1e-200, -1e200, np.inf, -np.inf, np.nan],
    "complex64": [0, 1, -1, 1j, -1j, 0.5 + 2j, -3 + 0.25j, 1e-3 - 20j],
}


def whole(values):
    """Return all of an array, as the strategies' views."""
    return View(values, tuple(range(values.ndim)), (slice(None),) * values.ndim)


@pytest.mark.parametrize("device", driver_devices())
@pytest.mark.parametrize(("name", "arity"), FUNCTIONS)
def test_every_function_agrees_on_drivers(name, arity, device):
    """Few kernels with many values each, because drivers take long to compile one."""
    for dtype, samples in SAMPLES.items():
        values = np.array(samples, dtype)
        if name == "pow" and dtype == "int32":
            values = np.maximum(values, 0)
        grid = [values[:, np.newaxis], values[np.newaxis, :], values[::-1, np.newaxis].copy()]
        check(name, [whole(each) for each in grid[:arity]], device)
