"""Make the reference values that the complex formulas of situ-ir are tested against.

Accuracy tables (``float32.txt``, ``float64.txt``): points where complex functions are hard, and the
correctly rounded results by mpmath. Special values (``special.txt``): all pairs of zeros,
infinities, NaN and points on the branch cuts, and the results of NumPy, which are those of C's
Annex G; of the array API where that says something else.

Run it in an environment that has numpy and mpmath::

    python tools/make_complex_reference.py crates/situ-ir/src/transform/complex_math/reference
"""

import itertools
import math
import random
import struct
import sys
from pathlib import Path

import mpmath
import numpy as np

FUNCTIONS = [
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "log",
    "sqrt",
    "expm1",
    "log1p",
    "log2",
    "log10",
]
GROWING = {"sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "expm1"}
NUMPY_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"} | {
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
}


class Format:
    """A binary floating-point format of IEEE 754."""

    def __init__(self, name: str, code: str, bits: str, precision: int, smallest: int) -> None:
        self.name, self.code, self.bits = name, code, bits
        self.precision, self.smallest = precision, smallest

    def round(self, value: mpmath.mpf) -> float:
        """Round once to nearest even, also where numbers are subnormal."""
        if value == 0:
            return 0.0
        _, exponent = mpmath.frexp(value)
        unit = mpmath.ldexp(1, max(int(exponent) - self.precision, self.smallest))
        rounded = mpmath.nint(value / unit) * unit
        # Every format's numbers are exact as float64; what is out of range becomes infinite.
        try:
            return struct.unpack(self.code, struct.pack(self.code, float(rounded)))[0]
        except OverflowError:
            return math.copysign(math.inf, value)

    def nearest(self, value: float) -> float:
        """Round a float64 to this format."""
        return self.round(mpmath.mpf(value))

    def hex(self, value: float) -> str:
        """Write the bits of a number."""
        (bits,) = struct.unpack(self.bits, struct.pack(self.code, value))
        return f"{bits:0{struct.calcsize(self.code) * 2}x}"


SINGLE = Format("float32", "<f", "<I", 24, -149)
DOUBLE = Format("float64", "<d", "<Q", 53, -1074)


def sign() -> float:
    """Draw plus or minus one."""
    return random.choice((-1.0, 1.0))


def magnitude(low: float, high: float) -> float:
    """Draw a number whose logarithm is uniform, with either sign."""
    return sign() * 10.0 ** random.uniform(low, high)


def points(form: Format, function: str) -> list[tuple[float, float]]:
    """Draw arguments where the function is easy, and where it is hard."""
    wide = (-300, 300) if form is DOUBLE else (-37, 37)
    tiny = (-16, -1) if form is DOUBLE else (-8, -1)
    result = [(random.uniform(-5, 5), random.uniform(-5, 5)) for _ in range(25)]
    if function in GROWING:
        limit = 709.0 if form is DOUBLE else 88.0
        along, across = (1, 0) if function in {"sin", "cos", "tan"} else (0, 1)
        for _ in range(25):
            point = [0.0, 0.0]
            point[along] = sign() * random.choice(
                (
                    limit * random.uniform(0.97, 1.03),
                    random.uniform(0, limit),
                    10 ** random.uniform(*tiny),
                )
            )
            point[across] = magnitude(tiny[0], 5)
            result.append((point[0], point[1]))
        # Near the poles of the tangents and the zeros of sines and cosines.
        for quarter in range(-4, 5):
            point = [0.0, 0.0]
            point[across] = quarter * math.pi / 2 + magnitude(*tiny)
            point[along] = magnitude(*tiny)
            result.append((point[0], point[1]))
    else:
        result += [(magnitude(*wide), magnitude(*wide)) for _ in range(20)]
        for _ in range(20):
            angle, distance = random.uniform(0, 2 * math.pi), 1 + magnitude(*tiny)
            result.append((math.cos(angle) * distance, math.sin(angle) * distance))
        # Where both squares are about a half, their sum and 1 cancel.
        for quadrant in range(12):
            angle, distance = (
                (quadrant + 0.5) * math.pi / 2 + random.gauss(0, 0.05),
                random.gauss(1, 0.03),
            )
            result.append((math.cos(angle) * distance, math.sin(angle) * distance))
        for _ in range(20):
            near, small = (
                sign() * (1 + magnitude(*tiny)),
                magnitude(*random.choice((tiny, (wide[0], -1)))),
            )
            result.append(random.choice(((near, small), (small, near))))
        result += [(sign(), magnitude(wide[0], -1)) for _ in range(4)]
        result += [(magnitude(wide[0], -1), sign()) for _ in range(4)]
        result += [(-1e8, 1e-10), (-1e8, 1e8), (1e-3, -1e8), (3e-5, 4e-5), (0.6, 0.8), (-0.8, 0.6)]
        edge = [
            form.round(mpmath.ldexp(1, e)) for e in (form.smallest, form.smallest + form.precision)
        ]
        largest = 1.7e308 if form is DOUBLE else 3.4e38
        result += [
            (x, y) for x in (edge[0], edge[1], largest) for y in (edge[0], -edge[1], largest)
        ]
    return [(form.nearest(x), form.nearest(y)) for x, y in result]


def exactly(function: str, x: float, y: float) -> mpmath.mpc:
    """Compute a function with far more digits than a float has."""
    point = mpmath.mpc(x, y)
    if function == "log2":
        return mpmath.log(point) / mpmath.log(2)
    return getattr(mpmath, function)(point)


def accuracy_rows(form: Format) -> list[str]:
    """Write one line for each function and point."""
    rows = []
    for function in FUNCTIONS:
        # Each function has its own points, so that a new one changes no other.
        random.seed(f"{form.name} {function}")
        for x, y in points(form, function):
            value = exactly(function, x, y)
            numbers = (x, y, form.round(value.real), form.round(value.imag))
            rows.append(" ".join([function, *map(form.hex, numbers)]))
    random.seed(f"{form.name} pow")
    for _ in range(80):
        base = [form.nearest(magnitude(-3, 3)) for _ in range(2)]
        exponent = [form.nearest(random.uniform(-6, 6)) for _ in range(2)]
        if random.random() < 0.4:
            exponent = [float(random.randint(-12, 12)), 0.0]
        value = mpmath.power(mpmath.mpc(*base), mpmath.mpc(*exponent))
        numbers = (*base, *exponent, form.round(value.real), form.round(value.imag))
        rows.append(" ".join(["pow", *map(form.hex, numbers)]))
    return rows


def special_expm1(x: float, y: float) -> complex:
    """Compute ``exp(z) - 1`` with the special values of the array API; NumPy has others."""
    if math.isfinite(x) and math.isfinite(y):
        value = exactly("expm1", x, y)
        imag = DOUBLE.round(value.imag)
        return complex(DOUBLE.round(value.real), math.copysign(imag, y) if imag == 0 else imag)
    value = np.exp(np.complex128(complex(x, y)))
    return complex(value.real - 1, value.imag)


def special_tanh(x: float, y: float) -> complex:
    """Compute ``tanh(z)``, at infinity with the zero of the array API; C's has other signs."""
    value = complex(np.tanh(np.complex128(complex(x, y))))
    if math.isinf(x) and math.isfinite(y):
        return complex(value.real, math.copysign(0.0, y))
    return value


def special_tan(x: float, y: float) -> complex:
    """Compute ``tan(z)`` by turning the plane."""
    value = special_tanh(y, x)
    return complex(value.imag, value.real)


OF_THE_ARRAY_API = {"expm1": special_expm1, "tan": special_tan, "tanh": special_tanh}


def special_rows() -> list[str]:
    """Ask NumPy about every pair of special values, unless the array API has an answer."""
    values = (0.0, -0.0, 0.5, -0.5, 2.0, -2.0, math.inf, -math.inf, math.nan)
    rows = []
    with np.errstate(all="ignore"):
        for function in FUNCTIONS:
            of_numpy = getattr(np, NUMPY_NAMES.get(function, function))
            of_the_array_api = OF_THE_ARRAY_API.get(function)
            for x, y in itertools.product(values, values):
                if of_the_array_api is None:
                    value = of_numpy(np.complex128(complex(x, y)))
                else:
                    value = of_the_array_api(x, y)
                numbers = (x, y, float(value.real), float(value.imag))
                rows.append(" ".join([function, *map(DOUBLE.hex, numbers)]))
    return rows


def main() -> None:
    """Write the three files."""
    folder = Path(sys.argv[1])
    mpmath.mp.prec = 2600
    for form in (SINGLE, DOUBLE):
        (folder / f"{form.name}.txt").write_text("\n".join(accuracy_rows(form)) + "\n")
    (folder / "special.txt").write_text("\n".join(special_rows()) + "\n")


if __name__ == "__main__":
    main()
