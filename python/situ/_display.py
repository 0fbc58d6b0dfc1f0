"""How arrays look when they are printed.

Only what is shown is copied to the host: of a large array the first and last few elements of each
dimension, as NumPy shows them.
"""

import numpy as np

from situ._native import ndarray

# NumPy's own defaults: arrays with more elements than `THRESHOLD` are summarised.
THRESHOLD = 1000
EDGE_ITEMS = 3


def array_repr(x: ndarray) -> str:
    """Return the text of ``repr(x)``: elements, dtype if it is not obvious, and device."""
    prefix = "situ.ndarray("
    body = _elements(x, prefix)
    parts = [body]
    if x.size == 0:
        parts.append(f"shape={x.shape}")
    if x.size == 0 or x.dtype.name not in {"float64", "int64", "bool", "complex128"}:
        parts.append(f"dtype={x.dtype.name}")
    parts.append(f"device={x.device.filter_string!r}")
    return f"{prefix}{', '.join(parts)})"


def array_str(x: ndarray) -> str:
    """Return the text of ``str(x)``: the elements."""
    return _elements(x, "")


def _elements(x: ndarray, prefix: str) -> str:
    shown, marked = _corners(x)
    text = np.array2string(
        shown, separator=", " if prefix else " ", prefix=prefix, threshold=marked
    )
    return text


def _corners(x: ndarray) -> tuple[np.ndarray, int]:
    """Copy what will be shown; the threshold makes NumPy put dots where elements are left out."""
    if x.size <= THRESHOLD:
        return x.to_numpy(), THRESHOLD
    shown = x
    for axis, size in enumerate(x.shape):
        if size > 2 * EDGE_ITEMS + 1:
            # NumPy summarises a dimension that has more than its two edges, so one element in the
            # middle stands for all that are left out.
            shown = _edges(shown, axis)
    return _to_numpy(shown), 0


def _edges(x: "ndarray | np.ndarray", axis: int) -> "np.ndarray":
    before = (slice(None),) * axis
    head = _to_numpy(x[(*before, slice(None, EDGE_ITEMS + 1))])
    tail = _to_numpy(x[(*before, slice(-EDGE_ITEMS, None))])
    return np.concatenate([head, tail], axis=axis)


def _to_numpy(x: "ndarray | np.ndarray") -> np.ndarray:
    return x.to_numpy() if isinstance(x, ndarray) else x
