"""Expressions in kernels have the values NumPy gives to the same text on NumPy scalars."""

import importlib.util
import math
import warnings

import numpy as np
import pytest

import situ

BINARY = ["+", "-", "*", "/", "//", "%", "==", "!=", "<", "<=", ">", ">="]
BITWISE = ["&", "|", "^"]
INTEGERS = ["int8", "uint8", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float32", "float64"]
VALUES = {
    "int8": [-7, 3, 2],
    "int32": [-70000, 3, 11],
    "int64": [-(2**40), 5, 3],
    "uint8": [200, 7, 3],
    "uint32": [4000000000, 9, 2],
    "uint64": [2**40 + 1, 10, 4],
    "float32": [-2.75, 0.1, 3.0],
    "float64": [-1e10, 0.1, 2.5],
}
PLAIN = ["x + 1", "x * 2", "2 * x", "x - 1", "x / 2", "x // 2", "x % 3", "-x", "abs(x)", "x ** 2"]
PLAIN += ["x > 0", "0 < x <= 3", "x * 0.5", "0.5 + x", "min(x, 2)", "max(x, 1)", "not x"]
PLAIN += ["x and 5", "x or 5", "3 if x > 1 else x", "np.minimum(x, 2)", "np.maximum(x, 2)"]
PLAIN += [
    "np.sign(x)",
    "np.where(x > 1, x, 0)",
    "np.square(x)",
    "np.float32(x)",
    "np.float64(x) / 3",
]
MATH = [
    "sin",
    "cos",
    "exp",
    "sqrt",
    "log",
    "floor",
    "ceil",
    "trunc",
    "tanh",
    "log1p",
    "arctan",
    "cbrt",
]


def kernel_of(folder, expressions, parameters):
    """Write a kernel with an output for each expression to a file, and import it.

    One kernel and not many, because drivers take long to compile one.
    """
    outputs = [f"out_{number}" for number in range(len(expressions))]
    lines = ["import math", "import numpy as np", "import situ", "", "@situ.kernel"]
    lines.append(f"def kernel({', '.join(outputs)}, {parameters}):")
    lines += [f"    {out}[0] = {text}" for out, text in zip(outputs, expressions, strict=True)]
    path = folder / "generated_kernels.py"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("generated_kernels", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def expected(expression, names):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return eval(expression, {"np": np, "math": math, **names})


def run(kernel, dtypes, names, device):
    """Launch a kernel with outputs of these dtypes; return what it wrote to each."""
    outs = [situ.asarray(np.zeros(1, dtype), device=device) for dtype in dtypes]
    kernel[1](*outs, *names.values())
    return [out.to_numpy()[0] for out in outs]


def check(kernel, expressions, names, device):
    """Compare values and, where NumPy has them, dtypes: each output has the expected dtype."""
    values = [expected(expression, names) for expression in expressions]
    found = run(kernel, [np.asarray(value).dtype for value in values], names, device)
    for expression, one, value in zip(expressions, found, values, strict=True):
        np.testing.assert_array_equal(one, value, err_msg=f"{expression} with {names}")


def partners(left, dtypes, device):
    """Return the dtypes that are mixed with one; a few where a driver compiles."""
    return dtypes if device.backend in {"native", "reference"} else {left, "int64", dtypes[-1]}


@pytest.mark.parametrize("left", INTEGERS + FLOATS)
def test_binary_operators_between_dtypes(left, tmp_path, device):
    expressions = [f"x {operator} y" for operator in BINARY]
    kernel = kernel_of(tmp_path, expressions, "x, y")
    for right in partners(left, INTEGERS + FLOATS, device):
        for x in VALUES[left]:
            for y in VALUES[right]:
                names = {"x": np.dtype(left).type(x), "y": np.dtype(right).type(y)}
                check(kernel, expressions, names, device)


@pytest.mark.parametrize("left", INTEGERS)
def test_bitwise_operators_and_shifts(left, tmp_path, device):
    expressions = [f"x {operator} y" for operator in BITWISE] + ["x << 2", "x >> 1", "~x"]
    kernel = kernel_of(tmp_path, expressions, "x, y")
    for right in partners(left, INTEGERS, device):
        if np.result_type(left, right).kind == "f":
            continue
        for x in VALUES[left]:
            for y in VALUES[right]:
                names = {"x": np.dtype(left).type(x), "y": np.dtype(right).type(y)}
                check(kernel, expressions, names, device)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_expressions_with_python_numbers(dtype, tmp_path, device):
    kernel = kernel_of(tmp_path, PLAIN, "x")
    for x in VALUES[dtype]:
        check(kernel, PLAIN, {"x": np.dtype(dtype).type(x)}, device)


@pytest.mark.parametrize("dtype", FLOATS)
def test_functions_of_floats_are_within_four_units(dtype, tmp_path, device):
    kernel = kernel_of(tmp_path, [f"np.{name}(x)" for name in MATH], "x")
    scalar = np.dtype(dtype).type
    for x in (0.1, 0.75, 1.0, 2.5, 30.0):
        found = run(kernel, [dtype] * len(MATH), {"x": scalar(x)}, device)
        for name, one in zip(MATH, found, strict=True):
            value = getattr(np, name)(scalar(x))
            np.testing.assert_array_max_ulp(one, value, maxulp=4, dtype=dtype)
