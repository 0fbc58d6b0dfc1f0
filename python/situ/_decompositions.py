"""Decompositions of matrices, and what follows from one: determinants, inverses, solutions.

They are computed on the host, in turn with the work of the array's queue. Public names are in
`situ.linalg`.
"""

from typing import Literal, NamedTuple, cast

from situ import _native
from situ._native import ndarray
from situ._queue_manager import Place


class EighResult(NamedTuple):
    """Eigenvalues and eigenvectors of Hermitian matrices."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class EigResult(NamedTuple):
    """Eigenvalues and eigenvectors."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class QRResult(NamedTuple):
    """Orthogonal and triangular factors."""

    Q: ndarray
    R: ndarray


class SlogdetResult(NamedTuple):
    """Signs of determinants, and logarithms of their magnitudes."""

    sign: ndarray
    logabsdet: ndarray


class SVDResult(NamedTuple):
    """Singular vectors and values."""

    U: ndarray
    S: ndarray
    Vh: ndarray


def cholesky(x: ndarray, /, *, upper: bool = False, queue: Place | None = None) -> ndarray:
    """Decompose Hermitian, positive definite matrices into a triangular matrix and its adjoint.

    Only the lower triangles are read, or with `upper` the upper ones.

    Parameters
    ----------
    x
        An array of square matrices.
    upper
        Whether the result is upper triangular.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        ``L`` with ``x = L @ conj(L.mT)``, or ``U`` with ``x = conj(U.mT) @ U``.

    Raises
    ------
    LinAlgError
        A matrix is not positive definite.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.cholesky(situ.asarray([[4.0, 2.0], [2.0, 5.0]])).to_numpy()
    array([[2., 0.],
           [1., 2.]])
    """
    return _native.cholesky(x, upper=upper, queue=queue)


def qr(
    x: ndarray,
    /,
    mode: Literal["reduced", "complete", "r"] = "reduced",
    *,
    queue: Place | None = None,
) -> QRResult | ndarray:
    """Decompose matrices into orthonormal columns and an upper triangular matrix.

    Parameters
    ----------
    x
        An array of matrices.
    mode
        How many columns ``Q`` has: ``"reduced"`` for those that are needed, ``"complete"`` for a
        square matrix. With ``"r"`` only ``R`` is returned, as NumPy does.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    QRResult
        The fields ``Q`` and ``R``, with ``x = Q @ R``.

    Examples
    --------
    >>> import situ
    >>> Q, R = situ.linalg.qr(situ.asarray([[3.0, 1.0], [4.0, 2.0]]))
    >>> (Q @ R).to_numpy().round(12)
    array([[3., 1.],
           [4., 2.]])
    """
    q, r = _native.qr(x, mode="reduced" if mode == "r" else mode, queue=queue)
    return r if mode == "r" else QRResult(q, r)


def det(x: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Compute determinants.

    Parameters
    ----------
    x
        An array of square matrices.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The determinants.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.det(situ.asarray([[2.0, 1.0], [4.0, 5.0]])).item()
    6.0
    """
    return _native.det(x, queue=queue)


def slogdet(x: ndarray, /, *, queue: Place | None = None) -> SlogdetResult:
    """Compute determinants that may be too large or too small for a float.

    Parameters
    ----------
    x
        An array of square matrices.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    SlogdetResult
        The fields ``sign``, numbers of magnitude one or zero, and ``logabsdet``; the determinants
        are ``sign * exp(logabsdet)``.

    Examples
    --------
    >>> import situ
    >>> sign, logabsdet = situ.linalg.slogdet(situ.asarray([[0.0, 1.0], [1.0, 0.0]]))
    >>> sign.item(), logabsdet.item()
    (-1.0, 0.0)
    """
    return SlogdetResult(*_native.slogdet(x, queue=queue))


def inv(x: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Invert matrices.

    Parameters
    ----------
    x
        An array of square matrices.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The inverses.

    Raises
    ------
    LinAlgError
        A matrix is singular.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.inv(situ.asarray([[2.0, 0.0], [0.0, 4.0]])).to_numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return _native.inv(x, queue=queue)


def solve(x1: ndarray, x2: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Solve systems of linear equations.

    Parameters
    ----------
    x1
        An array of square matrices.
    x2
        The right sides: one vector if it has one dimension, and otherwise columns of matrices. The
        dimensions before the matrices broadcast.
    queue
        What runs it: a queue from which both are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The ``x`` with ``x1 @ x = x2``.

    Raises
    ------
    LinAlgError
        A matrix is singular.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([[2.0, 0.0], [0.0, 4.0]])
    >>> situ.linalg.solve(x, situ.asarray([2.0, 2.0])).to_numpy()
    array([1. , 0.5])
    """
    return _native.solve(x1, x2, queue=queue)


def eigh(x: ndarray, /, UPLO: Literal["L", "U"] = "L", *, queue: Place | None = None) -> EighResult:
    """Find eigenvalues and eigenvectors of Hermitian matrices.

    Parameters
    ----------
    x
        An array of square matrices.
    UPLO
        Which triangle is read: the lower one, ``"L"``, or the upper one, ``"U"``.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    EighResult
        The fields ``eigenvalues``, in ascending order, and ``eigenvectors``, as columns.

    Raises
    ------
    LinAlgError
        An element is NaN or infinite.

    Examples
    --------
    >>> import situ
    >>> values, vectors = situ.linalg.eigh(situ.asarray([[0.0, 1.0], [1.0, 0.0]]))
    >>> values.to_numpy().round(12)
    array([-1.,  1.])
    """
    values, vectors = _native.eigh(x, upper=_is_upper(UPLO), vectors=True, queue=queue)
    return EighResult(values, cast("ndarray", vectors))


def eigvalsh(
    x: ndarray, /, UPLO: Literal["L", "U"] = "L", *, queue: Place | None = None
) -> ndarray:
    """Find eigenvalues of Hermitian matrices.

    Parameters
    ----------
    x
        An array of square matrices.
    UPLO
        Which triangle is read: the lower one, ``"L"``, or the upper one, ``"U"``.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The eigenvalues in ascending order.

    Raises
    ------
    LinAlgError
        An element is NaN or infinite.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.eigvalsh(situ.asarray([[0.0, 1.0], [1.0, 0.0]])).to_numpy().round(12)
    array([-1.,  1.])
    """
    return _native.eigh(x, upper=_is_upper(UPLO), vectors=False, queue=queue)[0]


def _is_upper(triangle: str) -> bool:
    if triangle not in ("L", "U"):
        message = f'`UPLO` is "L" or "U", not {triangle!r}'
        raise ValueError(message)
    return triangle == "U"


def eig(x: ndarray, /, *, queue: Place | None = None) -> EigResult:
    """Find eigenvalues and eigenvectors of matrices.

    Parameters
    ----------
    x
        An array of square matrices.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    EigResult
        The fields ``eigenvalues``, in no particular order, and ``eigenvectors``, columns of length
        one. They are complex in any case.

    Raises
    ------
    LinAlgError
        An element is NaN or infinite.

    Notes
    -----
    The dtype follows from that of `x` alone, as the array API standard has it. NumPy looks at the
    eigenvalues, and gives floats if all of them are real.

    Examples
    --------
    >>> import situ
    >>> values, vectors = situ.linalg.eig(situ.asarray([[0.0, -1.0], [1.0, 0.0]]))
    >>> sorted(values.to_numpy().imag.round(12).tolist())
    [-1.0, 1.0]
    """
    values, vectors = _native.eig(x, vectors=True, queue=queue)
    return EigResult(values, cast("ndarray", vectors))


def eigvals(x: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Find eigenvalues of matrices.

    Parameters
    ----------
    x
        An array of square matrices.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The eigenvalues, in no particular order. They are complex in any case.

    Raises
    ------
    LinAlgError
        An element is NaN or infinite.

    Notes
    -----
    The dtype follows from that of `x` alone, as the array API standard has it. NumPy looks at the
    eigenvalues, and gives floats if all of them are real.

    Examples
    --------
    >>> import situ
    >>> values = situ.linalg.eigvals(situ.asarray([[2.0, 1.0], [0.0, 3.0]])).to_numpy()
    >>> sorted(values.real.tolist())
    [2.0, 3.0]
    """
    return _native.eig(x, vectors=False, queue=queue)[0]


def svd(x: ndarray, /, full_matrices: bool = True, *, queue: Place | None = None) -> SVDResult:
    """Decompose matrices into singular values and vectors.

    Parameters
    ----------
    x
        An array of matrices.
    full_matrices
        Whether ``U`` and ``Vh`` are square, or only have as many vectors as there are values.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    SVDResult
        The fields ``U``, with columns of length one, ``S``, in descending order, and ``Vh``, with
        rows of length one: ``x = (U * S) @ Vh``.

    Raises
    ------
    LinAlgError
        An element is NaN or infinite.

    Examples
    --------
    >>> import situ
    >>> U, S, Vh = situ.linalg.svd(situ.asarray([[3.0, 0.0], [0.0, 5.0]]))
    >>> S.to_numpy().round(12)
    array([5., 3.])
    """
    return SVDResult(*_native.svd(x, full_matrices=full_matrices, queue=queue))


def svdvals(x: ndarray, /, *, queue: Place | None = None) -> ndarray:
    """Find singular values of matrices.

    Parameters
    ----------
    x
        An array of matrices.
    queue
        What runs it: a queue from which `x` is accessible. By default that of `x`.

    Returns
    -------
    ndarray
        The singular values in descending order.

    Raises
    ------
    LinAlgError
        An element is NaN or infinite.

    Examples
    --------
    >>> import situ
    >>> situ.linalg.svdvals(situ.asarray([[3.0, 0.0], [0.0, 5.0]])).to_numpy().round(12)
    array([5., 3.])
    """
    return _native.svdvals(x, queue=queue)
