"""Linear algebra at every scale and for every kind of matrix, by backward errors.

A matrix is drawn as a family, a size, a dtype and a power of ten; `BOUNDS` says how far each
function may be off. Residuals are computed in extended precision, which neither overflows nor
rounds noticeably.

`SITU_TEST_EXAMPLES` sets the number of examples per test; thousands make it a long search:

    SITU_TEST_EXAMPLES=20000 python -m pytest tests/differential/test_linalg_scales.py
"""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import situ

if np.finfo(np.longdouble).nmant < 63:
    pytest.skip("needs extended precision for residuals", allow_module_level=True)

EXAMPLES = int(os.environ.get("SITU_TEST_EXAMPLES", "25"))

# Errors that are allowed, in units of `eps * n` of what the reason names. Analyses bound them by
# small multiples of n. In practice they grow like the root of n and are mostly below one; those of
# very small matrices are a few units.
BOUNDS = {
    # A v = v w relative to A: orthogonal similarities are backward stable, and so is each back
    # substitution.
    "eig": 20,
    # How far A - w is from a singular matrix, relative to A.
    "eigvals": 20,
    # A v = v w relative to A, and orthogonality.
    "eigh": 20,
    # A = U S Vh relative to A, and orthogonality.
    "svd": 20,
    # Each column of A = Q R relative to that column, since reflections act on columns separately;
    # and orthogonality. Columns count as dependent up to 16 sqrt(n) units.
    "qr": 16 * 8,
    # Each element of A = L Lh relative to the diagonal elements of its row and column.
    "cholesky": 10,
    # b = A x relative to |A| |x|; elements hardly grow when rows are exchanged.
    "solve": 20,
    # A X = 1 relative to |A| |X|.
    "inv": 20,
    # The relative error of the pivots, which is at most the condition number in the same units,
    # and that of adding up logarithms.
    "det": 20,
    # A P A = A relative to |A| |A| |P|.
    "pinv": 40,
    # The equations for least squares relative to |A| (|A| |x| + |b|).
    "lstsq": 40,
    # Relative to the square of the condition number: the smallest singular value is as exact as
    # the largest.
    "cond": 20,
    # Sums and products of n positive numbers, three times.
    "matrix_power": 10,
    # Sums of n positive numbers, and singular values relative to the largest.
    "matrix_norm": 20,
}

SINGLE, DOUBLE = ["float32", "complex64"], ["float64", "complex128"]


def wide(host):
    """Return an array in extended precision."""
    return host.astype(np.clongdouble if np.iscomplexobj(host) else np.longdouble)


def adjoint(host):
    """Return the conjugated transpose."""
    return host.conj().T


def length(host, axis=None):
    """Return the root of the sum of squares, without overflow."""
    return np.sqrt((np.abs(wide(host)) ** 2).sum(axis))


def numbers(rng, shape, dtype):
    """Return normally distributed numbers in extended precision."""
    values = rng.normal(size=shape)
    if dtype.startswith("complex"):
        values = values + 1j * rng.normal(size=shape)
    return wide(values)


def grades(size, decades):
    """Return powers of ten that span so many decades."""
    return np.longdouble(10) ** np.linspace(0, -decades, size).astype(np.longdouble)


def dense(rng, size, dtype, decades):
    """Return a matrix without structure."""
    return numbers(rng, (size, size), dtype)


def graded_rows(rng, size, dtype, decades):
    """Return a matrix whose rows span many orders of magnitude."""
    return numbers(rng, (size, size), dtype) * grades(size, decades)[:, None]


def graded_columns(rng, size, dtype, decades):
    """Return a matrix whose columns span many orders of magnitude, the smallest first."""
    return numbers(rng, (size, size), dtype) * grades(size, decades)[::-1]


def graded_both(rng, size, dtype, decades):
    """Return a matrix whose rows and columns span many orders of magnitude."""
    grade = grades(size, decades / 2)
    return numbers(rng, (size, size), dtype) * grade[:, None] * grade


def unbalanced(rng, size, dtype, decades):
    """Return a dense matrix in a basis of vectors of very different lengths."""
    grade = grades(size, decades / 2)
    return numbers(rng, (size, size), dtype) * grade[:, None] / grade * grade[-1]


def rotation(rng, size, dtype, decades):
    """Return an orthogonal matrix."""
    narrow = "complex128" if dtype.startswith("complex") else "float64"
    return wide(np.linalg.qr(numbers(rng, (size, size), dtype).astype(narrow))[0])


def permutation(rng, size, dtype, decades):
    """Return a permutation, whose eigenvalues are roots of one."""
    return wide(np.eye(size)[rng.permutation(size)])


def identity(rng, size, dtype, decades):
    """Return the identity."""
    return wide(np.eye(size))


def jordan(rng, size, dtype, decades):
    """Return a Jordan block, which has one eigenvector."""
    return wide(np.eye(size) * rng.normal() + np.eye(size, k=1))


def rotated_jordan(rng, size, dtype, decades):
    """Return a dense matrix that is similar to a Jordan block."""
    basis = rotation(rng, size, dtype, decades)
    return basis @ jordan(rng, size, dtype, decades) @ adjoint(basis)


def pairs(rng, size, dtype, decades):
    """Return a matrix whose eigenvalues are conjugate pairs, some of them close to each other."""
    matrix = np.triu(numbers(rng, (size, size), dtype), 2)
    for at in range(0, size - 1, 2):
        off = 1 + 10.0 ** -rng.integers(0, 20)
        matrix[at : at + 2, at : at + 2] = [[off, off], [-off, off]]
    return matrix


def deficient(rng, size, dtype, decades):
    """Return a matrix of half the rank."""
    rank = max(size // 2, 1)
    return numbers(rng, (size, rank), dtype) @ numbers(rng, (rank, size), dtype)


def triangular(rng, size, dtype, decades):
    """Return an upper triangle, whose condition number is large."""
    return np.triu(numbers(rng, (size, size), dtype))


def ones(rng, size, dtype, decades):
    """Return a matrix of rank one."""
    return wide(np.ones((size, size)))


def sparse(rng, size, dtype, decades):
    """Return a matrix with few elements that are not zero."""
    return numbers(rng, (size, size), dtype) * (rng.random((size, size)) < 1.5 / size)


def zero(rng, size, dtype, decades):
    """Return zeros."""
    return wide(np.zeros((size, size)))


REGULAR = [dense, rotation, permutation, identity]
GRADED = [graded_rows, graded_columns, graded_both, unbalanced]
SPECIAL = [jordan, rotated_jordan, pairs, deficient, triangular, ones, sparse, zero]
ALL = REGULAR + GRADED + SPECIAL


class Matrix:
    """A matrix of a family whose length is a power of ten, if there is such a number."""

    def __init__(self, family, size, dtype, exponent, decades=0, seed=0):
        """Make a matrix."""
        self.description = f"{family.__name__}, {size}, {dtype!r}, {exponent}, {decades}, {seed}"
        self.dtype, self.size, self.exponent, self.decades = dtype, size, exponent, decades
        self.rng = np.random.default_rng(seed)
        limits = np.finfo(dtype)
        self.tiny, self.max = np.longdouble(limits.smallest_subnormal), np.longdouble(limits.max)
        self.eps = np.longdouble(limits.eps) * size
        host = family(self.rng, size, dtype, decades)
        self.host = self.scaled(host / (length(host) or 1))
        self.wide, self.length = wide(self.host), length(self.host)

    def __repr__(self):
        """Return what makes the same matrix."""
        return f"Matrix({self.description})"

    def scaled(self, host):
        """Return an array times the power of ten, in the dtype."""
        scale = min(np.longdouble(10) ** self.exponent, self.max / 4)
        return self.rounded(host * scale)

    def rounded(self, host):
        """Return an array in the dtype."""
        return (host if self.dtype.startswith("complex") else host.real).astype(self.dtype)

    def check(self, name, error, relative_to, absolute=1):
        """Compare an error with what is allowed; numbers below the smallest one are lost."""
        unit = self.eps * relative_to + self.size * self.tiny * absolute
        assert np.all(error <= BOUNDS[name] * unit), f"{np.max(error / unit)} units"

    def check_orthogonal(self, name, columns):
        """Check that columns are orthogonal and of length one."""
        columns = wide(columns)
        self.check(name, np.abs(adjoint(columns) @ columns - np.eye(columns.shape[1])), 1)


@st.composite
def matrices(draw, families, reach=1.0, largest=60):
    """Draw a matrix of one of the families, with exponents up to a part of those that there are."""
    dtype = draw(st.sampled_from(SINGLE + DOUBLE))
    exponents = 38 if dtype in SINGLE else 300
    size = draw(st.one_of(st.integers(1, 8), st.integers(1, largest)))
    exponent = draw(st.integers(-int(reach * exponents), int(reach * exponents)))
    decades = draw(st.sampled_from([3, 8, 20, 38] if dtype in SINGLE else [3, 8, 20, 60, 300]))
    family = draw(st.sampled_from(families))
    return Matrix(family, size, dtype, exponent, decades, draw(st.integers(0, 10**6)))


def search(families, *examples, reach=1.0, largest=60):
    """Run a test for drawn matrices, and for those that it once failed for."""

    def decorate(test):
        for each in examples:
            test = example(Matrix(*each))(test)
        test = given(matrix=matrices(families, reach, largest))(test)
        slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
        return settings(max_examples=EXAMPLES, suppress_health_check=slow)(test)

    return decorate


def found(result):
    """Return arrays of situ in extended precision."""
    return [wide(each.to_numpy()) for each in result]


@search(
    ALL,
    (dense, 8, "float32", -6),
    (dense, 5, "float64", -43),
    (dense, 200, "float64", -20),
    (deficient, 5, "float64", -14),
    (jordan, 60, "complex128", 0),
    (jordan, 40, "float32", 30),
    (rotated_jordan, 2, "float32", 0, 8, 758209),
    (triangular, 60, "float32", -15, 38, 814223),
    (unbalanced, 57, "float64", 0, 60, 172533),
    (unbalanced, 56, "float32", 21, 38, 693388),
    (graded_both, 50, "complex128", -184, 300, 331108),
    (sparse, 6, "float32", 19, 8, 708840),
)
def test_eig(matrix):
    values, vectors = found(situ.linalg.eig(situ.asarray(matrix.host)))
    matrix.check("eig", np.abs(matrix.wide @ vectors - vectors * values), matrix.length)
    matrix.check("eig", np.abs(length(vectors, 0) - 1), 1)


@search(ALL, (graded_both, 12, "complex128", 0, 300, 441531), largest=30)
def test_eigvals(matrix):
    values = wide(situ.linalg.eigvals(situ.asarray(matrix.host)).to_numpy())
    scale = matrix.length or 1
    host, values = [(each / scale).astype(complex) for each in (matrix.wide, values)]
    shifted = host - values[:, None, None] * np.eye(matrix.size)
    smallest = np.linalg.svd(shifted, compute_uv=False)[:, -1]
    matrix.check("eigvals", smallest, 1, 1 / scale)


@search(ALL, (dense, 200, "complex64", -30), (graded_both, 58, "float64", -24, 300, 9839))
def test_eigh(matrix):
    host = matrix.host / 2 + adjoint(matrix.host / 2)
    scale = length(host)
    values, vectors = found(situ.linalg.eigh(situ.asarray(host)))
    matrix.check("eigh", np.abs(wide(host) @ vectors - vectors * values), scale)
    matrix.check_orthogonal("eigh", vectors)
    alone = wide(situ.linalg.eigvalsh(situ.asarray(host)).to_numpy())
    matrix.check("eigh", np.abs(values - alone), scale)
    assert np.all(np.diff(values) >= 0)


@search(
    ALL,
    (dense, 200, "float32", 30),
    (graded_both, 58, "float64", -24, 300, 9839),
    (graded_both, 48, "float32", -5, 38, 992519),
)
def test_svd(matrix):
    for rows, columns in [(None, None), (None, matrix.size // 3 + 1), (matrix.size // 3 + 1, None)]:
        host = np.ascontiguousarray(matrix.host[:rows, :columns])
        scale = length(host)
        u, s, vh = found(situ.linalg.svd(situ.asarray(host), full_matrices=False))
        matrix.check("svd", np.abs(wide(host) - (u * s) @ vh), scale)
        matrix.check_orthogonal("svd", u)
        matrix.check_orthogonal("svd", adjoint(vh))
        alone = wide(situ.linalg.svdvals(situ.asarray(host)).to_numpy())
        matrix.check("svd", np.abs(s - alone), scale)
        assert np.all(np.diff(s) <= 0)


@search(
    ALL,
    (dense, 200, "complex128", 290),
    (ones, 1, "float32", -38),
    (permutation, 54, "complex128", 293, 3, 701785),
    (graded_columns, 2, "float32", 0, 38, 508292),
)
def test_qr(matrix):
    for rows, columns in [(None, None), (None, matrix.size // 3 + 1), (matrix.size // 3 + 1, None)]:
        host = np.ascontiguousarray(matrix.host[:rows, :columns])
        q, r = found(situ.linalg.qr(situ.asarray(host)))
        matrix.check("qr", np.abs(wide(host) - q @ r), length(host, 0))
        matrix.check_orthogonal("qr", q)
        assert not np.tril(r, -1).any()


@search([dense, graded_both], (dense, 200, "float64", 299), reach=0.9)
def test_cholesky(matrix):
    factor = numbers(matrix.rng, (matrix.size, matrix.size), matrix.dtype)
    host = factor @ adjoint(factor) / matrix.size + np.eye(matrix.size)
    # What is lost below the smallest number may make a matrix indefinite.
    within = np.log10(matrix.max) * 2 - 22 - abs(matrix.exponent)
    grade = grades(matrix.size, min(matrix.decades, max(within, 0)) / 2 * (matrix.exponent < 0))
    host = matrix.scaled(host / np.abs(host).max() * grade[:, None] * grade)
    if np.abs(np.diag(host)).min() < matrix.tiny / np.finfo(matrix.dtype).eps ** 2:
        return
    lower = wide(situ.linalg.cholesky(situ.asarray(host)).to_numpy())
    roots = np.sqrt(np.abs(np.diag(wide(host))))
    error = np.abs(wide(host) - lower @ adjoint(lower))
    matrix.check("cholesky", error, roots[:, None] * roots)


@search(
    REGULAR + GRADED,
    (dense, 200, "float64", -300),
    (dense, 23, "float32", -38, 3, 191266),
    (graded_columns, 4, "float64", -9, 300, 626964),
    (unbalanced, 3, "float32", -23, 38, 314756),
    (graded_both, 2, "float32", -8, 38, 0),
    (graded_columns, 2, "float32", 30, 38, 944425),
)
def test_solve(matrix):
    expected = numbers(matrix.rng, (matrix.size, 2), matrix.dtype)
    right = matrix.rounded(matrix.wide @ (expected / length(expected)))
    if not np.abs(matrix.host).max(0).all() or not np.abs(matrix.host).max(1).all():
        return
    try:
        x = situ.linalg.solve(situ.asarray(matrix.host), situ.asarray(right))
    except np.linalg.LinAlgError:
        # A pivot is below the smallest number, so that LAPACK finds none either.
        with pytest.raises(np.linalg.LinAlgError):
            np.linalg.solve(matrix.host, right)
        return
    x = wide(x.to_numpy())
    error = np.abs(matrix.wide @ x - wide(right))
    matrix.check("solve", error, matrix.length * length(x), 1 + matrix.length)


@search(REGULAR, (dense, 200, "complex64", 30), (rotation, 41, "float32", 36), reach=0.9)
def test_inv(matrix):
    inverse = wide(situ.linalg.inv(situ.asarray(matrix.host)).to_numpy())
    error = np.abs(matrix.wide @ inverse - np.eye(matrix.size))
    matrix.check("inv", error, matrix.length * length(inverse), 1 + matrix.length)


@search(
    REGULAR,
    (dense, 8, "complex64", 20),
    (dense, 8, "complex64", -22),
    (dense, 8, "complex128", 300),
    (dense, 8, "complex128", -300),
    (dense, 200, "float32", 0),
)
def test_det(matrix):
    host = matrix.wide / matrix.length
    host = host.astype(complex if np.iscomplexobj(host) else float)
    sign, logarithm = np.linalg.slogdet(host)
    logarithm = np.longdouble(logarithm) + matrix.size * np.log(matrix.length)
    condition = np.linalg.cond(host)
    if condition * matrix.eps > 1e-3:
        return
    found_sign, found_logarithm = found(situ.linalg.slogdet(situ.asarray(matrix.host)))
    matrix.check("det", np.abs(found_sign - sign), condition)
    matrix.check("det", np.abs(found_logarithm - logarithm), condition + np.abs(logarithm))
    determinant = wide(situ.linalg.det(situ.asarray(matrix.host)).to_numpy())
    with np.errstate(over="ignore", under="ignore"):
        expected = np.exp(logarithm)
    if expected > 4 * matrix.max:
        assert np.isinf(np.abs(determinant))
    elif expected < matrix.max / 4:
        error = np.abs(determinant - sign * expected)
        matrix.check("det", error, condition * expected)


@search(REGULAR, (dense, 60, "float32", -30), (dense, 60, "complex128", 250), reach=0.8)
def test_pinv_rank_and_condition_number(matrix):
    x = situ.asarray(matrix.host)
    scale = matrix.length
    host = (matrix.wide / scale).astype(complex)
    values = np.linalg.svd(host, compute_uv=False)
    condition = values[0] / values[-1]
    if condition * matrix.eps > 1e-2:
        return
    assert int(situ.linalg.matrix_rank(x)) == matrix.size
    matrix.check("cond", np.abs(float(situ.linalg.cond(x)) - condition), condition**2)
    inverse = wide(situ.linalg.pinv(x).to_numpy())
    error = np.abs(matrix.wide @ inverse @ matrix.wide - matrix.wide)
    matrix.check("pinv", error, scale * scale * length(inverse), 1 + scale**2)


@search([deficient, ones, zero], (deficient, 40, "float32", 37), (ones, 3, "float64", -300))
def test_rank_of_deficient_matrices(matrix):
    if 0 < matrix.length < matrix.tiny / np.finfo(matrix.dtype).eps ** 2:
        return
    expected = np.linalg.matrix_rank((matrix.wide / (matrix.length or 1)).astype(complex), 1e-4)
    found_rank = situ.linalg.matrix_rank(situ.asarray(matrix.host))
    assert int(found_rank) == expected


@search([dense], (dense, 200, "complex64", 0), reach=0.8)
def test_lstsq(matrix):
    columns = matrix.size // 3 + 1
    host = np.ascontiguousarray(matrix.host[:, :columns])
    right = matrix.rounded(numbers(matrix.rng, matrix.size, matrix.dtype))
    x = wide(situ.linalg.lstsq(situ.asarray(host), situ.asarray(right)).x.to_numpy())
    error = np.abs(adjoint(wide(host)) @ (wide(host) @ x - wide(right)))
    scale = length(host)
    matrix.check("lstsq", error, scale * (scale * length(x) + length(right)), 1 + scale**2)


@search(ALL, (dense, 20, "float64", 100), reach=0.33)
def test_matrix_power(matrix):
    power = wide(situ.linalg.matrix_power(situ.asarray(matrix.host), 3).to_numpy())
    sizes = np.abs(matrix.wide)
    error = np.abs(power - matrix.wide @ matrix.wide @ matrix.wide)
    absolute = 1 + matrix.size * matrix.length
    matrix.check("matrix_power", error, sizes @ sizes @ sizes, absolute)


@search(ALL, (dense, 200, "float32", 37), (dense, 3, "complex64", -38))
def test_matrix_norm(matrix):
    x, sizes = situ.asarray(matrix.host), np.abs(matrix.wide)
    for order, axis in ((1, 0), (np.inf, 1)):
        norm = np.longdouble(float(situ.linalg.matrix_norm(x, ord=order)))
        expected = sizes.sum(axis).max()
        if expected < matrix.max:
            matrix.check("matrix_norm", np.abs(norm - expected), expected)
    values = np.linalg.svd((matrix.wide / (matrix.length or 1)).astype(complex), compute_uv=False)
    for order, value in ((2, values[0]), (-2, values[-1])):
        norm = np.longdouble(float(situ.linalg.matrix_norm(x, ord=order)))
        matrix.check("matrix_norm", np.abs(norm - value * matrix.length), matrix.length)


@pytest.mark.parametrize("dtype", SINGLE + DOUBLE)
def test_matrices_of_a_batch_do_not_depend_on_each_other(dtype):
    scales = [-30, 0, 20, 37, -38] if dtype in SINGLE else [-300, -20, 0, 150, 300]
    hosts = [Matrix(dense, 7, dtype, scale, 0, scale + 300).host for scale in scales]
    together = situ.asarray(np.stack(hosts))
    for name in ("eig", "svd", "qr", "slogdet", "inv", "eigvals", "svdvals", "det"):
        call = getattr(situ.linalg, name)
        alone = [call(situ.asarray(host)) for host in hosts]
        both = call(together)
        if isinstance(both, situ.ndarray):
            both, alone = (both,), [(each,) for each in alone]
        for parts, *others in zip(both, *alone, strict=True):
            expected = np.stack([other.to_numpy() for other in others])
            np.testing.assert_array_equal(parts.to_numpy(), expected)
