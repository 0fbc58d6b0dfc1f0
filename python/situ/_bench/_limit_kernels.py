"""The kernels that limits are measured with.

`math.fma` exists in kernels on every Python, and in Python itself from 3.13.
"""

# pyright: reportAttributeAccessIssue=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import math
from typing import Any

import situ


@situ.kernel
def copy(a: situ.ndarray, out: situ.ndarray) -> None:
    """Copy an element."""
    i = situ.get_global_id(0)
    out[i] = a[i]


@situ.kernel
def nothing(a: situ.ndarray) -> None:
    """Do nothing, so that only the launch is left."""
    pass


@situ.kernel
def multiply_add(factor: Any, out: situ.ndarray, rounds: int) -> None:
    """Keep ten chains of multiply-adds going, which is what hides how long one takes."""
    i = situ.get_global_id(0)
    f = factor[i]
    a = f
    b = f + f
    c = b + f
    d = c + f
    e = d + f
    g = e + f
    h = g + f
    k = h + f
    m = k + f
    n = m + f
    for _ in range(rounds):
        a = math.fma(a, f, f)
        b = math.fma(b, f, f)
        c = math.fma(c, f, f)
        d = math.fma(d, f, f)
        e = math.fma(e, f, f)
        g = math.fma(g, f, f)
        h = math.fma(h, f, f)
        k = math.fma(k, f, f)
        m = math.fma(m, f, f)
        n = math.fma(n, f, f)
    out[i] = a + b + c + d + e + g + h + k + m + n
