"""Every ufunc of NumPy that makes sense on numbers, in kernels: values and dtypes are NumPy's.

One kernel for each dtype holds all of them, since a driver takes its time for each kernel.
"""

import importlib.util
import math

import numpy as np
import pytest
from places import driver_devices

import situ

# Of arrays, or of dtypes that situ has not.
NOT_OF_NUMBERS = {"isnat", "matmul", "matvec", "vecdot", "vecmat"}
# Complex numbers have no order in Python; situ's array functions refuse them as well.
ORDER = {"fmax", "fmin", "greater", "greater_equal", "less", "less_equal", "maximum", "minimum"}
OTHERS = ["angle", "fix", "imag", "isclose", "iscomplex", "isneginf", "isposinf", "isreal"]
OTHERS += ["nan_to_num", "real", "sinc"]
UFUNCS = [name for name in dir(np) if isinstance(getattr(np, name), np.ufunc)]
NAMES = [name for name in UFUNCS if name not in NOT_OF_NUMBERS] + OTHERS

VALUES = {
    "i": ([-7, 3, 1, 5, -1, 100], [2, 3, 4, 1, 3, 2]),
    "u": ([7, 3, 1, 5, 2, 100], [2, 3, 4, 1, 3, 2]),
    "f": (
        [-2.5, 0.5, 0.0, 3.5, -0.0, math.inf, math.nan, 1.25, -1.5, 2.5],
        [2.0, 0.25, 1.0, 0.0, 2.0, 1.0, 1.0, -3.0, 2.5, math.nan],
    ),
    "c": ([1 + 2j, 0.5, 0, -1 - 1j, 2.5j], [2 - 1j, 0.5, 1, 1j, 2]),
}
EXPONENTS = [2, 3, -1, 0, 1, 2, 3, 4, -5, 6]


def operands(name, dtype):
    first, second = (np.array(values, dtype) for values in VALUES[np.dtype(dtype).kind])
    if name == "ldexp":
        second = np.array(EXPONENTS[: first.size], np.int32)
    function = getattr(np, name)
    count = function.nin if isinstance(function, np.ufunc) else 1 + (name == "isclose")
    return [first, second][:count]


def expected(name, dtype):
    """Return what NumPy gives: a tuple of arrays, or None if it refuses."""
    arguments = operands(name, dtype)
    with np.errstate(all="ignore"):
        try:
            results = getattr(np, name)(*arguments)
        except (TypeError, ValueError):  # of this dtype, or of these numbers
            return None
        results = results if isinstance(results, tuple) else (results,)
        is_integer = arguments[0].dtype.kind in "iu"
        if is_integer and any(each.dtype.kind == "f" for each in results):
            # NumPy computes small integers in small floats; kernels take the default float for all.
            wide = [arguments[0].astype(float), *arguments[1:]]
            if name != "ldexp":
                wide = [each.astype(float) for each in wide]
            results = getattr(np, name)(*wide)
    return results if isinstance(results, tuple) else (results,)


class Kernel:
    """A kernel of all functions that take a dtype, made from its text."""

    def __init__(self, module, dtype, directory):
        refused = ORDER if np.dtype(dtype).kind == "c" else set()
        names = [name for name in NAMES if name not in refused and hasattr(module, name)]
        wanted = {name: expected(name, dtype) for name in names}
        self.wanted = {name: each for name, each in wanted.items() if each is not None}
        parameters = ["x", "y", "n", "wrong"]
        lines = ["    i = situ.get_global_id(0)"]
        self.outputs = []
        for name, results in self.wanted.items():
            arguments = ["x[i]", "n[i]" if name == "ldexp" else "y[i]"]
            call = f"f.{name}({', '.join(arguments[: len(operands(name, dtype))])})"
            lines.append(f"    {name}_ = {call}")
            for position, result in enumerate(results):
                output = f"{name}_{position}"
                part = f"{name}_[{position}]" if len(results) > 1 else f"{name}_"
                number = len(self.outputs)
                self.outputs.append((output, result))
                parameters.append(output)
                lines.append(f"    {output}_ = {part}")
                lines.append(f"    {output}[i] = {output}_")
                lines.append(f"    if {output}_.dtype != np.{result.dtype.name}:")
                lines.append(f"        wrong[i, {number}] = 1")
        text = f"import numpy as np\nimport situ\nimport {module.__name__} as f\n\n\n"
        text += f"@situ.kernel\ndef every({', '.join(parameters)}):\n" + "\n".join(lines) + "\n"
        path = directory / f"every_{module.__name__}_{dtype}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        self.kernel = loaded.every

    def check(self, dtype, device):
        """Compare what it gives on a device with NumPy."""
        first, second = operands("add", dtype)
        exponents = np.array(EXPONENTS[: first.size], np.int32)
        wrong = situ.zeros((first.size, len(self.outputs)), dtype="int32", device=device)
        outputs = [
            situ.asarray(np.zeros(first.size, result.dtype), device=device)
            for _, result in self.outputs
        ]
        inputs = [situ.asarray(each, device=device) for each in (first, second, exponents)]
        self.kernel[first.size](*inputs, wrong, *outputs)
        mistaken = np.flatnonzero(wrong.to_numpy()[0])
        assert [self.outputs[each][0] for each in mistaken] == []
        tolerance = 1e-5 if np.dtype(dtype).name in ("float32", "complex64") else 1e-13
        for output, (name, result) in zip(outputs, self.outputs, strict=True):
            np.testing.assert_allclose(
                output.to_numpy(), result, rtol=tolerance, atol=tolerance, err_msg=name
            )


DTYPES = ["int8", "int32", "int64", "uint8", "uint64", "float32", "float64", "complex64"]
DTYPES += ["complex128"]


@pytest.mark.parametrize("place", ["native", "reference"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_ufuncs_of_numpy(dtype, place, tmp_path):
    kernel = Kernel(np, dtype, tmp_path)
    assert len(kernel.wanted) > 50
    kernel.check(dtype, place)


@pytest.mark.parametrize("place", driver_devices())
@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_ufuncs_of_numpy_on_drivers(dtype, place, tmp_path):
    Kernel(np, dtype, tmp_path).check(dtype, place)


@pytest.mark.parametrize("dtype", ["int64", "float64", "complex128"])
def test_the_same_names_of_situ(dtype, tmp_path):
    kernel = Kernel(situ, dtype, tmp_path)
    assert len(kernel.wanted) > 50
    kernel.check(dtype, "native")


@pytest.mark.parametrize("name", sorted(ORDER))
def test_complex_numbers_have_no_order(name, tmp_path):
    path = tmp_path / f"order_{name}.py"
    path.write_text(
        "import numpy as np\nimport situ\n\n"
        f"@situ.kernel\ndef ordered(x):\n    x[0] = np.{name}(x[0], x[1])\n"
    )
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    with pytest.raises(situ.KernelTypeError, match="complex numbers have no order"):
        loaded.ordered[1](situ.zeros(2, dtype="complex64"))


def test_min_and_max_refuse_complex_numbers_as_python_does():
    @situ.kernel
    def smallest(x):
        x[0] = min(x[0], x[1])

    @situ.kernel
    def largest(x):
        x[0] = max(x[0], 2.0, x[1])

    x = situ.zeros(2, dtype="complex128")
    for kernel, name, symbol in ((smallest, "min", "<"), (largest, "max", ">")):
        with pytest.raises(situ.KernelTypeError) as caught:
            kernel[1](x)
        message = str(caught.value)
        assert f"`{name}` does not take complex numbers" in message
        expected = f"'{symbol}' is not supported between instances of 'complex' and 'complex'"
        assert expected in message
        assert f"`{name}(abs(z), abs(w))`" in message


@situ.kernel
def of_floats_only(x):
    x[0] = np.gcd(x[0], x[1])


def test_functions_of_integers_refuse_floats():
    with pytest.raises(situ.KernelTypeError, match="bits and shifts are those of integers"):
        of_floats_only[1](situ.zeros(2))


def test_directions_of_infinite_numbers(device):
    @situ.kernel
    def directions(x):
        i = situ.get_global_id(0)
        x[i] = np.sign(x[i])

    inf, nan = math.inf, math.nan
    values = [complex(inf, 1), complex(2, -inf), complex(inf, inf), complex(nan, 1), 0j, 3 + 4j]
    values = np.array(values)
    x = situ.asarray(values, device=device)
    directions(x)
    np.testing.assert_allclose(x.to_numpy(), np.sign(values), rtol=1e-15)
