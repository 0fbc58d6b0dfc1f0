"""Products against NumPy: values, dtypes, shapes and refusals, on every kind of device."""

import numpy as np
import places
import pytest
from differential.strategies import DTYPES, View, dtypes, views
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import situ
from situ.testing import virtual_devices

sides = st.integers(0, 6)


@st.composite
def moderate(draw, shape):
    """Make views whose floats are neither NaN nor so large that products overflow."""
    view = draw(views(shape, draw(dtypes)))
    if view.base.dtype.kind not in "fc":
        return view
    parts = [np.clip(np.nan_to_num(part), -100, 100) for part in (view.base.real, view.base.imag)]
    base = parts[0] + (1j * parts[1] if view.base.dtype.kind == "c" else 0)
    return View(base.astype(view.base.dtype), view.axes, view.index)


@st.composite
def factors(draw):
    """Make two operands of `matmul`: matrices, batches that broadcast, vectors."""
    batches = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=2, max_side=3))
    rows, inner, columns = draw(sides), draw(sides), draw(sides)
    left, right = ((*batch,) for batch in batches.input_shapes)
    left = (inner,) if draw(st.booleans()) and not left else (*left, rows, inner)
    right = (inner,) if draw(st.booleans()) and not right else (*right, inner, columns)
    return draw(moderate(left)), draw(moderate(right))


def wide(host):
    """Return elements so wide that sums are exact, or nearly so."""
    kinds = {"b": "bool", "i": "int64", "u": "int64", "f": "float64", "c": "complex128"}
    return host.astype(kinds[host.dtype.kind])


def assert_product(found, left, right, product=np.matmul):
    """Compare with NumPy: integers to the bit, floats with what rounding may lose."""
    dtype = np.result_type(left, right)
    with np.errstate(all="ignore"):
        expected = product(left.astype(dtype), right.astype(dtype))
    assert found.dtype == dtype
    assert found.shape == expected.shape
    found = found.to_numpy()
    if dtype.kind in "biu":
        np.testing.assert_array_equal(found, expected)
        return
    expected = product(wide(left.astype(dtype)), wide(right.astype(dtype)))
    size = product(np.abs(wide(left.astype(dtype))), np.abs(wide(right.astype(dtype))))
    info = np.finfo(dtype)
    error = np.abs(found - expected)
    # Results beyond the range of half precision are infinite.
    is_known = np.abs(expected) < float(info.max)
    bound = 32 * float(info.eps) * np.abs(size) + float(info.tiny)
    assert ((error <= bound) | ~is_known).all(), (found, expected)


@given(pair=factors())
def test_matmul_agrees_with_numpy(pair):
    check_product(pair, "native")


def check_product(pair, device):
    """Multiply in NumPy and on a device, and compare."""
    left, right = pair
    found = situ.matmul(left.on(device), right.on(device))
    assert_product(found, left.host, right.host)


def numbers(shape, dtype, seed=0):
    """Make numbers of a dtype, none of them large."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(shape) < 0.1
    values = rng.integers(-8, 9, shape) if not dtype.startswith("u") else rng.integers(0, 17, shape)
    if dtype.startswith("complex"):
        return (values + 1j * rng.normal(size=shape)).astype(dtype)
    if dtype.startswith("float"):
        return (values + rng.normal(size=shape)).astype(dtype)
    return values.astype(dtype)


LARGE = [
    ((65, 70), (70, 33)),
    ((200, 300), (300, 250)),
    ((1, 5000), (5000, 40)),
    ((40, 5000), (5000,)),
    ((5000,), (5000, 40)),
    ((100_003,), (100_003,)),
    ((3, 1, 40, 50), (2, 50, 60)),
    ((300, 9, 9), (300, 9, 9)),
]


@pytest.mark.parametrize(("left", "right"), LARGE)
@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"]
)
def test_large_products(left, right, dtype):
    left, right = numbers(left, dtype), numbers(right, dtype, 1)
    assert_product(situ.asarray(left) @ situ.asarray(right), left, right)


@pytest.mark.parametrize("dtype", ["float32", "complex128", "int32"])
def test_transposed_operands(dtype):
    left, right = numbers((120, 90), dtype), numbers((80, 120), dtype, 1)
    found = situ.asarray(left).T @ situ.asarray(right).T
    assert_product(found, left.T, right.T)
    vector = numbers((120,), dtype, 2)
    assert_product(situ.asarray(left).T @ situ.asarray(vector), left.T, vector)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_device_whose_memory_the_host_does_not_reach(dtype):
    with virtual_devices("gpu") as (gpu,):
        for shapes in [((33, 40), (40, 17)), ((3, 1, 5, 6), (2, 6, 7)), ((5, 300), (300,))]:
            left, right = (numbers(shape, dtype, i) for i, shape in enumerate(shapes))
            x, y = (situ.asarray(host, device=gpu, usm_type="device") for host in (left, right))
            found = x @ y
            assert found.usm_type == "device"
            assert_product(found, left, right)


@pytest.mark.parametrize("device", places.driver_devices())
@pytest.mark.parametrize("dtype", ["int32", "float32", "complex64"])
def test_products_on_drivers(device, dtype):
    left, right = numbers((37, 50), dtype), numbers((50, 21), dtype, 1)
    x, y = situ.asarray(left, device=device), situ.asarray(right, device=device)
    assert_product(x @ y, left, right)
    assert_product(x @ y[:, 0], left, right[:, 0])


@st.composite
def vectors(draw):
    """Make two operands of `vecdot` and an axis of the same size in both."""
    size, behind = draw(sides), draw(st.integers(0, 2))
    batches = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
    shapes = [
        (*shape[: max(len(shape) - behind, 0)], size, *shape[max(len(shape) - behind, 0) :])
        for shape in batches.input_shapes
    ]
    axis = -1 - min(behind, min(len(shape) for shape in batches.input_shapes))
    return *(draw(moderate(shape)) for shape in shapes), axis


@given(case=vectors())
def test_vecdot_agrees_with_numpy(case):
    left, right, axis = case
    sizes = [view.host.shape[axis] for view in (left, right)]
    if sizes[0] != sizes[1]:
        with pytest.raises(situ.ShapeError, match="different sizes"):
            situ.vecdot(left.on("native"), right.on("native"), axis=axis)
        return
    found = situ.vecdot(left.on("native"), right.on("native"), axis=axis)
    assert_product(found, left.host, right.host, lambda a, b: np.vecdot(a, b, axis=axis))


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex64", "complex128"])
def test_vecdot_along_any_axis_of_large_arrays(dtype):
    left, right = numbers((70, 900, 3), dtype), numbers((70, 900, 3), dtype, 1)
    for axis in (-1, -2, -3, 0, 1, 2):
        found = situ.vecdot(situ.asarray(left), situ.asarray(right), axis=axis)
        assert_product(found, left, right, lambda a, b, axis=axis: np.vecdot(a, b, axis=axis))


def test_long_sums_are_better_than_rounding_one_by_one():
    x = situ.full(10_000_000, 0.1, dtype="float32")
    exact = 10_000_000 * float(np.float32(0.1)) ** 2
    assert abs(float(situ.vecdot(x, x)) - exact) < 1e-6 * exact


def test_results_can_go_to_an_array_that_is_read():
    host = numbers((30, 30), "float64")
    x = situ.asarray(host)
    assert situ.matmul(x, x, out=x) is x
    np.testing.assert_allclose(x.to_numpy(), host @ host)
    y = situ.asarray(host)
    y @= situ.asarray(host)
    np.testing.assert_allclose(y.to_numpy(), host @ host)
    with pytest.raises(situ.ShapeError, match=r"does not fit `out` of shape \(2, 2\)"):
        situ.matmul(x, x, out=situ.zeros((2, 2)))
    with pytest.raises(situ.DTypeError, match="cannot be stored"):
        situ.matmul(x, x, out=situ.zeros((30, 30), dtype="int64"))


@pytest.mark.parametrize(
    ("left", "right"),
    [((2, 3), (2, 3)), ((3,), (4,)), ((2, 2, 3), (3, 3, 4)), ((2, 3), (2,)), ((), (3,))],
)
def test_shapes_that_do_not_fit(left, right):
    with pytest.raises(ValueError, match=r"mat|broadcast"):
        np.matmul(np.zeros(left), np.zeros(right))
    with pytest.raises(situ.ShapeError):
        situ.matmul(situ.zeros(left), situ.zeros(right))


def test_the_error_names_both_shapes():
    with pytest.raises(situ.ShapeError) as caught:
        situ.zeros((2, 3)) @ situ.zeros((4, 5))
    assert "shapes (2, 3) and (4, 5)" in str(caught.value)
    assert "why:" in str(caught.value)
    assert "help:" in str(caught.value)


def test_host_arrays_and_numbers_are_refused():
    x = situ.zeros((2, 2))
    with pytest.raises(situ.PlacementError):
        x @ np.zeros((2, 2))
    with pytest.raises(situ.PlacementError):
        situ.matmul(np.zeros((2, 2)), x)
    with pytest.raises(situ.ShapeError, match="at least 1 dimension"):
        x @ 2.0
    with pytest.raises(TypeError):
        x @ "text"


@st.composite
def tensors(draw):
    """Make two operands of `tensordot` and the axes to contract."""
    shared = draw(st.lists(st.integers(0, 3), max_size=2))
    rows, columns = (draw(st.lists(st.integers(0, 3), max_size=2)) for _ in range(2))

    def shuffled(sizes):
        order = draw(st.permutations(range(len(sizes))))
        axes = [list(order).index(i) for i in range(len(shared))]
        return tuple(sizes[i] for i in order), axes

    left, left_axes = shuffled([*shared, *rows])
    right, right_axes = shuffled([*shared, *columns])
    return draw(moderate(left)), draw(moderate(right)), (tuple(left_axes), tuple(right_axes))


@given(case=tensors())
def test_tensordot_agrees_with_numpy(case):
    left, right, axes = case
    found = situ.tensordot(left.on("native"), right.on("native"), axes=axes)
    assert_product(found, left.host, right.host, lambda a, b: np.tensordot(a, b, axes))


def test_tensordot_refuses_axes_that_do_not_fit():
    x = situ.zeros((2, 3))
    for axes in [1, 3, ((0, 1), (0,)), ((0, 0), (0, 0)), ((5,), (0,))]:
        with pytest.raises(ValueError, match="ax"):
            situ.tensordot(x, x, axes=axes)


SUBSCRIPTS = [
    "i,i", "i,i->i", "i,j", "i,j->ji", "ii", "ii->i", "ij->ji", "ij->", "ij,jk", "ij,jk->ki",
    "ij,kj->ik", "bij,bjk->bik", "ijk,jil->kl", "ij,jk,kl", "ij,ij->j", "...ij,...jk->...ik",
    "i...,i...->...", "...ii->...i", "...", "ij, j -> i", "abc,cd,def->abef", "ijj->i",
    "a,b,c->abc", "ij,ij,ij->i",
]  # fmt: skip


@pytest.mark.parametrize("subscripts", SUBSCRIPTS)
@pytest.mark.parametrize("dtype", ["float64", "int16", "complex64", "bool"])
def test_einsum_agrees_with_numpy(subscripts, dtype):
    terms = subscripts.replace(" ", "").split("->")[0].split(",")
    sizes = dict.fromkeys("ij", 3) | dict(zip("abcdefkl", range(2, 10), strict=True))
    hosts = []
    for number, term in enumerate(terms):
        shape = [size for letter in term.replace("...", "*") for size in _sizes(letter, sizes)]
        hosts.append(numbers(tuple(shape), dtype, number))
    expected = np.einsum(subscripts, *hosts)
    found = situ.einsum(subscripts, *map(situ.asarray, hosts))
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if dtype in {"int16", "bool"}:
        np.testing.assert_array_equal(found.to_numpy(), expected)
    else:
        tolerance = 1e-12 if dtype == "float64" else 1e-4
        np.testing.assert_allclose(found.to_numpy(), expected, rtol=tolerance, atol=tolerance)


def _sizes(letter, sizes):
    return (2, 4) if letter == "*" else (sizes[letter],)


def test_einsum_takes_lists_of_numbers_and_stretches():
    x, y = numbers((3, 4), "float64"), numbers((4, 5), "float64", 1)
    a, b = situ.asarray(x), situ.asarray(y)
    np.testing.assert_allclose(situ.einsum(a, [0, 1], b, [1, 2], [0, 2]).to_numpy(), x @ y)
    np.testing.assert_allclose(situ.einsum(a, [0, 1], b, [1, 2]).to_numpy(), x @ y)
    one = numbers((1, 4), "float64")
    found = situ.einsum("ij,ij->ij", a, situ.asarray(one)).to_numpy()
    np.testing.assert_allclose(found, x * one)
    out = situ.zeros((3, 5))
    assert situ.einsum("ij,jk->ik", a, b, out=out) is out
    np.testing.assert_allclose(out.to_numpy(), x @ y)


@pytest.mark.parametrize(
    "subscripts", ["ij", "ij,jk,kl", "ij,jk->im", "ij,jk->ii", "i,jk", "ij,ik->k", "i1,jk"]
)
def test_einsum_refuses_what_numpy_refuses(subscripts):
    x, y = np.zeros((3, 4)), np.zeros((4, 5))
    with pytest.raises(ValueError, match=r"operand|subscript|letter|dimension|einstein"):
        np.einsum(subscripts, x, y)
    with pytest.raises(ValueError, match="einsum"):
        situ.einsum(subscripts, situ.asarray(x), situ.asarray(y))


PAIRS = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((), (3,)), ((), ())]


@pytest.mark.parametrize(("left", "right"), [*PAIRS, ((2, 5, 3), (4, 3, 2)), ((2, 5, 3), (3,))])
def test_dot_agrees_with_numpy(left, right):
    x, y = numbers(left, "float64"), numbers(right, "float64", 1)
    found = situ.dot(situ.asarray(x), situ.asarray(y))
    np.testing.assert_allclose(found.to_numpy(), np.dot(x, y))
    assert found.shape == np.dot(x, y).shape


@pytest.mark.parametrize("name", ["inner", "vdot", "outer", "kron"])
@pytest.mark.parametrize("dtype", ["int32", "complex128"])
def test_other_products_agree_with_numpy(name, dtype):
    shapes = [(3,), (2, 3)] if name in {"inner", "outer", "kron"} else [(6,), (2, 3)]
    for left in shapes:
        for right in shapes:
            x, y = numbers(left, dtype), numbers(right, dtype, 1)
            expected = getattr(np, name)(x, y)
            found = getattr(situ, name)(situ.asarray(x), situ.asarray(y))
            np.testing.assert_allclose(found.to_numpy(), expected)
            assert found.shape == expected.shape
            assert found.dtype == expected.dtype


def test_diagonals():
    host = numbers((3, 4, 5), "int32")
    x = situ.asarray(host)
    for offset in (-5, -1, 0, 2, 9):
        np.testing.assert_array_equal(
            situ.diagonal(x, offset, 2, 0).to_numpy(), np.diagonal(host, offset, 2, 0)
        )
        found = situ.trace(x, offset, 0, 2).to_numpy()
        np.testing.assert_array_equal(found, np.trace(host, offset, 0, 2))
        vector = host[0, 0]
        np.testing.assert_array_equal(
            situ.diag(situ.asarray(vector), offset).to_numpy(), np.diag(vector, offset)
        )
        np.testing.assert_array_equal(situ.diag(x[0], offset).to_numpy(), np.diag(host[0], offset))
    with pytest.raises(situ.ShapeError):
        situ.diag(x)
    with pytest.raises(situ.ShapeError):
        situ.diagonal(x[0, 0])


@pytest.mark.parametrize("shapes", [((3,), (3,)), ((4, 3), (3,)), ((5, 1, 3), (4, 3))])
def test_cross_agrees_with_numpy(shapes):
    x, y = (numbers(shape, "float64", i) for i, shape in enumerate(shapes))
    found = situ.cross(situ.asarray(x), situ.asarray(y))
    np.testing.assert_allclose(found.to_numpy(), np.linalg.cross(x, y))


def test_cross_along_another_axis():
    x, y = numbers((3, 4), "int64"), numbers((3, 4), "int64", 1)
    found = situ.cross(situ.asarray(x), situ.asarray(y), axis=0)
    np.testing.assert_array_equal(found.to_numpy(), np.linalg.cross(x, y, axis=0))
    with pytest.raises(situ.ShapeError, match="3 elements"):
        situ.cross(situ.asarray(x), situ.asarray(y))
