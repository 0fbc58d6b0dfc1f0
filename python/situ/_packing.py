"""Bits in bytes: eight elements that are true or false in one."""

from typing import Literal

import numpy as np

from situ import _native
from situ._array_arguments import takes_arrays
from situ._creation import asarray
from situ._native import ndarray
from situ._padding import pad
from situ._placement import lend
from situ._queue_manager import Place
from situ._statistical import sum
from situ.exceptions import DTypeError

__all__ = ["packbits", "unpackbits"]

Order = Literal["big", "little"]


def _weights(function: str, bitorder: Order, x: ndarray) -> ndarray:
    """Return what each of eight bits counts."""
    if bitorder not in {"big", "little"}:
        msg = (
            f"`{function}` does not know the order {bitorder!r}\n"
            '  why:  the first bit is the highest, "big", or the lowest, "little"\n'
            "  help: give one of them"
        )
        raise ValueError(msg)
    powers = [1 << power for power in range(8)]
    listed = powers[::-1] if bitorder == "big" else powers
    return asarray(listed, dtype="uint8", queue=x.queue, usm_type=x.usm_type)


@takes_arrays
def packbits(
    a: ndarray,
    /,
    axis: int | None = None,
    bitorder: Order = "big",
    *,
    queue: Place | None = None,
) -> ndarray:
    """Pack elements that are true or false into the bits of bytes.

    Parameters
    ----------
    a
        An array of bools or integers; what is not zero is true.
    axis
        Along which axis; the array is flat by default.
    bitorder
        Whether the first of eight elements is the highest bit, ``"big"``, or the lowest,
        ``"little"``.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    ndarray
        The bytes, as ``uint8``; the last one is filled up with zeros.

    Examples
    --------
    >>> import situ
    >>> situ.packbits(situ.asarray([1, 0, 1, 0, 0, 0, 0, 0, 1])).to_numpy()
    array([160, 128], dtype=uint8)
    """
    a = lend(a, queue)
    if a.dtype.kind not in "biu":
        msg = (
            f"`packbits` is not defined for {a.dtype}\n"
            "  why:  it packs bools and integers\n"
            "  help: compare first, e.g. `a != 0`"
        )
        raise DTypeError(msg)
    a, axis = (a.reshape(-1), 0) if axis is None else (a, axis)
    bits = _native.elementwise("not_equal", _native.moveaxis(a, axis, -1), 0)
    size = bits.shape[-1]
    widths = [(0, 0)] * (bits.ndim - 1) + [(0, -size % 8)]
    octets = pad(bits, widths).reshape((*bits.shape[:-1], (size + 7) // 8, 8))
    octets = _native.bring(octets, dtype=np.dtype(np.uint8))
    packed = sum(octets * _weights("packbits", bitorder, a), axis=-1, dtype="uint8")
    return _native.moveaxis(packed, -1, axis)


@takes_arrays
def unpackbits(
    a: ndarray,
    /,
    axis: int | None = None,
    count: int | None = None,
    bitorder: Order = "big",
    *,
    queue: Place | None = None,
) -> ndarray:
    """Unpack the bits of bytes.

    Parameters
    ----------
    a
        An array of ``uint8``.
    axis
        Along which axis; the array is flat by default.
    count
        How many bits: zeros follow if there are fewer, and a negative number leaves out as many at
        the end. All of them by default.
    bitorder
        As for `packbits`.
    queue
        What runs it: a queue from which the array is accessible. By default that of the array.

    Returns
    -------
    ndarray
        Zeros and ones, as ``uint8``.

    Examples
    --------
    >>> import situ
    >>> situ.unpackbits(situ.asarray([160], dtype="uint8"), count=4).to_numpy()
    array([1, 0, 1, 0], dtype=uint8)
    """
    a = lend(a, queue)
    if a.dtype != np.uint8:
        msg = (
            f"`unpackbits` is not defined for {a.dtype}\n"
            "  why:  it takes bytes\n"
            "  help: convert first, e.g. with `a.astype(situ.uint8)`"
        )
        raise DTypeError(msg)
    a, axis = (a.reshape(-1), 0) if axis is None else (a, axis)
    octets = _native.moveaxis(a, axis, -1)
    bits = octets[..., None] & _weights("unpackbits", bitorder, a)
    bits = _native.elementwise("not_equal", bits, 0)
    size = 8 * octets.shape[-1]
    row = _native.bring(bits, dtype=np.dtype(np.uint8)).reshape((*octets.shape[:-1], size))
    if count is not None and count > size:
        row = pad(row, [(0, 0)] * (row.ndim - 1) + [(0, count - size)])
    elif count is not None:
        if count < -size:
            msg = (
                f"`unpackbits` cannot leave out {-count} bits of {size}\n"
                "  why:  a negative count says how many to leave out\n"
                f"  help: give a count of at least {-size}"
            )
            raise ValueError(msg)
        row = row[..., :count]
    return _native.moveaxis(row, -1, axis)
