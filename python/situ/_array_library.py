"""Functions of arrays that njit functions have, written in the language of njit functions.

They are compiled together with the function that calls them, which costs less than a call of the
array library as long as the arrays are small. `find` makes one of them when an njit function
mentions it. Where compiled code cannot be used, the array library's own functions are called.
"""

# Parameters have the types of each call, so nothing is annotated; each function is documented where
# it is named; and messages are part of the compiled code.
# ruff: noqa: ANN001, ANN202, EM101
# pyright: basic

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from situ._kernel import device_func
from situ._native import DeviceFunction
from situ.exceptions import LinAlgError

__all__ = ["find"]


def _eye(n):
    out = np.zeros((n, n))
    for i in range(n):
        out[i, i] = 1.0
    return out


def _bincount(x, minlength=0):
    size = int(minlength)
    for i in range(x.shape[0]):
        if x[i] < 0:
            raise ValueError("`bincount` of negative numbers")
        size = max(size, int(x[i]) + 1)
    out = np.zeros(size, dtype=np.int64)
    for i in range(x.shape[0]):
        out[x[i]] += 1
    return out


def _sort(x):
    """Sort by merging, NaN last."""
    n = len(x)
    out = x.copy()
    other = np.empty_like(out)
    # Short runs are sorted by insertion, then merged in pairs.
    for start in range(0, n, 16):
        for i in range(start + 1, min(start + 16, n)):
            value = out[i]
            k = i
            while k > start and (
                value < out[k - 1] or (value == value and out[k - 1] != out[k - 1])
            ):
                out[k] = out[k - 1]
                k -= 1
            out[k] = value
    width = 16
    while width < n:
        for start in range(0, n, 2 * width):
            middle = min(start + width, n)
            stop = min(middle + width, n)
            i = start
            j = middle
            for k in range(start, stop):
                takes_right = i >= middle
                if j < stop and not takes_right:
                    left = out[i]
                    right = out[j]
                    takes_right = right < left or (right == right and left != left)
                if takes_right:
                    other[k] = out[j]
                    j += 1
                else:
                    other[k] = out[i]
                    i += 1
        out[:] = other
        width *= 2
    return out


def _diff(x):
    return x[..., 1:] - x[..., :-1]


def _linspace(start, stop, num=50):
    if num < 0:
        raise ValueError("`linspace` of a negative number of elements")
    step = (stop - start) / max(num - 1, 1)
    out = np.empty(num)
    for i in range(num):
        out[i] = start + i * step
    if num > 1:
        out[num - 1] = stop
    return out


def _count_nonzero(x):
    return np.sum(x != 0)


def _flatnonzero(x):
    flat = x.ravel()
    out = np.empty(np.sum(flat != 0), dtype=np.int64)
    count = 0
    for i in range(len(flat)):
        if flat[i] != 0:
            out[count] = i
            count += 1
    return out


def _trace(a):
    total = np.sum(a[0, :0])
    for i in range(min(a.shape[0], a.shape[1])):
        total += a[i, i]
    return total


def _norm(x):
    return np.sqrt(np.sum(np.abs(x) ** 2))


def _inv(a):
    if a.shape[0] != a.shape[1]:
        raise LinAlgError("`inv` of a matrix that is not square")
    n = a.shape[0]
    left = a * 1.0
    out = np.zeros_like(left)
    for i in range(n):
        out[i, i] = 1.0
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(left[i, k]) > abs(left[pivot, k]):
                pivot = i
        if left[pivot, k] == 0.0:
            raise LinAlgError("`inv` of a singular matrix")
        if pivot != k:
            for j in range(n):
                kept = left[k, j]
                left[k, j] = left[pivot, j]
                left[pivot, j] = kept
                kept = out[k, j]
                out[k, j] = out[pivot, j]
                out[pivot, j] = kept
        scale = left[k, k]
        for j in range(n):
            left[k, j] /= scale
            out[k, j] /= scale
        for i in range(n):
            if i != k:
                factor = left[i, k]
                if factor != 0.0:
                    for j in range(n):
                        left[i, j] -= factor * left[k, j]
                        out[i, j] -= factor * out[k, j]
    return out


def _solve(a, b):
    if a.shape[0] != a.shape[1] or a.shape[0] != b.shape[0]:
        raise LinAlgError("`solve` of a matrix and a right side that do not fit")
    n = a.shape[0]
    left = a * 1.0
    # Both sides in the dtype that they have in common.
    out = b + np.sum(left[:0, :0])
    left = left + np.sum(out[:0])
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(left[i, k]) > abs(left[pivot, k]):
                pivot = i
        if left[pivot, k] == 0.0:
            raise LinAlgError("`solve` with a singular matrix")
        if pivot != k:
            for j in range(n):
                kept = left[k, j]
                left[k, j] = left[pivot, j]
                left[pivot, j] = kept
            row = out[k].copy()
            out[k] = out[pivot]
            out[pivot] = row
        for i in range(k + 1, n):
            factor = left[i, k] / left[k, k]
            if factor != 0.0:
                left[i, k + 1 :] -= factor * left[k, k + 1 :]
                out[i] -= factor * out[k]
    for k in range(n - 1, -1, -1):
        for i in range(k + 1, n):
            out[k] -= left[k, i] * out[i]
        out[k] /= left[k, k]
    return out


_FUNCTIONS: dict[str, dict[str, Callable[..., Any]]] = {
    "numpy": {
        "bincount": _bincount,
        "count_nonzero": _count_nonzero,
        "diff": _diff,
        "eye": _eye,
        "flatnonzero": _flatnonzero,
        "identity": _eye,
        "linspace": _linspace,
        "sort": _sort,
        "trace": _trace,
    },
    "numpy.linalg": {
        "inv": _inv,
        "norm": _norm,
        "solve": _solve,
    },
}


@cache
def find(module: str, name: str) -> DeviceFunction | None:
    """Return the function for one of a module, if there is one."""
    function = _FUNCTIONS.get(module, {}).get(name)
    return None if function is None else device_func(function)
