"""How fast programs should be, by style: the one table of bars.

A bar is a promise that is reported on, not a test: a slow or busy machine is no bug.
"""

from dataclasses import dataclass

from situ._bench._bars import Bar


@dataclass(frozen=True)
class StyleBars:
    """What the geometric mean of all programs should be, and each of them."""

    mean: Bar
    least: Bar | None = None
    is_information: bool = False


# Another library's time over situ's, by style and library.
BARS: dict[tuple[str, str], StyleBars] = {
    ("njit", "numba"): StyleBars(Bar(1.2), Bar(0.7)),
    ("njit", "numpy"): StyleBars(Bar(3.5), Bar(0.9)),
    ("parallel", "numba"): StyleBars(Bar(1.1), Bar(0.7)),
    ("parallel", "numpy"): StyleBars(Bar(3.5), Bar(0.9)),
    ("array", "numpy"): StyleBars(Bar(1.5), is_information=True),
}
