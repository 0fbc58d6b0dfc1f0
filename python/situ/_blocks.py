"""Arrays put together from nested lists of arrays."""

from typing import Any, cast

from situ import _native
from situ._array_arguments import adopted, expect_array
from situ._creation import asarray
from situ._native import ndarray
from situ._placement import lend
from situ._queue_manager import Place
from situ.exceptions import ShapeError

__all__ = ["block"]


def block(arrays: Any, /, *, queue: Place | None = None) -> ndarray:  # noqa: ANN401 - nested lists
    """Join nested lists of arrays, the innermost along the last axis, those around it before that.

    Parameters
    ----------
    arrays
        An array, or nested lists of arrays and numbers, all nested as deeply.
    queue
        What runs it: a queue from which the arrays are accessible. By default that of the arrays.

    Returns
    -------
    ndarray
        A new array.

    Examples
    --------
    >>> import situ
    >>> a, b = situ.eye(2), situ.ones((2, 1))
    >>> situ.block([[a, b], [b.T, 9.0]]).to_numpy()
    array([[1., 0., 1.],
           [0., 1., 1.],
           [1., 1., 9.]])
    """
    arrays = _ours(arrays)
    first = _first_array(arrays)
    if first is None:
        expect_array("block", "arrays", arrays)
    depth = _depth(arrays, "arrays")
    place = lend(first, queue)
    assert place is not None
    parts = _placed(arrays, place, queue)
    ndim = max(depth, _most_dimensions(parts))
    joined = _joined(parts, ndim, depth)
    return _native.bring(joined, copy=True) if depth == 0 else joined


def _ours(nested: Any) -> Any:  # noqa: ANN401
    """Return nested lists with arrays of situ's for those that describe their memory."""
    if isinstance(nested, list):
        return [_ours(item) for item in cast("list[Any]", nested)]
    return adopted(nested)


def _first_array(nested: object) -> ndarray | None:
    if isinstance(nested, ndarray):
        return nested
    if not isinstance(nested, list):
        return None
    found = (_first_array(item) for item in cast("list[object]", nested))
    return next((each for each in found if each is not None), None)


def _depth(nested: object, name: str) -> int:
    """Return how deeply lists are nested, which is the same everywhere."""
    if isinstance(nested, tuple):
        msg = (
            f"`block` got a tuple as `{name}`\n"
            "  why:  only lists are nested, so that a shape is never taken for arrays\n"
            "  help: write a list, `[...]`"
        )
        raise TypeError(msg)
    if not isinstance(nested, list):
        return 0
    items = cast("list[object]", nested)
    if not items:
        msg = (
            f"`block` got the empty list `{name}`\n"
            "  why:  there is nothing to join\n"
            "  help: leave it out"
        )
        raise ValueError(msg)
    depths = [_depth(item, f"{name}[{place}]") for place, item in enumerate(items)]
    if len(set(depths)) > 1:
        msg = (
            f"the lists in `{name}` are nested {min(depths)} and {max(depths)} deep\n"
            "  why:  the depth says along which axis arrays are joined\n"
            "  help: put single arrays into lists, `[[a, b], [c]]`"
        )
        raise ValueError(msg)
    return 1 + depths[0]


def _placed(nested: object, like: ndarray, queue: Place | None) -> Any:  # noqa: ANN401
    """Return nested lists with arrays in the place of numbers."""
    if isinstance(nested, list):
        return [_placed(item, like, queue) for item in cast("list[object]", nested)]
    if isinstance(nested, ndarray):
        return lend(nested, queue)
    if not isinstance(nested, bool | int | float | complex):
        expect_array("block", "arrays", nested)
    return asarray(nested, queue=like.queue, usm_type=like.usm_type)


def _most_dimensions(nested: Any) -> int:  # noqa: ANN401
    if isinstance(nested, list):
        return max(_most_dimensions(item) for item in cast("list[Any]", nested))
    return nested.ndim


def _joined(nested: Any, ndim: int, depth: int) -> ndarray:  # noqa: ANN401
    if not isinstance(nested, list):
        missing = ndim - nested.ndim
        return nested.reshape((*[1] * missing, *nested.shape))
    parts = [_joined(item, ndim, depth - 1) for item in cast("list[Any]", nested)]
    axis = ndim - depth
    shapes = {part.shape[:axis] + part.shape[axis + 1 :] for part in parts}
    if len(shapes) > 1:
        listed = ", ".join(str(part.shape) for part in parts)
        msg = (
            f"`block` cannot join the shapes {listed} along axis {axis}\n"
            "  why:  all other sizes must be equal\n"
            "  help: check which arrays stand beside each other"
        )
        raise ShapeError(msg)
    return _native.concat(parts, axis)
