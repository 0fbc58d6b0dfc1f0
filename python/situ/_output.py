"""Where results go that a function has made already: the array that `out` names.

Elementwise functions write there themselves; what reductions and scans make is small or needed in
whole, so it is copied.
"""

from situ._array_arguments import expect_array
from situ._dtypes import can_cast
from situ._native import ndarray
from situ.exceptions import DTypeError, ShapeError

__all__ = ["Output", "chosen", "stored"]

Output = ndarray | tuple[ndarray] | None


def chosen(operation: str, out: Output) -> ndarray | None:
    """Return the array itself, which may come as the one item of a tuple, as NumPy has it."""
    target = out[0] if isinstance(out, tuple) else out
    if target is not None:
        expect_array(operation, "out", target)
    return target


def stored(operation: str, result: ndarray, out: Output) -> ndarray:
    """Return the result; in `out`, if it is given."""
    target = chosen(operation, out)
    if target is None:
        return result
    if target.shape != result.shape:
        msg = (
            f"`{operation}` makes the shape {result.shape}, but `out` has {target.shape}\n"
            "  why:  the result is stored in `out` as it is\n"
            f"  help: pass an `out` of shape {result.shape}, or leave it out"
        )
        raise ShapeError(msg)
    if not can_cast(result.dtype, target.dtype, casting="same_kind"):
        msg = (
            f"`{operation}` makes {result.dtype}, which cannot be stored in `out` of "
            f"{target.dtype}\n"
            '  why:  the rule "same_kind" does not allow this conversion\n'
            f"  help: pass an `out` of {result.dtype}, or give `dtype=`"
        )
        raise DTypeError(msg)
    target[...] = result
    return target
