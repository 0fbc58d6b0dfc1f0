"""Decompositions of matrices of every scale and kind, by their backward errors.

A matrix is drawn as a family, a size, a dtype and a power of ten; `BOUNDS` says how far each
function may be off. Residuals are computed in extended precision, which neither overflows nor
rounds noticeably. `SITU_LINALG_EXAMPLES` is the number of examples per function; many thousands
make it a long search.
"""

import functools
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import situ

EXAMPLES = int(os.environ.get("SITU_LINALG_EXAMPLES", "40"))

# Backward errors that are allowed, in units of `eps * n` of what they are relative to. Analyses
# bound them by small multiples of n; in practice errors grow like the root of n, and the factors
# are several times what LAPACK reaches on the same matrices.
BOUNDS = {
    # A v = v w relative to A: orthogonal similarity is backward stable, and so is each back
    # substitution.
    "eig": 20,
    # The distance of a shifted matrix from a singular one, relative to the matrix.
    "eigvals": 20,
    # A v = v w and orthogonality, relative to A and to one.
    "eigh": 20,
    # A = U S Vh and orthogonality, relative to A and to one.
    "svd": 20,
    # Every column of A = Q R relative to that column: reflections act on columns separately.
    "qr": 10,
    # Every element of A = L Lh relative to the diagonal elements of its row and column.
    "cholesky": 10,
    # b = A x relative to |A| |x|, and to L and U where elimination lets elements grow.
    "solve": 20,
    # A X = 1 relative to |A| |X|.
    "inv": 20,
    # Relative errors of the pivots add up, each multiplied by the condition number.
    "det": 20,
}

DTYPES = ["float32", "float64", "complex64", "complex128"]


def precision(dtype):
    """Return the limits of the real dtype that belongs to a dtype."""
    return np.finfo(dtype)


def wide(host):
    """Return an array in extended precision."""
    return host.astype(np.clongdouble if np.iscomplexobj(host) else np.longdouble)


def adjoint(host):
    """Return the conjugated transpose."""
    return host.conj().swapaxes(-1, -2)


def length(host):
    """Return the root of the sum of squares, without overflow."""
    return np.sqrt((np.abs(wide(host)) ** 2).sum())


def numbers(rng, shape, dtype):
    """Return normally distributed numbers in extended precision."""
    values = rng.normal(size=shape)
    if dtype.startswith("complex"):
        values = values + 1j * rng.normal(size=shape)
    return wide(values)


def orthogonal(rng, size, dtype):
    """Return an orthogonal matrix."""
    return wide(np.linalg.qr(numbers(rng, (size, size), dtype).astype("complex128"))[0]) if (
        dtype.startswith("complex")
    ) else wide(np.linalg.qr(numbers(rng, (size, size), dtype).astype("float64"))[0])


def grades(rng, size, decades):
    """Return powers of ten that span so many decades."""
    return np.longdouble(10) ** np.linspace(0, -decades, size).astype(np.longdouble)


def dense(rng, size, dtype, decades):
    return numbers(rng, (size, size), dtype)


def graded_rows(rng, size, dtype, decades):
    return numbers(rng, (size, size), dtype) * grades(rng, size, decades)[:, None]


def graded_columns(rng, size, dtype, decades):
    return numbers(rng, (size, size), dtype) * grades(rng, size, decades)[::-1]


def graded_both(rng, size, dtype, decades):
    grade = grades(rng, size, decades / 2)
    return numbers(rng, (size, size), dtype) * grade[:, None] * grade


def unbalanced(rng, size, dtype, decades):
    grade = grades(rng, size, decades / 2)
    return numbers(rng, (size, size), dtype) * grade[:, None] / grade * grade[-1]


def jordan(rng, size, dtype, decades):
    return wide(np.eye(size) * rng.normal() + np.eye(size, k=1))


def rotated_jordan(rng, size, dtype, decades):
    basis = orthogonal(rng, size, dtype)
    return basis @ jordan(rng, size, dtype, decades) @ adjoint(basis)


def pairs(rng, size, dtype, decades):
    """Return a matrix whose eigenvalues are conjugate pairs, some of them close to each other."""
    matrix = np.triu(numbers(rng, (size, size), dtype), 2)
    for at in range(0, size - 1, 2):
        off = 1 + 10.0 ** -rng.integers(0, 20)
        matrix[at : at + 2, at : at + 2] = [[off, off], [-off, off]]
    return matrix


def deficient(rng, size, dtype, decades):
    rank = max(size // 2, 1)
    return numbers(rng, (size, rank), dtype) @ numbers(rng, (rank, size), dtype)


def rotation(rng, size, dtype, decades):
    return orthogonal(rng, size, dtype)


def permutation(rng, size, dtype, decades):
    return wide(np.eye(size)[rng.permutation(size)])


def triangular(rng, size, dtype, decades):
    return np.triu(numbers(rng, (size, size), dtype))


def identity(rng, size, dtype, decades):
    return wide(np.eye(size))


def ones(rng, size, dtype, decades):
    return wide(np.ones((size, size)))


def sparse(rng, size, dtype, decades):
    return numbers(rng, (size, size), dtype) * (rng.random((size, size)) < 1.5 / size)


def zero(rng, size, dtype, decades):
    return wide(np.zeros((size, size)))


REGULAR = [dense, rotation, permutation, identity]
GRADED = [graded_rows, graded_columns, graded_both, unbalanced]
SPECIAL = [jordan, rotated_jordan, pairs, deficient, triangular, ones, sparse, zero]


class Matrix:
    """A matrix of a family, of which no element is lost to overflow."""

    def __init__(self, family, size, dtype, exponent, decades, seed):
        self.description = (family.__name__, size, dtype, exponent, decades, seed)
        self.dtype, self.size = dtype, size
        host = family(np.random.default_rng(seed), size, dtype, decades)
        largest = np.abs(host).max(initial=0)
        limits = precision(dtype)
        if largest:
            host = host / largest
        scale = min(np.longdouble(10) ** exponent, np.longdouble(limits.max) / 4)
        kind = "complex" if dtype.startswith("complex") else "real"
        host = host if kind == "complex" else host.real
        self.host = (host * scale).astype(dtype)
        self.wide = wide(self.host)
        self.length = length(self.host)
        # What rounding to a multiple of the smallest number does to the elements.
        self.tiny = np.longdouble(limits.smallest_subnormal) * size
        self.eps = np.longdouble(limits.eps) * max(size, 1)

    def __repr__(self):
        return f"Matrix{self.description}"

    def check(self, name, error, relative_to, what=""):
        """Compare an error with what is allowed."""
        allowed = BOUNDS[name] * (self.eps * relative_to + self.tiny)
        assert np.all(error <= allowed), (
            f"{what} {np.nanmax(error / np.maximum(self.eps * relative_to, self.tiny))}"
        )

    def check_orthogonal(self, name, columns):
        """Check that columns are orthogonal and of length one."""
        columns = wide(columns)
        error = np.abs(adjoint(columns) @ columns - np.eye(columns.shape[1]))
        self.check(name, error, 1, "orthogonality")


@st.composite
def matrices(draw, families, sizes=(1, 60), dtypes=DTYPES, exponents=None):
    """Draw a matrix of one of the families."""
    dtype = draw(st.sampled_from(dtypes))
    reach = 38 if dtype in ("float32", "complex64") else 300
    low, high = exponents or (-1, 1)
    size = draw(st.one_of(st.integers(*sizes), st.integers(sizes[0], min(sizes[1], 8))))
    exponent = draw(st.integers(int(low * reach), int(high * reach)))
    decades = draw(st.sampled_from([3, 8, 20, 60, 300] if reach > 100 else [3, 8, 20, 38]))
    family = draw(st.sampled_from(families))
    return Matrix(family, size, dtype, exponent, decades, draw(st.integers(0, 10**6)))


def searched(test):
    """Run a test with as many examples as were asked for."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=EXAMPLES, suppress_health_check=slow)(test)
