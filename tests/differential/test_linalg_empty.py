"""Linear algebra of empty matrices and empty batches against NumPy.

Values, dtypes, shapes and exceptions.
"""

import numpy as np
import pytest

import situ

SHAPES = [(0, 0), (0, 3), (3, 0), (2, 0, 0), (0, 2, 2), (0, 2, 3), (2, 0, 3), (2, 3, 0), (0, 3, 0)]
ORDERS = [None, 1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"]

CALLS = {
    "eigh": lambda lib, x: lib.eigh(x),
    "eigvalsh": lambda lib, x: lib.eigvalsh(x),
    "svd": lambda lib, x: lib.svd(x),
    "thin svd": lambda lib, x: lib.svd(x, full_matrices=False),
    "svdvals": lambda lib, x: lib.svdvals(x),
    "qr": lambda lib, x: lib.qr(x),
    "complete qr": lambda lib, x: lib.qr(x, mode="complete"),
    "r": lambda lib, x: lib.qr(x, mode="r"),
    "cholesky": lambda lib, x: lib.cholesky(x),
    "inv": lambda lib, x: lib.inv(x),
    "det": lambda lib, x: lib.det(x),
    "slogdet": lambda lib, x: lib.slogdet(x),
    "pinv": lambda lib, x: lib.pinv(x),
    "matrix_rank": lambda lib, x: lib.matrix_rank(x),
    "matrix_power 0": lambda lib, x: lib.matrix_power(x, 0),
    "matrix_power 3": lambda lib, x: lib.matrix_power(x, 3),
    "matrix_power -1": lambda lib, x: lib.matrix_power(x, -1),
    "trace": lambda lib, x: lib.trace(x),
    "diagonal": lambda lib, x: lib.diagonal(x),
    "matrix_transpose": lambda lib, x: lib.matrix_transpose(x),
    **{f"cond {p}": lambda lib, x, p=p: lib.cond(x, p) for p in ORDERS},
    **{f"matrix_norm {p}": lambda lib, x, p=p: lib.matrix_norm(x, ord=p) for p in ORDERS},
    **{f"norm {p}": lambda lib, x, p=p: lib.norm(x, p, axis=(-2, -1)) for p in ORDERS},
    **{
        f"vector_norm {p} {axis}": lambda lib, x, p=p, axis=axis: lib.vector_norm(
            x, ord=p, axis=axis
        )
        for p in (0, 1, 2, 3, -1, np.inf, -np.inf)
        for axis in (None, -1)
    },
}


def outcome(call, *arguments):
    """Return the results as NumPy arrays, or the exception."""
    try:
        with np.errstate(all="ignore"):
            found = call(*arguments)
    except Exception as error:
        return error
    found = found if isinstance(found, tuple) else (found,)
    return [
        each.to_numpy() if isinstance(each, situ.ndarray) else np.asarray(each) for each in found
    ]


def assert_same(found, expected):
    """Compare outcomes."""
    if isinstance(expected, Exception):
        assert isinstance(found, type(expected)), found
        return
    assert not isinstance(found, Exception), found
    for one, other in zip(found, expected, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", CALLS)
def test_empty_matrices_agree_with_numpy(name, shape, dtype):
    host = np.zeros(shape, dtype)
    expected = outcome(CALLS[name], np.linalg, host)
    assert_same(outcome(CALLS[name], situ.linalg, situ.asarray(host)), expected)


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 2, 2)])
def test_eigenvalues_of_empty_matrices_are_complex(shape, dtype):
    x = situ.asarray(np.zeros(shape, dtype))
    values, vectors = situ.linalg.eig(x)
    expected = np.result_type(dtype, np.complex64)
    assert (values.shape, vectors.shape) == (shape[:-1], shape)
    assert values.dtype == vectors.dtype == situ.linalg.eigvals(x).dtype == expected
    assert situ.linalg.eigvals(x).shape == shape[:-1]


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize(
    "shapes",
    [
        ((0, 0), (0,)),
        ((0, 0), (0, 3)),
        ((0, 3), (0,)),
        ((3, 0), (3,)),
        ((3, 0), (3, 2)),
        ((0, 3), (0, 2)),
        ((0, 3, 3), (3,)),
        ((0, 3, 3), (0, 3, 2)),
        ((2, 0, 0), (2, 0, 1)),
        ((0, 0), (2,)),
    ],
)
def test_empty_equations_agree_with_numpy(shapes, dtype):
    hosts = [np.zeros(shape, dtype) for shape in shapes]
    arrays = [situ.asarray(host) for host in hosts]
    assert_same(outcome(situ.linalg.solve, *arrays), outcome(np.linalg.solve, *hosts))
    expected = outcome(np.linalg.lstsq, *hosts)
    found = outcome(situ.linalg.lstsq, *arrays)
    if not isinstance(expected, Exception) and not isinstance(found, Exception):
        # The rank is an `int`, where NumPy has an `int32`.
        found[2], expected[2] = int(found[2]), int(expected[2])
        assert found.pop(2) == expected.pop(2)
    assert_same(found, expected)


@pytest.mark.parametrize("order", [None, 1, -1, 2, -2, np.inf, "fro"])
def test_condition_numbers_of_singular_matrices_agree_with_numpy(order):
    zero, one = np.zeros((2, 2)), np.eye(2)
    for host in (zero, np.stack([one, zero, 3 * one]), np.diag([1.0, 0.0])):
        found = situ.linalg.cond(situ.asarray(host), order)
        np.testing.assert_allclose(found.to_numpy(), np.linalg.cond(host, order), rtol=1e-14)


@pytest.mark.parametrize("order", [1, -1, np.inf, "fro"])
def test_condition_numbers_of_nan_are_nan(order):
    host = np.array([[[np.nan, 1.0], [1.0, 1.0]], [[2.0, 1.0], [1.0, 2.0]]])
    found = situ.linalg.cond(situ.asarray(host), order)
    np.testing.assert_allclose(found.to_numpy(), np.linalg.cond(host, order), rtol=1e-14)
