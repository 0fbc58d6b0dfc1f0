"""The names of ``dpnp.linalg``, ``dpnp.fft`` and ``dpnp.scipy.linalg``, in situ."""

from typing import Any

import situ
from situ._native import ndarray
from situ.compat._dpnp import same
from situ.compat._dpnp_expressions import LINALG_NAMES
from situ.compat._dpnp_names import FFT, FFT_ARGUMENTS, LINALG, LINALG_ARGUMENTS
from situ.compat._peer_module import Refusal

__all__ = ["FFT_NAMES", "NAMES", "SCIPY_LINALG_NAMES"]


def svd(
    a: ndarray, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> object:
    """Decompose matrices into singular vectors and values; or the values alone."""
    del hermitian
    if not compute_uv:
        return situ.linalg.svdvals(a)
    return situ.linalg.svd(a, full_matrices=full_matrices)


def matrix_rank(
    A: ndarray,
    tol: Any = None,  # noqa: ANN401
    hermitian: bool = False,
    *,
    rtol: Any = None,  # noqa: ANN401
) -> ndarray:
    """Return the number of singular values above a limit, absolute or relative."""
    del hermitian
    if tol is None:
        return situ.linalg.matrix_rank(A, rtol=rtol)
    limit = situ.asarray(tol, device=A.queue)[..., None]
    return situ.sum(situ.linalg.svdvals(A) > limit, axis=-1)


NAMES: dict[str, object] = {
    **same(LINALG, LINALG_ARGUMENTS, "dpnp.linalg"),
    "LinAlgError": situ.LinAlgError,
    "matrix_rank": matrix_rank,
    "svd": svd,
    **LINALG_NAMES,
}

FFT_NAMES: dict[str, object] = same(FFT, FFT_ARGUMENTS, "dpnp.fft")

SCIPY_LINALG_NAMES: dict[str, object] = {
    name: Refusal(
        f"dpnp.scipy.linalg.{name}",
        "`situ.linalg.solve(a, b)` solves systems; SciPy decomposes arrays of the host: "
        f"`scipy.linalg.{name}(a.to_numpy())`",
    )
    for name in ("lu", "lu_factor", "lu_solve")
}
