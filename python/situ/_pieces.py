"""Functions that are defined piece by piece."""

from collections.abc import Callable, Sequence
from typing import Any

from situ import _native
from situ._array_arguments import takes_arrays
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place

__all__ = ["piecewise"]

Piece = Callable[..., ndarray] | complex


@takes_arrays
def piecewise(
    x: ndarray,
    condlist: ndarray | Sequence[ndarray],
    funclist: Sequence[Piece],
    /,
    *args: Any,  # noqa: ANN401 - the functions' own
    queue: Place | None = None,
    **kw: Any,  # noqa: ANN401
) -> ndarray:
    """Evaluate a function that is another one where another condition holds.

    How many elements a condition holds for must be known before they are chosen, so this waits for
    conditions whose piece is a function.

    Parameters
    ----------
    x
        Where.
    condlist
        Arrays of bools in the shape of `x`; where several hold, the last one counts.
    funclist
        A function or a number for each condition, and maybe one more for where none holds, which is
        zero otherwise. Functions are called with the elements in one dimension.
    *args, **kw
        What functions are given beside the elements.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        The values, in the dtype of `x`.

    Examples
    --------
    >>> import situ
    >>> x = situ.asarray([-2.0, -0.5, 3.0])
    >>> situ.piecewise(x, [x < -1, x > 0], [-1.0, lambda part: part * part]).to_numpy()
    array([-1.,  0.,  9.])
    """
    x = lend(x, queue)
    conditions = _conditions(x, condlist, queue)
    if len(funclist) == len(conditions) + 1:
        held = conditions[0]
        for condition in conditions[1:]:
            held = held | condition
        conditions.append(_native.elementwise("logical_not", held))
    elif len(funclist) != len(conditions):
        msg = (
            f"`piecewise` got {len(conditions)} conditions and {len(funclist)} functions\n"
            "  why:  there is a function for each condition, and maybe one for where none holds\n"
            f"  help: give {len(conditions)} or {len(conditions) + 1}"
        )
        raise ValueError(msg)
    result = _native.full(x.shape, 0, dtype=x.dtype, device=x.queue, usm_type=x.usm_type)
    for condition, piece in zip(conditions, funclist, strict=True):
        if not callable(piece):
            result[condition] = piece
            continue
        chosen = x[condition]
        if chosen.size:
            result[condition] = piece(chosen, *args, **kw)
    return result


def _conditions(
    x: ndarray, condlist: ndarray | Sequence[ndarray], queue: Place | None
) -> list[ndarray]:
    """Return masks; one array of the shape of the numbers is one of them."""
    if isinstance(condlist, ndarray):
        is_one = condlist.shape == x.shape and x.ndim > 0
        listed = [condlist] if is_one else _native.unstack(condlist, 0)
    else:
        listed = list(condlist)
    lent = [lend(each, queue) for each in listed]
    return [
        each if each.dtype.kind == "b" else _native.elementwise("not_equal", each, 0)
        for each in lent
    ]
