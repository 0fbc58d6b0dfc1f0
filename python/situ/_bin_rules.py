"""How wide the bins of a histogram are, if nobody says how many there are.

Each rule estimates a width from the elements, which must be finite; it waits for them.
"""

import math
from collections.abc import Callable, Mapping

import numpy as np

from situ import _native
from situ._native import ndarray
from situ._order_statistics import percentile

__all__ = ["count_bins"]

# The range of normally distributed numbers between their quartiles, in standard deviations.
_QUARTILES = 1.349


def _deviation(x: ndarray) -> float:
    return float(_native.reduce("std", x))


def _extent(x: ndarray) -> float:
    return float(_native.reduce("max", x)) - float(_native.reduce("min", x))


def _quartile_range(x: ndarray) -> float:
    upper, lower = percentile(x, [75, 25]).to_numpy().tolist()
    return upper - lower


def _sturges(x: ndarray) -> float:
    return _extent(x) / (math.log2(x.size) + 1.0)


def _freedman_diaconis(x: ndarray) -> float:
    return 2.0 * _quartile_range(x) * x.size ** (-1.0 / 3.0)


def _automatic(x: ndarray) -> float:
    """Return the width of Freedman and Diaconis, or of Sturges if that is narrower or all there is.

    Half the width of the square root is the least, so that a few far elements do not make millions.
    """
    narrow, wide = _freedman_diaconis(x), _sturges(x)
    if not narrow:
        return wide
    return min(max(narrow, _square_root(x) / 2.0), wide)


def _square_root(x: ndarray) -> float:
    return _extent(x) / math.sqrt(x.size)


def _scott(x: ndarray) -> float:
    return (24.0 * math.sqrt(math.pi) / x.size) ** (1.0 / 3.0) * _deviation(x)


def _rice(x: ndarray) -> float:
    return _extent(x) / (2.0 * x.size ** (1.0 / 3.0))


def _doane(x: ndarray) -> float:
    if x.size <= 2:
        return 0.0
    spread = math.sqrt(6.0 * (x.size - 2.0) / ((x.size + 1.0) * (x.size + 3.0)))
    deviation = _deviation(x)
    if deviation <= 0.0:
        return 0.0
    scaled = (x - _native.reduce("mean", x)) / deviation
    skewness = float(_native.reduce("mean", scaled * scaled * scaled))
    return _extent(x) / (1.0 + math.log2(x.size) + math.log2(1.0 + abs(skewness) / spread))


def _stone(x: ndarray) -> float:
    """Return the width whose histogram is estimated to be nearest to the distribution."""
    from situ._counting import histogram

    extent = _extent(x)
    if x.size <= 1 or extent == 0:
        return 0.0

    def risk(count: int) -> float:
        width = extent / count
        shares = histogram(x, count)[0].to_numpy() / x.size
        return (2 - (x.size + 1) * float(shares.dot(shares))) / width

    most = max(100, math.isqrt(x.size))
    return extent / min(range(1, most + 1), key=risk)


_RULES: Mapping[str, Callable[[ndarray], float]] = {
    "auto": _automatic,
    "doane": _doane,
    "fd": _freedman_diaconis,
    "rice": _rice,
    "scott": _scott,
    "sqrt": _square_root,
    "stone": _stone,
    "sturges": _sturges,
}


def count_bins(x: ndarray, rule: str, low: float, high: float, *, are_weighted: bool) -> int:
    """Return how many bins a rule makes of the elements between two limits.

    Parameters
    ----------
    x
        An array of one dimension.
    rule
        Its name.
    low, high
        Where the bins begin and end.
    are_weighted
        Whether the elements have weights, which no rule takes.
    """
    if rule not in _RULES:
        msg = (
            f"`histogram` has no rule {rule!r}\n"
            f"  why:  the rules are {', '.join(_RULES)}\n"
            "  help: give one of them, how many bins there are, or their limits"
        )
        raise ValueError(msg)
    if are_weighted:
        msg = (
            f"the rule {rule!r} does not take weights\n"
            "  why:  it estimates from the elements how they are distributed\n"
            "  help: say how many bins there are, or give their limits"
        )
        raise TypeError(msg)
    inside = x[(x >= low) & (x <= high)] if x.size else x
    if inside.size == 0:
        return 1
    if inside.dtype.kind not in "f":
        inside = _native.bring(inside, dtype=_native.default_float(device=inside))
    width = _RULES[rule](inside)
    if x.dtype.kind in "iu" and 0 < width < 1:
        # Narrower bins of integers are empty.
        width = 1.0
    return int(np.ceil((high - low) / width)) if width else 1
