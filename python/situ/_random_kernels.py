"""Kernels that fill arrays with random numbers, for `_random_arrays.py`."""

# Their parameters have the types of each call, so nothing is annotated.
# ruff: noqa: ANN001, ANN202
# pyright: basic

import numpy as np

from situ._kernel import device_func, kernel
from situ._philox import bits64, normal32, normal64, uniform32, uniform64
from situ._work_items import get_global_id

__all__ = ["fill_integers", "fill_normal32", "fill_normal64", "fill_uniform32", "fill_uniform64"]


@kernel
def fill_uniform32(x, seed, offset, start, width):
    """Fill with evenly distributed ``float32``."""
    i = get_global_id(0)
    x[i] = start + width * uniform32(seed, offset + np.uint64(i))


@kernel
def fill_uniform64(x, seed, offset, start, width):
    """Fill with evenly distributed ``float64``."""
    i = get_global_id(0)
    x[i] = start + width * uniform64(seed, offset + np.uint64(i))


@kernel
def fill_normal32(x, seed, offset, start, width):
    """Fill with normally distributed ``float32``."""
    i = get_global_id(0)
    x[i] = start + width * normal32(seed, offset + np.uint64(i))


@kernel
def fill_normal64(x, seed, offset, start, width):
    """Fill with normally distributed ``float64``."""
    i = get_global_id(0)
    x[i] = start + width * normal64(seed, offset + np.uint64(i))


@device_func
def _upper_half(a, b):
    """Return the upper 64 bits of a product of two integers of 64 bits."""
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a0, a1, b0, b1 = a & low, a >> half, b & low, b >> half
    middle = ((a0 * b0) >> half) + ((a0 * b1) & low) + ((a1 * b0) & low)
    return a1 * b1 + ((a0 * b1) >> half) + ((a1 * b0) >> half) + (middle >> half)


@kernel
def fill_integers(x, seed, offset, start, count):
    """Fill with evenly distributed integers of `count` values; 0 means all of 64 bits."""
    i = get_global_id(0)
    bits = bits64(seed, offset + np.uint64(i))
    chosen = bits
    if count != np.uint64(0):
        chosen = _upper_half(bits, count)
    x[i] = start + chosen
