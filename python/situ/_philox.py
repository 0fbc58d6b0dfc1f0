"""The generator of random numbers, Philox4x32 with ten rounds, as device functions.

They are called in kernels, and can be tried out in ordinary Python; `situ.random` gathers them.
"""

# Parameters of device functions have the types of each call, so nothing is annotated.
# ruff: noqa: ANN001, ANN202
# pyright: basic

import math

import numpy as np

from situ._kernel import device_func

__all__ = [
    "bits32",
    "bits64",
    "normal32",
    "normal64",
    "philox4x32",
    "uniform32",
    "uniform64",
]


@device_func
def philox4x32(counter, key):
    """Return the four words of 32 bits that Philox4x32-10 makes of a counter and a key.

    Parameters
    ----------
    counter : tuple of four ``uint32``
        Which block of random bits.
    key : tuple of two ``uint32``
        Which sequence of blocks.

    Returns
    -------
    tuple of four ``uint32``

    Examples
    --------
    >>> import numpy as np
    >>> import situ.random
    >>> zero = np.uint32(0)
    >>> words = situ.random.philox4x32((zero, zero, zero, zero), (zero, zero))
    >>> [f"{word:08x}" for word in words]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    c0, c1 = np.uint32(counter[0]), np.uint32(counter[1])
    c2, c3 = np.uint32(counter[2]), np.uint32(counter[3])
    # As 64-bit integers, of which the lower half counts: so nothing overflows in ordinary Python.
    k0, k1 = np.uint64(key[0]), np.uint64(key[1])
    for _ in range(10):
        p0 = np.uint64(c0) * np.uint64(0xD2511F53)
        p1 = np.uint64(c2) * np.uint64(0xCD9E8D57)
        w0 = np.uint32(k0 & np.uint64(0xFFFFFFFF))
        w1 = np.uint32(k1 & np.uint64(0xFFFFFFFF))
        c0, c1, c2, c3 = (
            np.uint32(p1 >> np.uint64(32)) ^ c1 ^ w0,
            np.uint32(p1 & np.uint64(0xFFFFFFFF)),
            np.uint32(p0 >> np.uint64(32)) ^ c3 ^ w1,
            np.uint32(p0 & np.uint64(0xFFFFFFFF)),
        )
        k0 = k0 + np.uint64(0x9E3779B9)
        k1 = k1 + np.uint64(0xBB67AE85)
    return c0, c1, c2, c3


@device_func
def _block(seed, counter):
    """Return the four words for a seed and a counter of 64 bits."""
    low = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    sequence, number = np.uint64(seed), np.uint64(counter)
    c0, c1 = np.uint32(number & low), np.uint32(number >> half)
    k0, k1 = np.uint32(sequence & low), np.uint32(sequence >> half)
    w0, w1, w2, w3 = philox4x32((c0, c1, np.uint32(0), np.uint32(0)), (k0, k1))
    return w0, w1, w2, w3


@device_func
def bits32(seed, counter):
    """Return 32 random bits as a ``uint32``.

    Parameters
    ----------
    seed : int
        Which sequence; up to 64 bits, not negative.
    counter : int
        Which number of the sequence; up to 64 bits, not negative.
    """
    w0, _w1, _w2, _w3 = _block(seed, counter)
    return w0


@device_func
def bits64(seed, counter):
    """Return 64 random bits as a ``uint64``; see `bits32`."""
    w0, w1, _w2, _w3 = _block(seed, counter)
    return (np.uint64(w1) << np.uint64(32)) | np.uint64(w0)


@device_func
def uniform32(seed, counter):
    """Return a ``float32`` that is evenly distributed in [0, 1); see `bits32`.

    Examples
    --------
    >>> import situ
    >>> @situ.kernel
    ... def fill(x, seed):
    ...     i = situ.get_global_id(0)
    ...     x[i] = situ.random.uniform32(seed, i)
    >>> x = situ.zeros(1000, dtype=situ.float32)
    >>> fill(x, 7)
    >>> bool(abs(situ.mean(x) - 0.5) < 0.05)
    True
    """
    w0, _w1, _w2, _w3 = _block(seed, counter)
    return np.float32(w0 >> np.uint32(8)) * np.float32(5.9604644775390625e-08)


@device_func
def uniform64(seed, counter):
    """Return a ``float64`` that is evenly distributed in [0, 1); see `bits32`."""
    w0, w1, _w2, _w3 = _block(seed, counter)
    high, low = np.float64(w0 >> np.uint32(5)), np.float64(w1 >> np.uint32(6))
    return (high * 67108864.0 + low) * 1.1102230246251565e-16


@device_func
def normal32(seed, counter):
    """Return a ``float32`` of the normal distribution with mean 0 and variance 1; see `bits32`."""
    w0, w1, _w2, _w3 = _block(seed, counter)
    # From (0, 1], so that the logarithm is finite.
    u = np.float32((w0 >> np.uint32(8)) + np.uint32(1)) * np.float32(5.9604644775390625e-08)
    v = np.float32(w1 >> np.uint32(8)) * np.float32(5.9604644775390625e-08)
    radius = np.sqrt(np.float32(-2.0) * np.log(u))
    return radius * np.cos(np.float32(2 * math.pi) * v)


@device_func
def normal64(seed, counter):
    """Return a ``float64`` of the normal distribution with mean 0 and variance 1; see `bits32`."""
    w0, w1, w2, w3 = _block(seed, counter)
    high, low = np.float64(w0 >> np.uint32(5)), np.float64(w1 >> np.uint32(6))
    u = (high * 67108864.0 + low + 1.0) * 1.1102230246251565e-16
    high, low = np.float64(w2 >> np.uint32(5)), np.float64(w3 >> np.uint32(6))
    v = (high * 67108864.0 + low) * 1.1102230246251565e-16
    return np.sqrt(-2.0 * np.log(u)) * np.cos(2 * math.pi * v)
