"""How arrays look when they are printed, and in notebooks.

Only what is shown is copied to the host: of a large array the first and last few elements of each
dimension, as many as `numpy.set_printoptions` says.
"""

import html
import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from situ._native import ndarray

__all__ = ["array_html", "array_repr", "array_str", "read"]

Host = npt.NDArray[Any]

_OBVIOUS = {"float64", "int64", "bool", "complex128"}


def array_repr(x: ndarray, /) -> str:
    """Return the text of ``repr(x)``: elements, dtype if it is not obvious, and device."""
    prefix = "situ.ndarray("
    parts = [_elements(x, prefix)]
    if x.size == 0 or _is_summarised(x):
        parts.append(f"shape={x.shape}")
    if x.size == 0 or x.dtype.name not in _OBVIOUS:
        parts.append(f"dtype={x.dtype.name}")
    parts.append(f"device={x.device.filter_string!r}")
    return f"{prefix}{', '.join(parts)})"


def array_str(x: ndarray, /) -> str:
    """Return the text of ``str(x)``: the elements, or the number if there are no dimensions."""
    return str(read(x)) if x.ndim == 0 else _elements(x, "")


def array_html(x: ndarray, /) -> str:
    """Return what notebooks show: what the array is, where it is, and its elements."""
    facts = [
        ("shape", str(x.shape)),
        ("dtype", x.dtype.name),
        ("device", f"{x.device.filter_string} ({x.device.name})"),
        ("memory", f"{x.usm_type}, {_size_text(x.nbytes)}"),
    ]
    rows = "".join(
        f'<tr><th style="text-align: left">{name}</th>'
        f'<td style="text-align: left">{html.escape(text)}</td></tr>'
        for name, text in facts
    )
    return f"<table>{rows}</table><pre>{html.escape(array_str(x))}</pre>"


def read(x: ndarray) -> Host:
    """Copy elements that will be shown."""
    return x.to_numpy()


def _elements(x: ndarray, prefix: str) -> str:
    separator = ", " if prefix else " "
    if not _is_summarised(x):
        # NumPy's own threshold counts the elements of the whole array, which has fewer.
        return np.array2string(read(x), separator=separator, prefix=prefix)
    return np.array2string(_edges(x), separator=separator, prefix=prefix, threshold=0)


def _is_summarised(x: ndarray) -> bool:
    return x.size > np.get_printoptions()["threshold"]


def _edges(x: ndarray) -> Host:
    """Copy the elements at the edges, and one more of each long dimension.

    NumPy puts dots where a dimension is longer than its two edges, so one element stands for all
    that are left out.
    """
    edge = np.get_printoptions()["edgeitems"]
    axes = [_parts(size, edge) for size in x.shape]
    shown = np.empty([sum(len(part) for part in axis) for axis in axes], dtype=x.dtype)
    for block in itertools.product(*(_placed(axis) for axis in axes)):
        target = tuple(place for _, place in block)
        shown[target] = read(x[tuple(slice(part.start, part.stop) for part, _ in block)])
    return shown


def _parts(size: int, edge: int) -> list[range]:
    """Return the positions that are shown of a dimension."""
    if size <= 2 * edge + 1:
        return [range(size)]
    return [range(edge + 1), range(size - edge, size)] if edge else [range(1)]


def _placed(parts: list[range]) -> list[tuple[range, slice]]:
    """Return each part with where it goes when they are put one after the other."""
    ends = itertools.accumulate(len(part) for part in parts)
    return [(part, slice(end - len(part), end)) for part, end in zip(parts, ends, strict=True)]


def _size_text(size_bytes: int) -> str:
    """Return a number of bytes in the unit people would use."""
    size, units = float(size_bytes), ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while size >= 1024 and len(units) > 1:
        size /= 1024
        del units[0]
    return f"{size:.0f} bytes" if units[0] == "bytes" else f"{size:.1f} {units[0]}"
