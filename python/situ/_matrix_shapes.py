"""Which shapes are matrices, for functions that need some."""

from situ._native import ndarray
from situ.exceptions import LinAlgError


def check_matrices(name: str, x: ndarray) -> None:
    """Refuse arrays without matrices."""
    if x.ndim < 2:
        message = (
            f"`{name}` needs matrices, but the array has {x.ndim} dimensions\n"
            "  why:  matrices are in the last two dimensions\n"
            "  help: add dimensions, e.g. with `x[None, :]`"
        )
        raise LinAlgError(message)


def check_square(name: str, x: ndarray) -> None:
    """Refuse matrices that are not square."""
    check_matrices(name, x)
    if x.shape[-1] != x.shape[-2]:
        message = (
            f"`{name}` needs square matrices, not {x.shape[-2]} rows and {x.shape[-1]} columns\n"
            f"  why:  the array has the shape {x.shape}, and its matrices are in the last two "
            "dimensions\n"
            "  help: transpose or slice it"
        )
        raise LinAlgError(message)
