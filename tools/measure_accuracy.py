"""Measure how far elementary functions are from the truth, for the table of docs/accuracy.md.

A function is computed by situ on a device and by NumPy in the next wider float: ``float64`` for
``float16`` and ``float32``, the machine's extended precision for ``float64``. The error is counted
in units in the last place (ulp) of the exact result. All ``float16`` numbers are tried, every so
many ``float32`` numbers, and of ``float64`` some numbers of each exponent; beside them what lies
around the points where implementations change their ways.

    python tools/measure_accuracy.py                # print the table
    python tools/measure_accuracy.py --write        # and put it into docs/accuracy.md
    python tools/measure_accuracy.py --device gpu   # of another device
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import situ

Numbers = npt.NDArray[Any]

PAGE = Path(__file__).parent.parent / "docs" / "accuracy.md"
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"
LIMIT = 4.0

# NumPy's name for each function, if it has another one.
UNARY = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atanh": "arctanh",
    "cbrt": "cbrt",
    "cos": "cos",
    "cosh": "cosh",
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
    "log": "log",
    "log10": "log10",
    "log1p": "log1p",
    "log2": "log2",
    "reciprocal": "reciprocal",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "tan": "tan",
    "tanh": "tanh",
}
BINARY = {
    "atan2": "arctan2",
    "divide": "divide",
    "hypot": "hypot",
    "pow": "power",
}
DTYPES = ("float16", "float32", "float64")
WIDER = {"float16": np.float64, "float32": np.float64, "float64": np.longdouble}

# Where argument reductions and series begin and end.
BRANCH_POINTS = [
    *(
        sign * number
        for sign in (1, -1)
        for number in (0.25, 0.5, 1.0, 2.0, np.e, np.log(2), 0.34, 22)
    ),
    *(sign * k * np.pi / 4 for sign in (1, -1) for k in range(1, 65)),
    *(sign * k * np.log(2) / 2 for sign in (1, -1) for k in range(1, 65)),
    *(
        sign * number
        for sign in (1, -1)
        for number in (88.7, 103.9, 709.7, 745.1, 1023.9, 1e5, 1e22)
    ),
]


def samples(dtype: str, rng: np.random.Generator) -> Numbers:
    """Return numbers of a dtype that are worth a try."""
    bits = {"float16": np.uint16, "float32": np.uint32, "float64": np.uint64}[dtype]
    if dtype == "float16":
        patterns = np.arange(2**16, dtype=bits)
    elif dtype == "float32":
        patterns = np.arange(0, 2**32, 1009, dtype=np.uint64).astype(bits)
    else:
        exponents = np.arange(2**12, dtype=bits)[:, None] << np.uint64(52)
        patterns = (exponents | rng.integers(0, 2**52, (2**12, 128), dtype=bits)).ravel()
    numbers = patterns.view(dtype)
    with np.errstate(over="ignore"):
        points = np.asarray(BRANCH_POINTS, dtype)
    steps = points.view(bits)[:, None] + np.arange(-64, 65).astype(bits)
    return np.concatenate([numbers, steps.ravel().view(dtype)])


def worst_ulp(found: Numbers, exact: Numbers) -> float:
    """Return the largest error, in units in the last place of the results."""
    dtype = found.dtype
    limits = np.finfo(dtype)
    with np.errstate(all="ignore"):
        rounded = exact.astype(dtype)
        is_known = np.isfinite(rounded) & np.isfinite(found)
        if not (np.isnan(found) == np.isnan(exact)).all():
            return np.inf
        # An overflow must be one in both, but at the edge either is as good.
        is_far = np.isfinite(rounded) != np.isfinite(found)
        is_far &= ~np.isnan(exact) & (np.abs(exact) < limits.max) & ~np.isfinite(found)
        if is_far.any():
            return np.inf
        spacing = np.spacing(np.abs(rounded[is_known])).astype(exact.dtype)
        errors = np.abs(found[is_known].astype(exact.dtype) - exact[is_known]) / spacing
    return float(errors.max(initial=0))


def measure(name: str, numpy_name: str, operands: list[Numbers], device: str) -> float:
    """Return the worst error of a function for operands of one dtype."""
    wide = WIDER[operands[0].dtype.name]
    with np.errstate(all="ignore"):
        exact = getattr(np, numpy_name)(*[operand.astype(wide) for operand in operands])
    arrays = [situ.asarray(operand, device=device) for operand in operands]
    return worst_ulp(getattr(situ, name)(*arrays).to_numpy(), exact)


def pairs(numbers: Numbers, rng: np.random.Generator) -> tuple[Numbers, Numbers]:
    """Return operands for functions of two: any two, and two of about the same size."""
    first, second = rng.permutation(numbers), rng.permutation(numbers)
    with np.errstate(all="ignore"):
        close = first * rng.uniform(0.5, 2, first.shape).astype(first.dtype)
    # Powers are worth a look where they do not overflow.
    small = rng.uniform(-8, 8, first.shape).astype(first.dtype)
    return np.concatenate([first, first, np.abs(first)]), np.concatenate([second, close, small])


def table(device: str) -> tuple[list[str], bool]:
    """Return the table's lines, and whether everything is good enough."""
    rng = np.random.default_rng(20251)
    names = sorted({*UNARY, *BINARY})
    errors: dict[str, dict[str, float]] = {name: {} for name in names}
    for dtype in DTYPES:
        numbers = samples(dtype, rng)
        both = pairs(numbers[: 2**20], rng)
        for name in names:
            is_unary = name in UNARY
            operands = [numbers] if is_unary else list(both)
            numpy_name = UNARY[name] if is_unary else BINARY[name]
            errors[name][dtype] = measure(name, numpy_name, operands, device)
    lines = ["| function | float16 | float32 | float64 |", "|---|---|---|---|"]
    for name in names:
        cells = " | ".join(f"{errors[name][dtype]:.2f}" for dtype in DTYPES)
        lines.append(f"| `{name}` | {cells} |")
    return lines, all(error <= LIMIT for row in errors.values() for error in row.values())


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="native:cpu", help="where to compute")
    parser.add_argument("--write", action="store_true", help="put the table into docs/accuracy.md")
    options = parser.parse_args()
    lines, is_good = table(options.device)
    print("\n".join(lines))
    if options.write:
        page = PAGE.read_text()
        before, rest = page.split(BEGIN)
        _, after = rest.split(END)
        PAGE.write_text("\n".join([before + BEGIN, "", *lines, "", END + after]))
    if not is_good:
        sys.exit(f"an error is larger than {LIMIT} ulp")


if __name__ == "__main__":
    main()
