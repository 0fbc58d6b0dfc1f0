"""NumPy's everyday names beside the standard's: the same calls on NumPy and on a device."""

import numpy as np
import pytest
from differential.comparison import compare, on_device
from places import driver_devices

import situ

A = np.arange(24.0).reshape(2, 3, 4)
M = np.asarray([[3, 1, 2], [-4, 0, 9]])
V = np.asarray([5, -3, 2, 8])
F = np.asarray([0.5, -1.25, 3.0, 2.5, -0.0])
Z = np.asarray([1 + 2j, -3 + 0j, 2 - 1j, -1j])
SPECIAL = np.asarray([0.0, -0.0, 1.5, -2.5, 5e-324, np.inf, -np.inf, np.nan])
ROWS = np.asarray([[1, 2], [0, 5], [1, 2], [-3, 2], [0, 5]])
X = np.asarray([[0.5, 1.0, 4.0, 2.0, 3.5], [2.0, 0.0, 1.0, 5.0, 1.0]])
NAN = np.asarray([1 + 1j, complex(np.nan, 2), 3 - 1j, complex(1, np.nan)])
TIES = np.asarray([[1 + 2j, 1 + 3j, 0 + 9j], [1 + 2j, 1 - 3j, 1 + 2j]])
RULES = ["auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"]
SAMPLE = np.asarray([1.0, 2.5, 2.5, 3.0, 7.25, 1.5, 2.0, 2.25, 9.0, 4.0])

# A name, its positional arguments and its keywords; arrays among them go to the device.
CALLS = [
    # covariances and shifts
    ("cov", [X], {}),
    ("cov", [X], {"rowvar": False}),
    ("cov", [X, X[:1] * 2], {"bias": True}),
    ("cov", [X[0]], {"ddof": 2}),
    ("cov", [X], {"fweights": np.asarray([1, 0, 2, 1, 3])}),
    ("cov", [X], {"aweights": np.asarray([0.5, 1.0, 2.0, 0.0, 1.0])}),
    ("cov", [X], {"fweights": np.asarray([1, 0, 2, 1, 3]), "aweights": X[0], "ddof": 1}),
    ("cov", [np.stack([Z, Z[::-1]])], {}),
    ("cov", [M], {}),
    ("cov", [X.astype("float32")], {}),
    ("corrcoef", [X], {}),
    ("corrcoef", [X[0], X[1]], {}),
    ("corrcoef", [np.stack([Z, Z[::-1]])], {}),
    *[
        (name, [first, second, mode], {})
        for name in ("convolve", "correlate")
        for mode in ("full", "same", "valid")
        for first, second in ((V, V[:3]), (V[:2], V), (F, Z), (Z, F[:3]), (V > 0, V < 3))
    ],
    ("convolve", [np.full(9, 100, "int8"), np.full(3, 100, "int8")], {}),
    ("convolve", [np.float16([1, 2, 3]), np.float16([0.5, 0.25])], {}),
    # parts of numbers
    ("gcd", [M, 6], {}),
    ("gcd", [V.astype("int8"), V[::-1].astype("uint8")], {}),
    ("gcd", [np.asarray([-128, 0, -128], "int8"), np.asarray([0, 0, 64], "int8")], {}),
    ("gcd", [np.asarray([2**63, 2**64 - 1], "uint64"), np.asarray([6, 5], "uint64")], {}),
    ("lcm", [M, np.asarray([[2], [0]])], {}),
    ("bitwise_count", [M], {}),
    ("bitwise_count", [np.asarray([-128, 127, 0], "int8")], {}),
    ("bitwise_count", [np.asarray([2**64 - 1, 1], "uint64")], {}),
    ("frexp", [SPECIAL], {}),
    ("frexp", [SPECIAL.astype("float32")], {}),
    ("frexp", [np.float16([0.1, 6e-8, 65504])], {}),
    ("frexp", [V], {}),
    ("ldexp", [SPECIAL, 3], {}),
    ("ldexp", [F, np.asarray([1074, -1080, 5000, -5000, 3])], {}),
    ("ldexp", [np.float32(F), np.asarray([[127], [-149]])], {}),
    ("ldexp", [1.5, V], {}),
    ("spacing", [SPECIAL], {}),
    ("spacing", [SPECIAL.astype("float32")], {}),
    ("i0", [np.asarray([0.0, 0.5, -7.5, 8.0, 29.0, 31.0, 200.0])], {}),
    ("i0", [V], {}),
    # polynomials
    ("polyadd", [V, M[0]], {}),
    ("polysub", [M[0], V], {}),
    ("polymul", [V, np.asarray([0, 0, 2, 1])], {}),
    ("polymul", [V, np.zeros(3)], {}),
    ("polydiv", [V.astype(float), np.asarray([2.0, 1.0])], {}),
    ("polydiv", [np.asarray([1.0, 2.0, 1.0]), np.asarray([1.0, 1.0])], {}),
    ("polydiv", [np.asarray([3.0]), np.asarray([1.0, 1.0])], {}),
    ("polyder", [V], {}),
    ("polyder", [F, 2], {}),
    ("polyder", [F, 7], {}),
    ("polyint", [V], {}),
    ("polyint", [F, 2, [1.0, -1.0]], {}),
    ("poly", [V], {}),
    ("poly", [np.asarray([1j, -1j, 2.0])], {}),
    ("poly", [Z], {}),
    ("roots", [np.asarray([1.0, -3.0])], {}),
    ("roots", [np.asarray([0.0, 0.0, 2.0, -8.0, 0.0, 0.0])], {}),
    ("roots", [np.zeros(3)], {}),
    ("polyval", [V.astype(float), A], {}),
    ("vander", [V], {}),
    ("vander", [F, 3], {"increasing": True}),
    ("vander", [V.astype("int8"), 0], {}),
    # along axes
    ("apply_along_axis", [lambda row: row.sum(), 1, A], {}),
    ("apply_along_axis", [lambda row: row[::-1] * 2, 0, A], {}),
    ("apply_along_axis", [lambda row: row[:, None] * row, -1, A], {}),
    ("take_along_axis", [M, np.asarray([[0], [-1]])], {"axis": 1}),
    ("take_along_axis", [M, np.asarray([5, 0, -1])], {"axis": None}),
    ("diff", [M], {"prepend": 0}),
    ("ediff1d", [M], {}),
    ("ediff1d", [V], {"to_begin": -9, "to_end": np.asarray([[1], [2]])}),
    ("ediff1d", [np.zeros(0)], {"to_end": 1.0}),
    ("unwrap", [np.asarray([0.0, 3.0, -3.0, 2.0, -2.0, 6.5])], {}),
    ("unwrap", [A * 7], {"axis": 0}),
    ("unwrap", [np.asarray([0, 1, 2, -1, 0, 3, 1])], {"period": 4}),
    ("unwrap", [np.asarray([0, 1, 2, -1, 0, 3, 1])], {"period": 5}),
    ("unwrap", [F * 3], {"discont": 4.0}),
    # choices
    ("piecewise", [F, [F < 0, F > 2], [-1.0, lambda x: x * x]], {}),
    ("piecewise", [F, [F < 0, F > 2], [-1.0, 2.0, lambda x: x + 10]], {}),
    ("piecewise", [V, [V > 0, V > 4], [1.9, 7]], {}),
    ("lexsort", [(V, M.reshape(-1)[:4])], {}),
    ("lexsort", [np.stack([ROWS[:, 0], ROWS[:, 1]])], {}),
    ("lexsort", [(M, -M)], {"axis": 0}),
    ("sort_complex", [Z], {}),
    ("sort_complex", [M], {}),
    ("sort_complex", [np.int8([3, 1])], {}),
    ("unique", [ROWS], {"axis": 0}),
    (
        "unique",
        [ROWS],
        {"axis": 0, "return_index": True, "return_inverse": True, "return_counts": True},
    ),
    ("unique", [ROWS.T], {"axis": 1, "return_counts": True}),
    ("unique", [A], {"axis": -1}),
    ("unique", [np.asarray([[np.nan, 1.0], [np.nan, 1.0], [0.0, 1.0]])], {"axis": 0}),
    *[
        (name, [x], {"axis": axis})
        for name in ("max", "min", "argmax", "argmin")
        for x, axis in ((Z, None), (NAN, 0), (TIES, 0), (TIES, 1), (TIES, None))
    ],
    ("max", [TIES], {"axis": (0, 1), "keepdims": True}),
    ("ptp", [V], {}),
    # shapes
    ("resize", [M, (3, 5)], {}),
    ("resize", [M, 2], {}),
    ("resize", [np.zeros(0), (2, 2)], {}),
    *[("rollaxis", [A, axis, start], {}) for axis in (0, 1, 2, -1) for start in (0, 1, 3, -1)],
    ("trim_zeros", [np.asarray([0, 0, 1, 0, 2, 0])], {}),
    ("trim_zeros", [np.asarray([0, 0, 1, 0, 2, 0]), "f"], {}),
    ("trim_zeros", [np.asarray([0, 0, 1, 0, 2, 0]), "B"], {}),
    ("trim_zeros", [np.zeros(3)], {}),
    ("trim_zeros", [np.pad(M, 2)], {}),
    ("trim_zeros", [np.pad(M, 2)], {"axis": 1}),
    ("block", [[[np.eye(2), np.ones((2, 1))], [np.zeros((1, 2)), np.full((1, 1), 7.0)]]], {}),
    ("block", [[V, M[0], 5]], {}),
    ("block", [M], {}),
    ("delete", [M, np.asarray([0, -1])], {"axis": 1}),
    ("delete", [V, np.asarray([True, False, True, False])], {}),
    ("delete", [V, []], {}),
    ("delete", [V, slice(None, None, -2)], {}),
    ("insert", [V, [0, 2, 4], 9], {}),
    ("insert", [V, np.asarray([1, 1, -1]), np.asarray([10, 20, 30])], {}),
    ("insert", [M, [0, 3], np.asarray([[7], [8]])], {"axis": 1}),
    ("insert", [M, slice(0, 3, 2), 5], {"axis": 1}),
    ("insert", [M, [1, 1], np.asarray([1, 2, 3])], {"axis": 0}),
    *[
        ("pad", [x, widths], {"mode": mode})
        for mode in ("linear_ramp", "maximum", "mean", "median", "minimum")
        for x, widths in ((M, ((1, 2), (0, 4))), (F, 3), (A, (1, 0)))
    ],
    ("pad", [M, 2], {"mode": "mean", "stat_length": ((1, 2), (2, 1))}),
    ("pad", [F, (3, 2)], {"mode": "linear_ramp", "end_values": (5, -4)}),
    *[
        ("pad", [x, (5, 9)], {"mode": mode, "reflect_type": "odd"})
        for mode in ("reflect", "symmetric")
        for x in (V, F)
    ],
    ("interp", [F * 100, np.asarray([190, -190, 350, -350]), V], {"period": 360}),
    # diagonals
    ("diag_indices", [3], {}),
    ("diag_indices", [2, 3], {}),
    ("diag_indices_from", [np.zeros((2, 2, 2))], {}),
    ("diagflat", [M], {}),
    ("diagflat", [V, -2], {}),
    ("tril_indices_from", [M], {}),
    ("triu_indices_from", [M, -1], {}),
    # bits
    ("packbits", [np.asarray([1, 0, 0, 5, 0, 0, 0, 1, 1])], {}),
    ("packbits", [M], {"axis": 0, "bitorder": "little"}),
    ("packbits", [M > 0], {"axis": 1}),
    ("unpackbits", [np.uint8([2, 255, 129])], {}),
    ("unpackbits", [np.uint8([[2], [255]])], {"axis": 1, "count": 3, "bitorder": "little"}),
    ("unpackbits", [np.uint8([[2], [255]])], {"axis": 0, "count": 20}),
    ("unpackbits", [np.uint8([2, 255])], {"count": -3}),
    # windows
    *[("bartlett", [m], {}) for m in (0, 1, 2, 7)],
    *[("kaiser", [m, beta], {}) for m in (0, 1, 8) for beta in (0.0, 5.0, 40.0)],
    # counting
    *[("histogram", [SAMPLE], {"bins": rule}) for rule in RULES],
    *[("histogram_bin_edges", [V], {"bins": rule}) for rule in RULES],
    ("histogram", [SAMPLE], {"bins": "auto", "range": (1.0, 5.0)}),
    ("histogram", [np.zeros(0)], {"bins": "auto"}),
    ("histogram", [np.ones(4)], {"bins": "fd"}),
    ("histogram2d", [X[0], X[1]], {"bins": 3}),
    ("histogram2d", [X[0], X[1]], {"bins": (2, 4), "range": [(0, 4), (0, 6)]}),
    ("histogram2d", [X[0], X[1]], {"bins": [[0, 1, 5], [0, 2, 3]], "density": True}),
    ("histogramdd", [X.T], {"bins": (2, 3)}),
    ("histogramdd", [[X[0], X[1], X[0]]], {"bins": 2, "weights": X[1]}),
    # products
    ("matvec", [A, np.arange(4.0)], {}),
    ("matvec", [M, M], {}),
    ("vecmat", [np.arange(3.0), A], {}),
    ("vecmat", [Z, Z[:, None]], {}),
    ("linalg.tensorinv", [(np.eye(6) * 2).reshape(2, 3, 6)], {}),
    ("linalg.tensorsolve", [(np.eye(6) * 2).reshape(2, 3, 6), np.ones((2, 3))], {}),
]

# Results of sums of many products, or of iterations, whose rounding differs.
LOOSE = {
    "convolve": 32,
    "corrcoef": 16,
    "correlate": 32,
    "cov": 64,
    "histogramdd": 16,
    "i0": 64,
    "kaiser": 64,
    "linalg.tensorinv": 16,
    "pad": 16,
    "poly": 16,
    "polydiv": 16,
    "polyval": 16,
    "roots": 64,
    "unwrap": 32,
}

NAMES = [f"{name}-{index}" for index, (name, _, _) in enumerate(CALLS)]


def function_of(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return module


def run(name, arguments, keywords, device=None, module=situ):
    with np.errstate(all="ignore"):
        expected = function_of(np, name)(*arguments, **keywords)
    found = function_of(module, name)(
        *[on_device(argument, device) for argument in arguments],
        **{key: on_device(value, device) for key, value in keywords.items()},
    )
    compare(found, expected, ulps=LOOSE.get(name, 4))


@pytest.mark.parametrize(("name", "arguments", "keywords"), CALLS, ids=NAMES)
def test_a_name_means_what_it_means_in_numpy(name, arguments, keywords):
    run(name, arguments, keywords)


# Those that NumPy hands over; the others have no array among their arguments, or make an index.
HANDED_OVER = [
    (name, arguments, keywords)
    for name, arguments, keywords in CALLS
    if name not in {"bartlett", "diag_indices", "kaiser", "block"}
]


@pytest.mark.parametrize(
    ("name", "arguments", "keywords"),
    HANDED_OVER,
    ids=[f"{name}-{index}" for index, (name, _, _) in enumerate(HANDED_OVER)],
)
def test_numpy_hands_the_call_over(name, arguments, keywords):
    run(name, arguments, keywords, module=np)


# The first call of each name, on a device of a driver: kernels take their time to compile there.
FIRST = {name: (arguments, keywords) for name, arguments, keywords in reversed(CALLS)}


@pytest.mark.parametrize("name", FIRST)
@pytest.mark.parametrize("device", [*driver_devices()[:1], "reference"])
def test_every_name_works_on_other_devices(name, device):
    run(name, *FIRST[name], device=device)


CHANGES = [
    ("put_along_axis", [M, np.asarray([[2], [0]]), 99], {"axis": 1}),
    ("put_along_axis", [M, np.asarray([[1, 0, 1]]), np.asarray([7, 8, 9])], {"axis": 0}),
    ("put_along_axis", [M, np.asarray([0, 5]), np.asarray([7, 8])], {"axis": None}),
    ("fill_diagonal", [np.zeros((3, 4)), 5.0], {}),
    ("fill_diagonal", [np.zeros((7, 3)), 5.0], {"wrap": True}),
    ("fill_diagonal", [np.zeros((7, 3)), 5.0], {"wrap": False}),
    ("fill_diagonal", [np.zeros((3, 3, 3)), np.asarray([1.0, 2.0])], {}),
]


@pytest.mark.parametrize(("name", "arguments", "keywords"), CHANGES)
@pytest.mark.parametrize("module", [situ, np], ids=["situ", "numpy"])
def test_a_function_that_changes_an_array_changes_it_as_numpy_does(
    name, arguments, keywords, module
):
    host = arguments[0].copy()
    x = situ.asarray(host)
    getattr(module, name)(x, *[on_device(argument) for argument in arguments[1:]], **keywords)
    getattr(np, name)(host, *arguments[1:], **keywords)
    np.testing.assert_array_equal(x.to_numpy(), host)


def test_elements_change_where_no_view_makes_them_one_row():
    host = np.zeros((3, 4))
    x = situ.asarray(host)
    np.fill_diagonal(host.T, 5.0)
    situ.fill_diagonal(x.T, 5.0)
    np.put(host.T, np.asarray([1, 6]), 7.0)
    situ.put_along_axis(x.T, situ.asarray([1, 6]), 7.0, axis=None)
    np.testing.assert_array_equal(x.to_numpy(), host)


@pytest.mark.parametrize(
    "make",
    [
        lambda xp: xp.mgrid[0:3, 1:2:0.25],
        lambda xp: xp.mgrid[5:0:-2],
        lambda xp: xp.mgrid[0:1:5j, 0:2],
        lambda xp: xp.ogrid[0:3, -1:1:4j],
        lambda xp: xp.r_[0:3, 9, 1.5],
        lambda xp: xp.r_["0", 0:3, 5:6],
        lambda xp: xp.c_[0:3, 4:7],
    ],
)
def test_objects_that_are_indexed(make):
    compare(make(situ), make(np))


def test_joined_arrays_decide_where_the_numbers_beside_them_go(device):
    x = situ.asarray(V, device=device)
    found = situ.r_[x, 7, 1:3]
    assert found.device == device
    compare(found, np.r_[V, 7, 1:3])
    compare(situ.c_[x, x * 2], np.c_[V, V * 2])
    compare(situ.mgrid(device=device)[0:2, 0:2], np.mgrid[0:2, 0:2])
    assert situ.mgrid(device=device)[0:2].device == device


def test_indices_as_objects():
    assert situ.s_[1:2, ..., None] == np.s_[1:2, ..., None]
    assert situ.index_exp[1:2] == np.index_exp[1:2]


def test_positions_and_elements_one_by_one():
    assert list(situ.ndindex(2, 3)) == list(np.ndindex(2, 3))
    assert list(situ.ndindex((2, 0))) == []
    assert list(situ.ndindex()) == [()]
    found = [(place, int(x)) for place, x in situ.ndenumerate(situ.asarray(M))]
    assert found == list(np.ndenumerate(M))


def test_functions_over_several_axes():
    found = situ.apply_over_axes(situ.sum, situ.asarray(A), [0, -1])
    compare(found, np.apply_over_axes(np.sum, A, [0, -1]))
    found = situ.mask_indices(3, situ.tril, -1)
    compare(found, np.mask_indices(3, np.tril, -1))


def test_fits_of_polynomials():
    x, y = X[0], X[1]
    weights = np.asarray([1.0, 2.0, 0.5, 1.0, 3.0])
    both = np.stack([y, y * 2 - 1], 1)
    d = situ.asarray
    for deg in (0, 1, 3):
        compare(situ.polyfit(d(x), d(y), deg), np.polyfit(x, y, deg), ulps=4096)
        compare(
            situ.polyfit(d(x), d(both), deg, w=d(weights)),
            np.polyfit(x, both, deg, w=weights),
            ulps=4096,
        )
    for cov in (True, "unscaled"):
        compare(situ.polyfit(d(x), d(y), 1, cov=cov), np.polyfit(x, y, 1, cov=cov), ulps=4096)
    found, residuals, rank, _, _ = situ.polyfit(d(x), d(y), 2, full=True)
    expected = np.polyfit(x, y, 2, full=True)
    compare(found, expected[0], ulps=4096)
    np.testing.assert_allclose(residuals.to_numpy(), expected[1])
    assert int(rank) == expected[2]


def test_roots_of_polynomials():
    for coefficients in ([1.0, -6.0, 11.0, -6.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.5, 3.0, 0.0]):
        found = situ.roots(situ.asarray(coefficients))
        expected = np.roots(coefficients)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(
            np.sort_complex(found.to_numpy()), np.sort_complex(expected), rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: situ.cov(situ.zeros((2, 2, 2))), ValueError, "3 dimensions"),
        (lambda: situ.cov(situ.zeros((2, 3)), ddof=0.5), ValueError, "integer"),
        (lambda: situ.cov(situ.zeros((2, 3)), fweights=situ.zeros(3)), TypeError, "integers"),
        (lambda: situ.cov(situ.zeros(3), fweights=situ.asarray([-1, 1, 1])), ValueError, "negat"),
        (lambda: situ.cov(situ.zeros(3), aweights=situ.ones(2)), RuntimeError, "3 observations"),
        (lambda: situ.convolve(situ.zeros(0), situ.zeros(2)), ValueError, "empty"),
        (lambda: situ.convolve(situ.zeros(1), situ.zeros(2), "half"), ValueError, "valid"),
        (lambda: situ.convolve(situ.zeros((2, 2)), situ.zeros(2)), ValueError, "2 dimensions"),
        (lambda: situ.gcd(situ.zeros(2), 2), TypeError, "integers"),
        (lambda: situ.lcm(situ.zeros(2, "bool"), True), TypeError, "bool"),
        (lambda: situ.ldexp(situ.zeros(2), situ.zeros(2)), TypeError, "exponents"),
        (lambda: situ.frexp(situ.zeros(2, "complex64")), TypeError, "complex64"),
        (lambda: situ.bitwise_count(situ.zeros(2)), TypeError, "float64"),
        (lambda: situ.i0(situ.zeros(2, "complex64")), TypeError, "complex64"),
        (lambda: situ.polyfit(situ.zeros(3), situ.zeros(2), 1), TypeError, "each point"),
        (lambda: situ.polyfit(situ.zeros(3), situ.zeros(3), -1), ValueError, "degree"),
        (lambda: situ.polyder(situ.zeros(3), -1), ValueError, "polyint"),
        (lambda: situ.polyint(situ.zeros(3), 3, [1, 2]), ValueError, "3 integrations"),
        (lambda: situ.poly(situ.zeros((2, 3))), ValueError, "square"),
        (lambda: situ.roots(situ.zeros((2, 3))), ValueError, "row"),
        (lambda: situ.vander(situ.zeros((2, 3))), ValueError, "2 dimensions"),
        (lambda: situ.lexsort([]), TypeError, "no keys"),
        (lambda: situ.lexsort([situ.zeros(2), situ.zeros(3)]), ValueError, r"\(2,\), \(3,\)"),
        (lambda: situ.unique(situ.zeros(3), axis=1), np.exceptions.AxisError, "axis"),
        (lambda: situ.histogram(situ.zeros(3), bins="best"), ValueError, "sturges"),
        (
            lambda: situ.histogram(situ.zeros(3), bins="auto", weights=situ.ones(3)),
            TypeError,
            "weights",
        ),
        (lambda: situ.histogramdd(situ.zeros((3, 2)), bins=(1, 2, 3)), ValueError, "2 coordinate"),
        (lambda: situ.packbits(situ.zeros(3)), TypeError, "float64"),
        (lambda: situ.unpackbits(situ.asarray([1])), TypeError, "int64"),
        (lambda: situ.packbits(situ.asarray([1]), bitorder="up"), ValueError, "little"),
        (lambda: situ.fill_diagonal(situ.zeros(3), 1), ValueError, "two equal"),
        (lambda: situ.diag_indices_from(situ.zeros((2, 3))), ValueError, r"\(2, 3\)"),
        (lambda: situ.tril_indices_from(situ.zeros(3)), ValueError, "triangles"),
        (lambda: situ.piecewise(situ.zeros(3), [situ.ones(3)], [1, 2, 3]), ValueError, "1 or 2"),
        (lambda: situ.trim_zeros(situ.zeros(3), "x"), ValueError, "front"),
        (lambda: situ.resize(situ.zeros(3), (-1,)), ValueError, "negative"),
        (lambda: situ.rollaxis(situ.zeros(3), 1), np.exceptions.AxisError, "axis"),
        (lambda: situ.block([[situ.zeros(2)], situ.zeros(2)]), ValueError, "deep"),
        (lambda: situ.block([situ.zeros(2), []]), ValueError, "empty list"),
        (lambda: situ.block((situ.zeros(2),)), TypeError, "tuple"),
        (
            lambda: situ.block([[situ.zeros((2, 2)), situ.zeros((3, 1))]]),
            ValueError,
            r"\(3, 1\)",
        ),
        (lambda: situ.mgrid[3:], ValueError, "no end"),
        (lambda: situ.c_["1", situ.zeros(2)], ValueError, "situ.stack"),
        (lambda: situ.delete(situ.zeros(3), situ.asarray([3])), IndexError, "from -3 to 2"),
        (lambda: situ.delete(situ.zeros(3), situ.asarray([True])), ValueError, r"\(3,\)"),
        (lambda: situ.delete(situ.zeros(3), situ.asarray([0.5])), IndexError, "integers"),
        (lambda: situ.pad(situ.zeros(3), 1, "mean", stat_length=0), ValueError, "at least 1"),
        (lambda: situ.pad(situ.zeros((0, 3)), 1, "mean"), ValueError, "empty axis 0"),
        (
            lambda: situ.interp(situ.zeros(1), situ.ones(1), situ.ones(1), period=0),
            ValueError,
            "period",
        ),
        (
            lambda: situ.put_along_axis(situ.zeros((2, 2)), situ.asarray([0]), 1, 1),
            ValueError,
            "dimensions",
        ),
        (
            lambda: situ.take_along_axis(situ.zeros(2), situ.asarray([[0]]), None),
            ValueError,
            "flat",
        ),
        (lambda: situ.matvec(situ.zeros(3), situ.zeros(3)), ValueError, "1 dimensions"),
        (lambda: situ.linalg.tensorinv(situ.zeros((2, 3, 5))), np.linalg.LinAlgError, "rows"),
        (lambda: situ.linalg.tensorinv(situ.eye(2), 0), ValueError, "at least one"),
        (lambda: situ.ndindex(-1).__next__(), ValueError, "negative"),
        (lambda: situ.ediff1d(situ.zeros(3, "bool")), TypeError, "diff"),
        (lambda: situ.ediff1d(situ.zeros(3, "int8"), to_end=0.5), TypeError, "same_kind"),
    ],
)
def test_what_makes_no_sense_is_refused_with_advice(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n  why:  " in str(caught.value)
    assert "\n  help: " in str(caught.value)
