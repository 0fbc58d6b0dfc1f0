"""Functions inside of and around kernels: closures, tuples as results, functions as arguments."""

import cmath
import enum
import math

import numpy as np
import pytest

import situ


@situ.device_func
def polar(x, y, scale=1):
    radius = math.sqrt(x * x + y * y)
    if radius == 0:
        return 0.0, 0.0
    return radius * scale, math.atan2(y, x)


@situ.device_func
def both(f, pair):
    return f(pair[0]) + f(pair[1])


def same_as_python(kernel, *arguments, range, device):
    """Run a kernel on a device and as plain Python; compare all arrays."""
    sent = [
        situ.asarray(each, device=device) if isinstance(each, np.ndarray) else each
        for each in arguments
    ]
    copies = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
    kernel[range](*sent)
    kernel[range].simulate(*copies)
    results = []
    for found, expected in zip(sent, copies, strict=True):
        if isinstance(found, situ.ndarray):
            np.testing.assert_allclose(found.to_numpy(), expected, rtol=1e-6)
            results.append(found.to_numpy())
    return results


def test_device_functions_return_tuples(device):
    @situ.kernel
    def kernel(x, out):
        i = situ.get_global_id(0)
        radius, angle = polar(x[i], 1.5)
        pair = polar(x[i], y=2.0, scale=3)
        out[i, 0], out[i, 1] = radius, angle
        out[i, 2], out[i, 3] = pair
        out[i, 4] = polar(x[i], 0.0)[1] + polar(0.0, x[i])[0] + len(polar(1.0, 2.0))

    (_, out) = same_as_python(
        kernel, np.linspace(-2, 2, 5), np.zeros((5, 5)), range=5, device=device
    )
    assert out[0, 0] == pytest.approx(2.5)


def test_a_tuple_result_keeps_dtypes_and_runs_once(device):
    @situ.device_func
    def split(a, i):
        situ.atomic.add(a, 1, 1)
        return a[i] // 3, a[i] % 3 == 1

    @situ.kernel
    def kernel(a, out):
        third, rest = split(a, 0)
        out[0] = third
        out[1] = rest + a[1]

    a = situ.asarray(np.array([7, 0], "int32"), device=device)
    out = situ.asarray(np.zeros(2), device=device)
    kernel[1](a, out)
    np.testing.assert_array_equal(out.to_numpy(), [2, 2])
    assert "result_1: private bool*" in kernel.inspect()


def test_tuples_nest_and_travel(device):
    @situ.device_func
    def swap(pair):
        first, second = pair
        return second, first

    @situ.device_func
    def corners(low, size):
        return low, (low + size, size)

    @situ.kernel
    def kernel(out):
        box = corners(1.5, 2)
        low, (high, _size) = box
        turned = swap((low, high))
        out[0], out[1] = turned
        out[2], out[3] = box[1]
        out[4] = out.shape[:1][0] + (1, 2, 3)[1:][0]

    same_as_python(kernel, np.zeros(5), range=1, device=device)


def test_inner_functions_see_the_variables_around_them(device):
    @situ.kernel
    def kernel(x, out):
        i = situ.get_global_id(0)
        factor = 2.0

        def scaled(value):
            return value * factor + out.shape[0]

        @situ.device_func
        def twice(value):
            return scaled(scaled(value)), value

        out[i] = scaled(x[i])
        factor = x[i]
        out[i] += scaled(1) + twice(x[i])[0]
        square = lambda v: v * v  # noqa: E731 - a kernel may contain it
        out[i] += square(factor) + square(3)

    same_as_python(kernel, np.arange(4.0), np.zeros(4), range=4, device=device)


def test_functions_are_passed_to_functions(device):
    @situ.device_func
    def halve(x):
        return x / 2

    @situ.kernel
    def kernel(x, out):
        i = situ.get_global_id(0)
        out[i] = both(halve, (x[i], 3)) + both(math.sqrt, (x[i], 2.0)) + both(abs, (-x[i], 1))

    same_as_python(kernel, np.arange(4.0), np.zeros(4), range=4, device=device)


def test_constants_keep_their_freedom_in_device_functions():
    @situ.device_func
    def scale(x, factor):
        return x * factor

    @situ.kernel
    def kernel(x):
        i = situ.get_global_id(0)
        x[i] = scale(x[i], 2.5)

    kernel(situ.asarray(np.zeros(2, "float32")))
    assert "f64" not in kernel.inspect()


def test_device_functions_of_a_closure_and_of_other_modules(device):
    def make(power):
        @situ.device_func
        def raised(x):
            return x**power

        @situ.kernel
        def kernel(x):
            i = situ.get_global_id(0)
            x[i] = raised(x[i]) + situ.random.bits32(1, i) * 0

        return kernel

    for power in (2, 3):
        same_as_python(make(power), np.arange(4.0), range=4, device=device)


class Mode(enum.IntEnum):
    """What to do."""

    ADD = 3
    MULTIPLY = 4


CHOSEN = Mode.MULTIPLY
KIND = np.dtype("float32")


def test_enum_members_and_dtypes_are_constants(device):
    @situ.kernel
    def kernel(x: np.ndarray, mode: int):
        i: int = situ.get_global_id(0)
        if mode == Mode.ADD:
            x[i] += Mode.ADD
        elif mode == CHOSEN:
            x[i] *= KIND.type(Mode.MULTIPLY)

    (x,) = same_as_python(kernel, np.arange(3.0), Mode.ADD, range=3, device=device)
    np.testing.assert_array_equal(x, [3, 4, 5])
    (x,) = same_as_python(kernel, np.arange(3.0), 4, range=3, device=device)
    np.testing.assert_array_equal(x, [0, 4, 8])


REAL_FUNCTIONS = {
    "gcd": lambda a, b: math.gcd(a, b),
    "lcm": lambda a, b: math.lcm(a, b),
    "comb": lambda a, b: math.comb(a, b),
    "perm": lambda a, b: math.perm(a, b),
    "isqrt": lambda a, b: math.isqrt(a * b),
    "factorial": lambda a, b: math.factorial(a % 20),
}


def test_integer_functions_of_math(device):
    @situ.kernel
    def kernel(pairs, out):
        i = situ.get_global_id(0)
        a, b = pairs[i, 0], pairs[i, 1]
        out[i, 0] = math.gcd(a, b)
        out[i, 1] = math.lcm(a, b)
        out[i, 2] = math.comb(a, b)
        out[i, 3] = math.perm(a, b)
        out[i, 4] = math.isqrt(a * b)
        out[i, 5] = math.factorial(a % 20)

    pairs = np.array([[12, 8], [7, 3], [5, 9], [30, 4], [18, 0], [1, 1]])
    x, out = (situ.asarray(each, device=device) for each in (pairs, np.zeros((6, 6), "int64")))
    kernel[6](x, out)
    expected = [[f(int(a), int(b)) for f in REAL_FUNCTIONS.values()] for a, b in pairs]
    np.testing.assert_array_equal(out.to_numpy(), expected)
    large = situ.asarray(np.array([[3037000499**2, 1], [2**62 - 1, 1]]), device=device)
    roots = situ.asarray(np.zeros((2, 6), "int64"), device=device)

    @situ.kernel
    def isqrt(pairs, out):
        i = situ.get_global_id(0)
        out[i, 0] = math.isqrt(pairs[i, 0])

    isqrt[2](large, roots)
    np.testing.assert_array_equal(roots.to_numpy()[:, 0], [3037000499, math.isqrt(2**62 - 1)])


FLOATS = [0.0, -0.0, 1.5, -2.75, 1e300, 5e-324, -3e-310, 2.0**52 + 1, math.inf, -math.inf, math.nan]


def test_float_functions_of_math(device):
    @situ.kernel
    def kernel(x, out):
        i = situ.get_global_id(0)
        out[i, 0], out[i, 1] = math.modf(x[i])
        out[i, 2], out[i, 3] = math.frexp(x[i])
        out[i, 4] = math.ulp(x[i])
        out[i, 5] = math.isclose(x[i], x[i] * (1 + 1e-10))
        out[i, 6] = math.isclose(x[i], x[i] + 0.1, rel_tol=0.0, abs_tol=0.2)
        out[i, 7] = math.hypot(x[i], 3, 4)

    x = np.array(FLOATS)
    out = situ.asarray(np.zeros((len(x), 8)), device=device)
    kernel[len(x)](situ.asarray(x, device=device), out)
    expected = [
        [
            *math.modf(value),
            *math.frexp(value),
            math.ulp(value),
            math.isclose(value, value * (1 + 1e-10)),
            math.isclose(value, value + 0.1, rel_tol=0.0, abs_tol=0.2),
            math.hypot(value, 3, 4),
        ]
        for value in x.tolist()
    ]
    subnormal = np.abs(x) < 2.3e-308
    keep = ~subnormal if device.filter_string.startswith("opencl") else np.full(len(x), True)
    np.testing.assert_allclose(out.to_numpy()[keep], np.array(expected)[keep], rtol=1e-15)
    signs = np.signbit(out.to_numpy()[:2, :3])
    np.testing.assert_array_equal(signs, np.signbit(np.array(expected)[:2, :3]))


def test_remainder_and_ldexp_of_math(device):
    @situ.kernel
    def kernel(x, y, out):
        i = situ.get_global_id(0)
        out[i, 0] = math.remainder(x[i], y[i])
        out[i, 1] = math.ldexp(x[i], int(y[i]))

    pairs = [(5, 3), (7, 2), (-7, 2), (2.5, 1), (3.5, 1), (-0.0, 4), (1e17, 3), (1, -40), (6, 4)]
    x, y = np.array(pairs, dtype="float64").T.copy()
    out = situ.asarray(np.zeros((len(x), 2)), device=device)
    kernel[len(x)](situ.asarray(x, device=device), situ.asarray(y, device=device), out)
    expected = [[math.remainder(a, b), math.ldexp(a, int(b))] for a, b in pairs]
    np.testing.assert_array_equal(out.to_numpy(), expected)


def test_functions_of_numpy_on_numbers(device):
    @situ.kernel
    def kernel(x, out):
        i = situ.get_global_id(0)
        out[i, 0] = np.logaddexp(x[i], 0.5)
        out[i, 1] = np.logaddexp2(x[i], 0.5)
        out[i, 2] = np.heaviside(x[i], 0.25)
        out[i, 3] = np.float_power(2, x[i])
        out[i, 4] = np.sinc(x[i])
        out[i, 5] = np.bitwise_count(int(8 * x[i]))
        out[i, 6] = np.gcd(int(8 * x[i]), 12)
        out[i, 7], out[i, 8] = np.divmod(x[i], 0.75)
        out[i, 9] = np.spacing(x[i])

    same_as_python(
        kernel, np.array([-2.0, -0.5, 0.0, 0.5, 3.25]), np.zeros((5, 10)), range=5, device=device
    )


def test_complex_numbers_and_cmath(device):
    @situ.kernel
    def kernel(z, w, out):
        i = situ.get_global_id(0)
        w[i, 0] = cmath.sqrt(-2.0) + cmath.exp(z[i])
        w[i, 1] = cmath.log(z[i]) * 1j + cmath.log(z[i], 2)
        w[i, 2] = cmath.rect(2.0, 0.5) / z[i]
        w[i, 3] = cmath.sin(z[i]) ** 2 + cmath.atan(z[i]) - z[i].conjugate()
        out[i, 0] = cmath.phase(z[i])
        out[i, 1], out[i, 2] = cmath.polar(z[i])
        out[i, 3] = abs(z[i]) + z[i].real - z[i].imag
        out[i, 4] = cmath.isclose(z[i], z[i] + 1e-12)
        out[i, 5] = cmath.isfinite(z[i]) and not cmath.isnan(z[i])

    z = np.array([1 + 2j, -0.5j, -3 + 0.25j, 2 + 0j])
    same_as_python(kernel, z, np.zeros((4, 4), complex), np.zeros((4, 6)), range=4, device=device)


def test_bits_of_a_number(device):
    @situ.kernel
    def kernel(x, out):
        i = situ.get_global_id(0)
        out[i] = x[i].view(np.uint32) >> 23
        x[i] = (x[i].view(np.int32) & 0x7FFFFFFF).view(np.float32)

    x, _ = same_as_python(
        kernel, np.array([1.5, -2, 0.1], "float32"), np.zeros(3, "uint32"), range=3, device=device
    )
    np.testing.assert_array_equal(x, np.array([1.5, 2, 0.1], "float32"))


def test_options_of_the_decorators():
    @situ.kernel()
    def kernel(x):
        x[0] = double(x[0])

    @situ.device_func()
    def double(x):
        return 2 * x

    x = situ.asarray(np.ones(1))
    kernel[1](x)
    assert x[0] == 2
    with pytest.raises(situ.KernelTypeError, match="did you mean `wrap_indices`"):
        situ.kernel(wrap_index=True)
    with pytest.raises(situ.KernelTypeError, match="no option `fastmath`"):
        situ.device_func(fastmath=True)
