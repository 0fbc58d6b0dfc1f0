"""Kernels of array functions that no expression of other functions gives: exact parts of numbers.

Each is called with arrays of one dimension; the functions that use them broadcast and convert.
"""

# Their parameters have the types of each call, so nothing is annotated.
# ruff: noqa: ANN001, ANN202
# pyright: basic

import math

import numpy as np

from situ._kernel import device_func, kernel
from situ._work_items import get_global_id

__all__ = [
    "bessel",
    "common_divisors",
    "count_bits",
    "scale32",
    "scale64",
    "slide",
    "split32",
    "split64",
]


@kernel
def common_divisors(a, b, out):
    """Store the greatest common divisors of unsigned numbers, by Euclid's algorithm."""
    i = get_global_id(0)
    larger = a[i]
    smaller = b[i]
    while smaller != np.uint64(0):
        rest = larger % smaller
        larger = smaller
        smaller = rest
    out[i] = larger


@kernel
def count_bits(x, out):
    """Store how many bits of unsigned numbers are set: sums of neighbouring bits, pairs, fours."""
    i = get_global_id(0)
    bits = x[i]
    bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    pairs = np.uint64(0x3333333333333333)
    bits = (bits & pairs) + ((bits >> np.uint64(2)) & pairs)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    out[i] = np.uint8((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def slide(x, weights, out):
    """Store the sums of products of weights with what lies under them, for each place."""
    i = get_global_id(0)
    # A sum has no negative zero to begin with.
    total = x[i] * weights[0] + 0
    for j in range(1, weights.shape[0]):
        total += x[i + j] * weights[j]
    out[i] = total


@kernel
def split64(x, mantissa, exponent):
    """Store the numbers from 1/2 to 1 and the powers of two that elements are products of."""
    i = get_global_id(0)
    number = x[i]
    power = np.int32(0)
    bits = number.view(np.uint64)
    field = (bits >> np.uint64(52)) & np.uint64(0x7FF)
    if field == np.uint64(0):
        # Numbers next to zero have fewer bits, until they are multiplied by 2 ** 54.
        bits = (number * 18014398509481984.0).view(np.uint64)
        field = (bits >> np.uint64(52)) & np.uint64(0x7FF)
        power = np.int32(-54)
    if number == 0.0 or field == np.uint64(0x7FF):
        mantissa[i] = number
        exponent[i] = np.int32(0)
    else:
        kept = (bits & np.uint64(0x800FFFFFFFFFFFFF)) | np.uint64(0x3FE0000000000000)
        mantissa[i] = kept.view(np.float64)
        exponent[i] = power + np.int32(field) - np.int32(1022)


@kernel
def split32(x, mantissa, exponent):
    """Do the same for ``float32``."""
    i = get_global_id(0)
    number = x[i]
    power = np.int32(0)
    bits = number.view(np.uint32)
    field = (bits >> np.uint32(23)) & np.uint32(0xFF)
    if field == np.uint32(0):
        bits = (number * np.float32(33554432.0)).view(np.uint32)
        field = (bits >> np.uint32(23)) & np.uint32(0xFF)
        power = np.int32(-25)
    if number == np.float32(0.0) or field == np.uint32(0xFF):
        mantissa[i] = number
        exponent[i] = np.int32(0)
    else:
        kept = (bits & np.uint32(0x807FFFFF)) | np.uint32(0x3F000000)
        mantissa[i] = kept.view(np.float32)
        exponent[i] = power + np.int32(field) - np.int32(126)


@device_func
def _power64(n):
    """Return 2 ** n as ``float64``, for an exponent that normal numbers have."""
    return (np.uint64(n + 1023) << np.uint64(52)).view(np.float64)


@device_func
def _power32(n):
    """Return 2 ** n as ``float32``, for an exponent that normal numbers have."""
    return (np.uint32(n + 127) << np.uint32(23)).view(np.float32)


@kernel
def scale64(x, powers, out):
    """Store elements multiplied by powers of two, rounded once."""
    i = get_global_id(0)
    number = x[i]
    # Beyond these the result is infinite or zero, for the smallest and the largest of numbers.
    n = min(max(powers[i], np.int64(-2200)), np.int64(2200))
    while n > np.int64(1023):
        number *= _power64(np.int64(1023))
        n -= np.int64(1023)
    # Steps that leave a last factor below 2 ** -53: where an earlier product was rounded, the last
    # one is zero, so that nothing is rounded twice.
    while n < np.int64(-1022):
        number *= _power64(np.int64(-969))
        n += np.int64(969)
    out[i] = number * _power64(n)


@kernel
def scale32(x, powers, out):
    """Do the same for ``float32``."""
    i = get_global_id(0)
    number = x[i]
    n = min(max(powers[i], np.int64(-300)), np.int64(300))
    while n > np.int64(127):
        number *= _power32(np.int64(127))
        n -= np.int64(127)
    while n < np.int64(-126):
        number *= _power32(np.int64(-102))
        n += np.int64(102)
    out[i] = number * _power32(n)


@kernel
def bessel(x, out):
    """Store the Bessel function I0 of numbers that are not negative.

    Up to 30 its power series, whose terms are all positive; beyond that the asymptotic series,
    whose first terms shrink to less than what a float can tell.
    """
    i = get_global_id(0)
    number = x[i]
    # Counted in the dtype of the numbers, so that a device needs no other.
    one = number * 0 + 1
    step = one
    term = one
    total = one
    if number <= 30:
        for _ in range(64):
            half = number / (step + step)
            term *= half * half
            total += term
            step += one
        out[i] = total
    elif number <= 2000:
        for _ in range(30):
            odd = step + step - one
            term *= odd * odd / (8 * step * number)
            total += term
            step += one
        # The exponential in two halves: it overflows before the function does.
        half = math.exp(number / 2)
        out[i] = half / math.sqrt(2 * number * math.pi) * total * half
    else:
        # Infinity, or NaN.
        out[i] = math.exp(number)
