"""Linear algebra against NumPy, and decompositions by what defines them."""

import itertools
import math

import numpy as np
import places
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import situ
from situ.testing import virtual_devices

FIELDS = ["float32", "float64", "complex64", "complex128"]
BATCHES = [(), (3,), (2, 0), (2, 3)]


def matrices(shape, dtype, seed=0):
    """Make matrices that are neither singular nor badly conditioned."""
    rng = np.random.default_rng([seed, *shape])
    values = rng.normal(size=shape)
    if dtype.startswith("complex"):
        values = values + 1j * rng.normal(size=shape)
    smaller = min(shape[-2:])
    values[..., :smaller, :smaller] += 3 * np.eye(smaller)
    return values.astype(dtype)


def hermitian(shape, dtype, seed=0):
    """Make Hermitian, positive definite matrices."""
    host = matrices(shape, dtype, seed)
    return host @ np.conj(np.swapaxes(host, -1, -2)) + np.eye(shape[-1], dtype=dtype)


def tolerance(dtype):
    """Return the error that a dozen operations may make."""
    return 2e-4 if np.dtype(dtype) in (np.dtype("float32"), np.dtype("complex64")) else 1e-11


def assert_close(found, expected, dtype=None):
    """Compare an array of situ with one of NumPy: dtype, shape and values."""
    expected = np.asarray(expected)
    if dtype is None:
        assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    error = tolerance(found.dtype)
    np.testing.assert_allclose(found.to_numpy(), expected, rtol=error, atol=error)


def adjoint(host):
    """Return transposed and conjugated matrices."""
    return np.conj(np.swapaxes(host, -1, -2))


@pytest.mark.parametrize("dtype", FIELDS)
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("size", [0, 1, 2, 5, 40])
def test_elimination_agrees_with_numpy(dtype, batch, size):
    host = matrices((*batch, size, size), dtype)
    x = situ.asarray(host)
    assert_close(situ.linalg.inv(x), np.linalg.inv(host))
    sign, logarithm = situ.linalg.slogdet(x)
    expected = np.linalg.slogdet(host)
    assert_close(sign, expected.sign)
    assert_close(logarithm, expected.logabsdet)
    if size < 40:
        assert_close(situ.linalg.det(x), np.linalg.det(host))
    right = matrices((*batch, size, 3), dtype, 1)
    assert_close(situ.linalg.solve(x, situ.asarray(right)), np.linalg.solve(host, right))
    vector = matrices((size, 1), dtype, 2)[:, 0]
    assert_close(situ.linalg.solve(x, situ.asarray(vector)), np.linalg.solve(host, vector))


@pytest.mark.parametrize(
    "shapes", [((3, 3), (5, 3, 2)), ((5, 3, 3), (3, 2)), ((5, 1, 3, 3), (4, 3, 2))]
)
def test_solve_broadcasts(shapes):
    left, right = matrices(shapes[0], "float64"), matrices(shapes[1], "float64", 1)
    found = situ.linalg.solve(situ.asarray(left), situ.asarray(right))
    assert_close(found, np.linalg.solve(left, right))


@pytest.mark.parametrize("dtype", FIELDS)
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("size", [0, 1, 2, 5, 40])
def test_cholesky_and_eigenvalues_of_hermitian_matrices(dtype, batch, size):
    host = hermitian((*batch, size, size), dtype)
    x = situ.asarray(host)
    assert_close(situ.linalg.cholesky(x), np.linalg.cholesky(host))
    upper = situ.linalg.cholesky(x, upper=True)
    assert_close(upper, np.linalg.cholesky(host, upper=True))
    scale = max(float(np.abs(host).max(initial=1)), 1.0)
    for triangle in "LU":
        values, vectors = situ.linalg.eigh(x / scale, triangle)
        expected = np.linalg.eigvalsh(host / dtype_of(scale, dtype), triangle)
        assert_close(values, expected)
        assert_close(situ.linalg.eigvalsh(x / scale, triangle), expected)
        assert vectors.dtype == host.dtype
        columns = vectors.to_numpy()
        error = 10 * tolerance(dtype)
        np.testing.assert_allclose(
            (host / scale) @ columns, columns * values.to_numpy()[..., None, :], atol=error
        )
        unit = np.broadcast_to(np.eye(size), host.shape)
        np.testing.assert_allclose(adjoint(columns) @ columns, unit, atol=error)


def dtype_of(number, dtype):
    """Return a number in the real dtype that belongs to a dtype."""
    return np.zeros(1, dtype).real.dtype.type(number)


@pytest.mark.parametrize("dtype", FIELDS)
@pytest.mark.parametrize(
    "shape", [(4, 4), (5, 3), (3, 5), (2, 4, 3), (0, 3), (3, 0), (2, 0, 3), (60, 40)]
)
@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_qr(dtype, shape, mode):
    host = matrices(shape, dtype)
    q, r = situ.linalg.qr(situ.asarray(host), mode=mode)
    expected = np.linalg.qr(host, mode)
    assert (q.shape, r.shape) == (expected.Q.shape, expected.R.shape)
    assert q.dtype == r.dtype == host.dtype
    error = 10 * tolerance(dtype)
    q, r = q.to_numpy(), r.to_numpy()
    np.testing.assert_allclose(q @ r, host, atol=error)
    unit = np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], q.shape[-1], q.shape[-1]))
    np.testing.assert_allclose(adjoint(q) @ q, unit, atol=error)
    np.testing.assert_array_equal(r, np.triu(r))


def test_qr_can_give_r_alone_and_knows_its_modes():
    x = situ.asarray(matrices((4, 3), "float64"))
    np.testing.assert_array_equal(
        situ.linalg.qr(x, mode="r").to_numpy(), situ.linalg.qr(x).R.to_numpy()
    )
    with pytest.raises(ValueError, match=r'use "reduced" or "complete"'):
        situ.linalg.qr(x, mode="full")


@pytest.mark.parametrize("dtype", FIELDS)
@pytest.mark.parametrize(
    "shape", [(4, 4), (5, 3), (3, 5), (2, 4, 3), (0, 3), (3, 0), (2, 0, 3), (60, 40)]
)
@pytest.mark.parametrize("full", [True, False])
def test_svd(dtype, shape, full):
    host = matrices(shape, dtype)
    x = situ.asarray(host)
    u, s, vh = situ.linalg.svd(x, full_matrices=full)
    expected = np.linalg.svd(host, full_matrices=full)
    assert (u.shape, vh.shape) == (expected.U.shape, expected.Vh.shape)
    assert u.dtype == vh.dtype == host.dtype
    assert_close(s, expected.S)
    assert_close(situ.linalg.svdvals(x), expected.S)
    error = 10 * tolerance(dtype)
    u, s, vh = u.to_numpy(), s.to_numpy(), vh.to_numpy()
    rank = s.shape[-1]
    np.testing.assert_allclose(
        (u[..., :rank] * s[..., None, :]) @ vh[..., :rank, :], host, atol=error
    )
    for columns in (u, adjoint(vh)):
        count = columns.shape[-1]
        unit = np.broadcast_to(np.eye(count), (*columns.shape[:-2], count, count))
        np.testing.assert_allclose(adjoint(columns) @ columns, unit, atol=error)


@pytest.mark.parametrize("dtype", FIELDS)
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (3, 5, 5), (30, 30)])
def test_eigenvalues(dtype, shape):
    host = matrices(shape, dtype)
    values, vectors = situ.linalg.eig(situ.asarray(host))
    alone = situ.linalg.eigvals(situ.asarray(host))
    expected = np.linalg.eig(host)
    error = 30 * tolerance(dtype)
    assert values.dtype == alone.dtype
    assert values.dtype == vectors.dtype == np.result_type(host, "complex64")
    values, vectors = values.to_numpy(), vectors.to_numpy()
    np.testing.assert_allclose(host @ vectors, vectors * values[..., None, :], atol=error)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=-2), 1, atol=error)
    for found in (values, alone.to_numpy()):
        distance = np.abs(found[..., :, None] - expected.eigenvalues[..., None, :])
        assert distance.min(axis=-1).max() < error


def test_eigenvalues_are_complex_also_where_all_are_real():
    x = situ.asarray(np.triu(np.arange(1.0, 10.0).reshape(3, 3)))
    assert situ.linalg.eigvals(x).dtype == np.complex128
    assert situ.linalg.eig(x.astype("float32")).eigenvectors.dtype == np.complex64


@pytest.mark.parametrize("name", ["inv", "det", "eigvalsh", "svdvals", "cholesky"])
@pytest.mark.parametrize("dtype", ["int8", "uint64", "bool"])
def test_integers_become_floats(name, dtype):
    host = np.asarray([[1, 0], [0, 1]], dtype=dtype)
    found = getattr(situ.linalg, name)(situ.asarray(host))
    assert_close(found, getattr(np.linalg, name)(host))


def test_half_precision_is_refused():
    x = situ.zeros((2, 2), dtype="float16")
    with pytest.raises(TypeError, match="`inv` is not defined for float16"):
        situ.linalg.inv(x)


def test_views_are_decomposed_like_copies():
    host = matrices((3, 6, 6), "float64")
    view, expected = situ.asarray(host).T[::2, ::-2], host.T[::2, ::-2]
    assert_close(situ.linalg.svdvals(view), np.linalg.svdvals(expected))


MATRIX_ORDERS = ["fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf]


@pytest.mark.parametrize("dtype", [*FIELDS, "int16"])
@pytest.mark.parametrize("order", MATRIX_ORDERS)
@pytest.mark.parametrize("keepdims", [True, False])
def test_matrix_norms(dtype, order, keepdims):
    if dtype in FIELDS:
        host = 10 * matrices((2, 3, 4), dtype)
    else:
        host = np.arange(24, dtype=dtype).reshape(2, 3, 4) - 10
    found = situ.linalg.matrix_norm(situ.asarray(host), ord=order, keepdims=keepdims)
    assert_close(found, np.linalg.matrix_norm(host, ord=order, keepdims=keepdims))
    if not keepdims:
        assert_close(
            situ.linalg.norm(situ.asarray(host), order, (2, 0)), np.linalg.norm(host, order, (2, 0))
        )


@pytest.mark.parametrize("order", [2, 1, 0, 3, 0.5, -1, math.inf, -math.inf])
@given(data=st.data())
def test_vector_norms(order, data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=5))
    axes = st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True).map(tuple)
    axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1) | axes)
    keepdims = data.draw(st.booleans())
    dtype = data.draw(st.sampled_from(FIELDS))
    # No zeros, whose negative powers are infinite, and nothing that overflows.
    if dtype.startswith("f"):
        elements = st.floats(0.5, 8, width=32)
    else:
        elements = st.complex_numbers(min_magnitude=0.5, max_magnitude=8, width=64)
    host = data.draw(hnp.arrays(dtype, shape, elements=elements))
    found = situ.linalg.vector_norm(situ.asarray(host), axis=axis, keepdims=keepdims, ord=order)
    assert_close(found, np.linalg.vector_norm(host, axis=axis, keepdims=keepdims, ord=order))


def test_norms_without_axes():
    host = matrices((3, 4), "float64")
    x = situ.asarray(host)
    for order in [None, *MATRIX_ORDERS]:
        assert_close(situ.linalg.norm(x, order), np.linalg.norm(host, order))
    for order in [None, 1, 2, 3, 0, math.inf]:
        assert_close(situ.linalg.norm(x[0], order), np.linalg.norm(host[0], order))
    assert_close(situ.linalg.norm(x[None]), np.linalg.norm(host[None]))
    assert_close(
        situ.linalg.norm(x, axis=1, keepdims=True), np.linalg.norm(host, axis=1, keepdims=True)
    )
    with pytest.raises(ValueError, match="one axis or two"):
        situ.linalg.norm(x[None], 2)
    with pytest.raises(ValueError, match="no matrix norm"):
        situ.linalg.norm(x, 3)
    with pytest.raises(ValueError, match="no vector norm"):
        situ.linalg.norm(x[0], "fro")


@pytest.mark.parametrize("dtype", FIELDS)
def test_ranks_and_pseudo_inverses(dtype):
    host = matrices((4, 5, 3), dtype)
    host[1, :, 2] = host[1, :, 0] + host[1, :, 1]
    host[2] = 0
    for each in (host, np.swapaxes(host, -1, -2)):
        x = situ.asarray(each)
        assert_close(situ.linalg.matrix_rank(x), np.linalg.matrix_rank(each))
        # NumPy's own limit is that of double precision for all dtypes.
        limit = max(each.shape[-2:]) * np.finfo(dtype).eps
        assert_close(situ.linalg.pinv(x), np.linalg.pinv(each, rtol=limit))
        loose = situ.linalg.pinv(x, rtol=0.9)
        assert_close(loose, np.linalg.pinv(each, rtol=0.9))
        limits = np.asarray([0.1, 0.5, 0.9, 0.99])
        assert_close(
            situ.linalg.matrix_rank(x, rtol=situ.asarray(limits.astype(each.real.dtype))),
            np.linalg.matrix_rank(each, rtol=limits),
        )
    assert_close(situ.linalg.pinv(situ.zeros((3, 0))), np.linalg.pinv(np.zeros((3, 0))))
    assert situ.linalg.matrix_rank(situ.zeros((2, 3, 0))).to_numpy().tolist() == [0, 0]


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 3, 7, 10])
@pytest.mark.parametrize("dtype", ["float64", "complex64", "int64"])
def test_matrix_power(n, dtype):
    if dtype == "int64" and n < 0:
        pytest.skip("NumPy refuses, and situ inverts as floats")
    host = matrices((2, 3, 3), "float64").astype(dtype)
    found = situ.linalg.matrix_power(situ.asarray(host), n)
    expected = np.linalg.matrix_power(host, n)
    scale = float(np.abs(expected).max())
    np.testing.assert_allclose(found.to_numpy() / scale, expected / scale, atol=tolerance(dtype))
    assert found.dtype == host.dtype


def test_conditions():
    host = matrices((2, 4, 4), "float64")
    x = situ.asarray(host)
    for order in [None, *MATRIX_ORDERS]:
        assert_close(situ.linalg.cond(x, order), np.linalg.cond(host, order))
    assert float(situ.linalg.cond(situ.zeros((2, 2)), 1)) == math.inf


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (5, 0)])
@pytest.mark.parametrize("columns", [(), (2,)])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_least_squares(shape, columns, dtype):
    left, right = (
        matrices(shape, dtype),
        matrices((shape[0], 3), dtype, 1)[:, : (columns or (1,))[0]],
    )
    right = right.reshape(shape[0], *columns)
    found = situ.linalg.lstsq(situ.asarray(left), situ.asarray(right))
    expected = np.linalg.lstsq(left, right)
    assert_close(found.x, expected[0])
    if shape[1]:
        assert_close(found.residuals, expected[1])
    assert found.rank == expected[2]
    assert_close(found.s, expected[3])


def test_least_squares_of_dependent_columns():
    left = np.asarray([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    right = np.asarray([1.0, 2.0, 4.0])
    found = situ.linalg.lstsq(situ.asarray(left), situ.asarray(right))
    expected = np.linalg.lstsq(left, right)
    assert_close(found.x, expected[0])
    assert (found.rank, found.residuals.shape) == (1, (0,))


@pytest.mark.parametrize("sizes", [(2, 9, 3), (10, 2, 20, 3), (5, 30, 4, 8, 6), (1, 7, 3, 1)])
def test_multi_dot(sizes):
    hosts = [matrices(pair, "float64", i) for i, pair in enumerate(itertools.pairwise(sizes))]
    assert_close(
        situ.linalg.multi_dot([situ.asarray(x) for x in hosts]), np.linalg.multi_dot(hosts)
    )
    hosts = [hosts[0][0], *hosts[1:-1], hosts[-1][:, 0]]
    assert_close(
        situ.linalg.multi_dot([situ.asarray(x) for x in hosts]), np.linalg.multi_dot(hosts)
    )


def test_trace_diagonal_and_outer_of_the_extension():
    host = np.arange(24, dtype="int32").reshape(2, 3, 4)
    x = situ.asarray(host)
    for offset in (-2, 0, 1):
        assert_close(situ.linalg.trace(x, offset=offset), np.linalg.trace(host, offset=offset))
        assert_close(
            situ.linalg.diagonal(x, offset=offset), np.linalg.diagonal(host, offset=offset)
        )
    assert situ.linalg.trace(x, dtype="float32").dtype == np.float32
    assert_close(situ.linalg.outer(x[0, 0], x[1, 1]), np.linalg.outer(host[0, 0], host[1, 1]))
    with pytest.raises(situ.ShapeError, match="one dimension"):
        situ.linalg.outer(x, x)


SQUARE = ["cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "slogdet"]


@pytest.mark.parametrize("name", SQUARE)
def test_square_matrices_are_needed(name):
    for shape in [(2, 3), (4, 3, 2)]:
        with pytest.raises(np.linalg.LinAlgError) as caught:
            getattr(situ.linalg, name)(situ.zeros(shape))
        assert isinstance(caught.value, situ.LinAlgError)
        assert f"`{name}` needs square matrices" in str(caught.value)
        assert "why:" in str(caught.value)
        assert "help:" in str(caught.value)


@pytest.mark.parametrize(
    "name", [*SQUARE, "qr", "svd", "svdvals", "matrix_norm", "matrix_rank", "pinv"]
)
def test_matrices_are_needed(name):
    for x in (situ.zeros(3), situ.zeros(())):
        with pytest.raises(situ.LinAlgError, match="needs matrices"):
            getattr(situ.linalg, name)(x)


def test_singular_matrices_have_no_inverse():
    host = np.asarray([[1.0, 2.0], [2.0, 4.0]])
    for call in (situ.linalg.inv, lambda x: situ.linalg.solve(x, x)):
        with pytest.raises(situ.LinAlgError, match="it is singular"):
            call(situ.asarray(host))
    batch = np.stack([np.eye(2), np.eye(2), host, np.eye(2)]).reshape(2, 2, 2, 2)
    with pytest.raises(situ.LinAlgError, match=r"the matrix `x\[1, 0\]`"):
        situ.linalg.inv(situ.asarray(batch))
    # The queue is as good as before.
    assert float(situ.linalg.det(situ.asarray(host))) == 0


@pytest.mark.parametrize("dtype", FIELDS)
def test_columns_that_are_zero_from_the_start(dtype):
    host = np.asarray([[1, 2, 3], [2, 4, 6], [0, 0, 1]], dtype)
    zero = np.zeros((3, 3), dtype)
    for each in (host, zero, np.kron(np.eye(20), host).astype(dtype)):
        x = situ.asarray(each)
        assert situ.linalg.det(x).item() == 0
        assert situ.linalg.slogdet(x).logabsdet.item() == -math.inf
        for call in (situ.linalg.inv, lambda x: situ.linalg.solve(x, x)):
            with pytest.raises(situ.LinAlgError, match="singular"):
                call(x)


def test_matrices_that_are_not_positive_definite():
    for host in ([[1.0, 2.0], [2.0, 1.0]], [[0.0]], [[math.nan]]):
        with pytest.raises(situ.LinAlgError, match="not positive definite"):
            situ.linalg.cholesky(situ.asarray(host))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", ["eig", "eigh", "eigvals", "eigvalsh", "svd", "svdvals"])
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_iterations_refuse_what_is_not_finite(bad, name, dtype):
    host = np.eye(20, dtype=dtype)
    host[7, 3] = host[3, 7] = bad
    with pytest.raises(situ.LinAlgError, match="NaN or infinity"):
        getattr(situ.linalg, name)(situ.asarray(host))


@pytest.mark.parametrize("name", ["inv", "det", "qr", "slogdet"])
def test_eliminations_pass_nan_on(name):
    host = np.eye(20)
    host[7, 3] = math.nan
    found = getattr(situ.linalg, name)(situ.asarray(host))
    for each in found if isinstance(found, tuple) else (found,):
        assert np.isnan(each.to_numpy()).any()


def test_right_sides_have_to_fit():
    x = situ.asarray(np.eye(3))
    for shape in [(2,), (), (2, 3), (4, 2, 1)]:
        with pytest.raises(situ.LinAlgError, match="cannot solve"):
            situ.linalg.solve(x, situ.zeros(shape))
    with pytest.raises(situ.LinAlgError, match="cannot solve"):
        situ.linalg.lstsq(x, situ.zeros(2))
    with pytest.raises(situ.LinAlgError, match="do not broadcast"):
        situ.linalg.solve(situ.zeros((2, 3, 3)), situ.zeros((4, 3, 1)))


def every_decomposition(x):
    """Return what each function finds, for matrices that have everything."""
    linalg = situ.linalg
    return {
        "cholesky": linalg.cholesky(x),
        "det": linalg.det(x),
        "eigvals": situ.sort(situ.real(linalg.eigvals(x))),
        "eigvalsh": linalg.eigvalsh(x),
        "inv": linalg.inv(x),
        "norm": linalg.matrix_norm(x),
        "pinv": linalg.pinv(x),
        "qr": situ.abs(linalg.qr(x).R),
        "rank": linalg.matrix_rank(x),
        "slogdet": linalg.slogdet(x).logabsdet,
        "solve": linalg.solve(x, x),
        "svdvals": linalg.svdvals(x),
    }


def assert_same_everywhere(device, dtype, usm_type):
    host = hermitian((2, 5, 5), dtype)
    expected = every_decomposition(situ.asarray(host))
    found = every_decomposition(situ.asarray(host, device=device, usm_type=usm_type))
    for name, value in found.items():
        assert value.usm_type == usm_type, name
        assert_close(value, expected[name].to_numpy())


@pytest.mark.parametrize("usm_type", ["device", "shared"])
def test_a_device_whose_memory_the_host_does_not_reach(usm_type):
    with virtual_devices("gpu") as (gpu,):
        assert_same_everywhere(gpu, "float64", usm_type)
        with pytest.raises(situ.LinAlgError, match="singular"):
            situ.linalg.inv(situ.zeros((2, 2), device=gpu, usm_type=usm_type))


@pytest.mark.parametrize("device", places.driver_devices())
def test_decompositions_on_drivers(device):
    assert_same_everywhere(device, "float32", "device")


@pytest.mark.parametrize("name", ["svdvals", "eigvalsh"])
@pytest.mark.parametrize("dtype", FIELDS)
def test_very_large_and_very_small_numbers(name, dtype):
    info = np.finfo(dtype)
    host = hermitian((4, 4), dtype)
    host = host / np.abs(host).max().astype(info.dtype)
    expected = getattr(np.linalg, name)(host)
    for scale in (info.tiny, info.tiny * 1024, info.max / 16, math.sqrt(info.max) * 16):
        scale = info.dtype.type(2.0 ** math.floor(math.log2(scale)))
        found = getattr(situ.linalg, name)(situ.asarray(host * scale)).to_numpy()
        np.testing.assert_allclose(found / scale, expected, rtol=0, atol=tolerance(dtype))


def test_large_matrices():
    rng = np.random.default_rng(5)
    host = rng.normal(size=(300, 300))
    x = situ.asarray(host)
    np.testing.assert_allclose((x @ situ.linalg.inv(x)).to_numpy(), np.eye(300), atol=1e-9)
    assert_close(situ.linalg.svdvals(x), np.linalg.svdvals(host))
    symmetric = host + host.T
    assert_close(situ.linalg.eigvalsh(situ.asarray(symmetric)), np.linalg.eigvalsh(symmetric))
    right = rng.normal(size=(300, 7))
    np.testing.assert_allclose(
        (x @ situ.linalg.solve(x, situ.asarray(right))).to_numpy(), right, atol=1e-9
    )


def test_many_small_matrices():
    host = matrices((500, 6, 6), "float64")
    assert_close(situ.linalg.inv(situ.asarray(host)), np.linalg.inv(host))
    assert_close(situ.linalg.svdvals(situ.asarray(host)), np.linalg.svdvals(host))
