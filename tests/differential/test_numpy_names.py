"""NumPy's other names: the same calls on NumPy and on a device, compared."""

import numpy as np
import pytest
from differential.comparison import compare, on_device

import situ

SPECIAL = [0.0, -0.0, 1.5, -2.5, 3.7, np.inf, -np.inf, np.nan]
A = np.arange(24.0).reshape(2, 3, 4)
M = np.asarray([[3, 1, 2], [-4, 0, 9]])
V = np.asarray([5, -3, 2, 8])
Z = np.asarray([1 + 2j, -3 + 0j, complex(np.nan, 1), complex(np.inf, -np.inf), -1j])

# A name, its positional arguments and its keywords; arrays among them go to the device.
CALLS = [
    ("absolute", [V], {}),
    ("fabs", [V], {}),
    ("power", [V, 2], {}),
    ("mod", [V, 3], {}),
    ("invert", [V], {}),
    ("bitwise_not", [V], {}),
    ("left_shift", [V, 2], {}),
    ("right_shift", [V, 1], {}),
    ("conjugate", [Z], {}),
    ("true_divide", [V, 2], {}),
    ("arctan2", [V, 2.0], {}),
    ("degrees", [A], {}),
    ("radians", [A], {}),
    ("rint", [np.asarray(SPECIAL)], {}),
    ("rint", [Z], {}),
    ("rint", [V], {}),
    ("fix", [np.asarray(SPECIAL)], {}),
    ("round", [np.asarray([0.125, 2.675, -1.55, 1e20, np.nan])], {"decimals": 2}),
    ("around", [np.asarray([15, 25, -35, 44])], {"decimals": -1}),
    ("round", [np.asarray([12.5, 1234.5])], {"decimals": -2}),
    ("round", [Z], {"decimals": 1}),
    ("float_power", [V, -2], {}),
    ("float_power", [np.float32([2, 3]), 2], {}),
    ("nan_to_num", [np.asarray(SPECIAL)], {}),
    ("nan_to_num", [np.float32(SPECIAL)], {"nan": 7.0, "posinf": 1.0}),
    ("nan_to_num", [Z], {"neginf": -5.0}),
    ("nan_to_num", [V], {}),
    ("isclose", [np.asarray(SPECIAL), np.asarray(SPECIAL) * (1 + 1e-6)], {}),
    ("isclose", [np.asarray(SPECIAL), np.asarray(SPECIAL)], {"equal_nan": True}),
    ("isclose", [Z, Z + 1e-9], {"equal_nan": True}),
    ("isclose", [V, V[::-1]], {"atol": 6}),
    ("allclose", [A, A + 1e-9], {}),
    ("allclose", [A, A + 1], {}),
    ("array_equal", [A, A.copy()], {}),
    ("array_equal", [A, A[0]], {}),
    ("array_equal", [np.asarray(SPECIAL), np.asarray(SPECIAL)], {"equal_nan": True}),
    ("array_equiv", [A[0], A[0][None]], {}),
    ("array_equiv", [A, V], {}),
    ("isposinf", [np.asarray(SPECIAL)], {}),
    ("isneginf", [np.asarray(SPECIAL)], {}),
    ("isreal", [Z], {}),
    ("iscomplex", [Z], {}),
    ("iscomplex", [V], {}),
    ("sinc", [np.linspace(-2, 2, 9)], {}),
    ("angle", [Z[:2]], {}),
    ("angle", [V.astype(float)], {"deg": True}),
    ("transpose", [A], {}),
    ("transpose", [A, (1, 0, 2)], {}),
    ("swapaxes", [A, 0, -1], {}),
    ("swapaxes", [A, 1, 1], {}),
    ("swapaxes", [A, 0, -A.ndim], {}),
    ("ravel", [A.T], {}),
    ("atleast_1d", [np.float64(3)], {}),
    ("atleast_2d", [V], {}),
    ("atleast_3d", [V], {}),
    ("atleast_3d", [M], {}),
    ("fliplr", [A], {}),
    ("flipud", [A], {}),
    *[("rot90", [A, k], {}) for k in range(-1, 5)],
    ("rot90", [A], {"axes": (1, 2)}),
    ("concatenate", [[M, M]], {"axis": 1}),
    ("vstack", [[V, V]], {}),
    ("vstack", [[M, M]], {}),
    ("hstack", [[V, V]], {}),
    ("hstack", [[M, M]], {}),
    ("dstack", [[V, V]], {}),
    ("dstack", [[M, M]], {}),
    ("column_stack", [[V, np.stack([V, V], 1)]], {}),
    ("split", [A, 3], {"axis": 1}),
    ("split", [V, [1, 3]], {}),
    ("array_split", [V, 3], {}),
    ("array_split", [A, 5], {"axis": -1}),
    ("hsplit", [A, 3], {}),
    ("vsplit", [A, 2], {}),
    ("dsplit", [A, 2], {}),
    ("append", [V, M], {}),
    ("append", [M, M], {"axis": 0}),
    ("delete", [V, 1], {}),
    ("delete", [M, [0, -1]], {"axis": 1}),
    ("delete", [M, slice(0, 2)], {"axis": 1}),
    ("insert", [V, 1, 99], {}),
    ("insert", [M, 1, 7], {"axis": 1}),
    ("insert", [M, 0, np.asarray([1, 2, 3])], {"axis": 0}),
    *[
        ("pad", [M, ((1, 2), (0, 4))], {"mode": mode})
        for mode in ("constant", "edge", "reflect", "symmetric", "wrap")
    ],
    ("pad", [V, 3], {"mode": "constant", "constant_values": -1}),
    ("pad", [V, (2, 9)], {"mode": "reflect"}),
    ("pad", [V[:1], 3], {"mode": "symmetric"}),
    ("compress", [np.asarray([True, False, True]), M], {"axis": 1}),
    ("compress", [np.asarray([False, True]), V], {}),
    ("extract", [M > 0, M], {}),
    ("choose", [np.asarray([0, 1, 1, 0]), [V, V * 10]], {}),
    ("select", [[V < 0, V > 4], [V, V * 0.5], 9], {}),
    ("trapezoid", [A], {}),
    ("trapezoid", [A, np.asarray([0.0, 1.0, 4.0, 9.0])], {}),
    ("trapezoid", [A], {"dx": 0.5, "axis": 0}),
    ("gradient", [A], {}),
    ("gradient", [A**2, 0.5], {"axis": 2, "edge_order": 2}),
    ("gradient", [A[0, 0] ** 3, np.asarray([0.0, 1.0, 3.0, 4.0])], {"edge_order": 2}),
    ("gradient", [M], {"axis": 1}),
    ("ndim", [A], {}),
    ("shape", [A], {}),
    ("size", [A], {}),
    ("size", [A, 1], {}),
    ("identity", [3], {}),
    ("tri", [3, 4, 1], {}),
    ("tri", [3], {"dtype": "int32"}),
    ("logspace", [0, 3, 7], {}),
    ("logspace", [0, 3, 4], {"base": 2, "endpoint": False, "dtype": "float32"}),
    ("geomspace", [1, 256, 9], {}),
    ("geomspace", [-1000, -1, 4], {}),
    ("indices", [(2, 3)], {}),
    ("tril_indices", [3, 1], {}),
    ("triu_indices", [3, -1, 4], {}),
    ("fromfunction", [lambda i, j: i - 2 * j, (2, 3)], {}),
    ("zeros", [3, "int8"], {}),
    ("ones", [(2, 2), "complex64"], {}),
    ("full", [2, 7, "float32"], {}),
    ("where", [M], {}),
    ("array", [V, "float32"], {"ndmin": 3}),
    ("copy", [M.T], {}),
    ("ascontiguousarray", [A.T], {}),
    ("argwhere", [M], {}),
    ("flatnonzero", [M], {}),
    ("nanargmax", [np.asarray([[1.0, np.nan, 3.0], [np.nan, 2.0, -np.inf]])], {"axis": 1}),
    ("nanargmin", [np.asarray([[1.0, np.nan, 3.0], [np.nan, 2.0, -np.inf]])], {}),
    ("nanargmin", [V], {}),
    (
        "interp",
        [np.asarray(SPECIAL), np.asarray([-2.0, 0.5, 3.7]), np.asarray([1.0, 5.0, 2.0])],
        {},
    ),
    ("interp", [A, np.asarray([2, 5, 20]), np.asarray([1, 5, 2])], {"left": -1, "right": 7.5}),
    ("interp", [A, np.asarray([2.0]), np.asarray([1.0])], {"left": -1.0}),
    ("interp", [np.linspace(-1, 3, 9), np.asarray([0.0, 1, 2]), np.asarray([1j, 2, 3 - 1j])], {}),
    ("polyval", [V.astype(float), A], {}),
    ("polyval", [V, 3], {}),
    ("iscomplexobj", [Z], {}),
    ("isrealobj", [Z], {}),
    ("unravel_index", [np.asarray([[1, 5], [23, 0]]), (2, 3, 4)], {}),
    (
        "ravel_multi_index",
        [[np.asarray([0, 1]), np.asarray([2, 1]), np.asarray([3, 0])], (2, 3, 4)],
        {},
    ),
    ("ix_", [np.asarray([0, 2]), np.asarray([True, False, True])], {}),
    *[(name, [m], {}) for name in ("hanning", "hamming", "blackman") for m in (0, 1, 2, 7)],
    ("divmod", [V, 3], {}),
    ("modf", [np.asarray(SPECIAL)], {}),
    ("modf", [V], {}),
]


@pytest.mark.parametrize(
    ("name", "arguments", "keywords"), CALLS, ids=[f"{n}-{i}" for i, (n, _, _) in enumerate(CALLS)]
)
def test_a_name_means_what_it_means_in_numpy(name, arguments, keywords):
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(*arguments, **keywords)
    found = getattr(situ, name)(*[on_device(argument) for argument in arguments], **keywords)
    compare(found, expected)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("copyto", [M * 1.5, V[:3] > 0]),
        ("copyto", [M.copy(), 7]),
        ("putmask", [M.copy(), M > 1, np.asarray([10, 20, 30, 40])]),
        ("place", [M.copy(), M > 1, np.asarray([10, 20])]),
        ("put", [M.copy(), np.asarray([0, -1, 3]), np.asarray([7, 8])]),
        ("put", [M.copy(), np.asarray([1, 2]), 5]),
    ],
)
def test_a_function_that_changes_an_array_changes_it_as_numpy_does(name, arguments):
    host = arguments[0].copy()
    x = situ.asarray(host)
    getattr(situ, name)(x, *[on_device(argument) for argument in arguments[1:]])
    getattr(np, name)(host, *arguments[1:])
    np.testing.assert_array_equal(x.to_numpy(), host)


def test_put_reaches_elements_that_no_view_makes_one_row():
    host = np.zeros((3, 4))
    x = situ.asarray(host)
    np.put(host.T, [0, 5, 7], [1, 2, 3])
    situ.put(x.T, situ.asarray([0, 5, 7]), situ.asarray([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(x.to_numpy(), host)


def test_copies_with_a_mask():
    host, source, mask = np.zeros(4, "float32"), np.arange(4.0), np.asarray([1, 0, 1, 0], bool)
    x = situ.asarray(host)
    np.copyto(host, source, where=mask)
    situ.copyto(x, situ.asarray(source), where=situ.asarray(mask))
    np.testing.assert_array_equal(x.to_numpy(), host)
    with pytest.raises(situ.DTypeError, match="same_kind"):
        situ.copyto(situ.zeros(4, "int32"), x)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: situ.split(situ.zeros(5), 2), ValueError, "array_split"),
        (lambda: situ.array_split(situ.zeros(5), 0), ValueError, "at least one part"),
        (lambda: situ.dsplit(situ.zeros((2, 2)), 2), ValueError, "3 dimensions"),
        (lambda: situ.vsplit(situ.zeros(2), 2), ValueError, "2 dimensions"),
        (lambda: situ.delete(situ.zeros(3), 3), IndexError, "size 3"),
        (lambda: situ.insert(situ.zeros(3), 5, 1.0), IndexError, "from -3 to 3"),
        (lambda: situ.pad(situ.zeros(3), -1), ValueError, "negative"),
        (lambda: situ.pad(situ.zeros(3), ((1, 1), (2, 2))), ValueError, "a pair for each axis"),
        (lambda: situ.pad(situ.zeros(3), 1, mode="mirror"), ValueError, "reflect"),
        (lambda: situ.geomspace(-1, 1), ValueError, "one sign"),
        (lambda: situ.gradient(situ.zeros(1)), ValueError, "2 points"),
        (lambda: situ.select([], []), ValueError, "same length"),
        (lambda: situ.where(situ.zeros(2), situ.zeros(2)), ValueError, "give both"),
        (lambda: situ.nanargmax(situ.asarray([np.nan, np.nan])), ValueError, "nothing but NaNs"),
        (
            lambda: situ.interp(situ.zeros(2), situ.zeros(2), situ.zeros(3)),
            ValueError,
            "each point",
        ),
        (lambda: situ.swapaxes(situ.zeros((2, 2)), 0, 2), np.exceptions.AxisError, "axis"),
        (lambda: situ.swapaxes(situ.zeros((2, 2)), 2, 2), np.exceptions.AxisError, "axis"),
        (lambda: situ.size(situ.zeros(2), 1), np.exceptions.AxisError, "axis"),
    ],
)
def test_what_makes_no_sense_is_refused_with_advice(call, error, words):
    with pytest.raises(error, match=words):
        call()
