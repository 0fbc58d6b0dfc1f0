"""Loops over tuples, which are written out round by round, and loops that go backwards."""

import numpy as np
import pytest
from places import driver_devices

import situ

PRIMES = (2, 3, 5)
SPEEDS = (0.5, 1.5, 2.5, 3.5)


@pytest.fixture(params=["native", "reference", *driver_devices()])
def place(request):
    return request.param


def items(i):
    total = 0.0
    for weight in (1, 2.5, i):
        total = 2.0 * total + weight
    for prime in PRIMES:
        total = 2.0 * total + prime
    return total


def numbered(i):
    total = 0.0
    for k, prime in enumerate(PRIMES):
        total = 2.0 * total + k * prime
    for k, prime in enumerate(PRIMES, start=i):
        total = 2.0 * total + k * prime
    return total


def together(i):
    total = 0.0
    for prime, speed in zip(PRIMES, SPEEDS):  # noqa: B905 - Numba has no `strict`
        total = 2.0 * total + prime * speed
    for k, (prime, n) in enumerate(zip(PRIMES, range(7, 9))):  # noqa: B905
        total = 2.0 * total + k * prime * n + i
    return total


def jumps(i):
    total = 0.0
    for k, prime in enumerate(PRIMES):
        if k == i:
            continue
        for speed in SPEEDS:
            if speed > i:
                break
            total = 2.0 * total + speed * prime
        if total > 40.0:
            break
        total += 0.25
    return total


def leaves(i):
    for k, prime in enumerate(PRIMES):
        if prime > i:
            return k
    return -1


def last_of_all(i):
    prime = i
    for prime in PRIMES:  # noqa: B007
        pass
    return prime


def backwards(i):
    total = 0.0
    for prime in reversed(PRIMES):
        total = 2.0 * total + prime
    for speed, n in zip(reversed(SPEEDS), reversed(range(4))):  # noqa: B905
        total = 2.0 * total + n * speed + i
    return total


def backwards_by_constants(i):
    total = 0.0
    for n in reversed(range(4)):
        total = 2.0 * total + n
    for n in reversed(range(3, 11, 3)):
        total = 2.0 * total + n
    for n in reversed(range(11, 3, -3)):
        total = 2.0 * total + n
    for n in reversed(range(3, 3)):
        total = 100.0 * total + n
    for n in reversed(range(3, -3)):
        total = 100.0 * total + n
    for n in reversed(range(i, 6, 2)):
        total = 2.0 * total + n
    for n in reversed(range(6, i, -4)):
        total = 2.0 * total + n
    return total


def backwards_by_variables(i):
    total = 0.0
    step = i - 3
    if step != 0:
        for n in reversed(range(i, i + 5 * step, step)):
            total = 2.0 * total + n
        for n in reversed(range(i, i - 5 * step, step)):
            total = 100.0 * total + n
        for n in reversed(range(1, 14, step)):
            if n == 7:
                continue
            if n == 4:
                break
            total = 2.0 * total + n
    return total


FUNCTIONS = [
    items,
    numbered,
    together,
    jumps,
    leaves,
    last_of_all,
    backwards,
    backwards_by_constants,
    backwards_by_variables,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_loops_are_those_of_python(function, place):
    compiled = situ.device_func(function)

    @situ.kernel
    def kernel(out):
        i = situ.get_global_id(0)
        out[i] = compiled(i)

    out = situ.zeros(7, dtype="float32", device=place)
    kernel[7](out)
    expected = np.asarray([function(i) for i in range(7)], np.float32)
    np.testing.assert_allclose(out.to_numpy(), expected, rtol=1e-6)


def test_items_may_be_arrays_and_functions(place):
    @situ.kernel
    def kernel(a, b, m, out):
        i = situ.get_global_id(0)
        total = 0.0
        for x, factor in ((a, 1), (b, 10)):
            total += x[i] * factor
        for row in (m[0], b, m[1]):
            total = 2 * total + row[i]
        for f, dtype in ((lambda x: x + 1, situ.float32), (lambda x: x * 2, situ.int32)):
            total += f(dtype(total))
        for n in m.shape:
            total += n
        out[i] = total

    a, b = np.arange(3, dtype=np.float32), np.arange(3, 6, dtype=np.int32)
    m = np.arange(6, dtype=np.float32).reshape(2, 3)
    out = situ.zeros(3, dtype="float32", device=place)
    kernel[3](*(situ.asarray(each, device=place) for each in (a, b, m)), out)
    total = ((a + 10 * b) * 2 + m[0]) * 2 + b
    total = total * 2 + m[1]
    total = total + total + 1
    total = total + np.int32(total) * 2
    np.testing.assert_array_equal(out.to_numpy(), total + 5)


def test_items_are_computed_once():
    @situ.kernel
    def kernel(out):
        x = 1
        for y in (x, x + 1, x + 2):
            x = x * 10 + y
        out[0] = x

    out = situ.zeros(1, dtype="int64", device="native")
    kernel[1](out)
    assert out.to_numpy()[0] == 1123


def test_each_round_says_its_own(capfd):
    @situ.kernel
    def kernel(a, b):
        for name, x in enumerate((a, b)):
            print(name, x[0])

    a, b = situ.asarray(np.float32([0.5])), situ.asarray(np.int16([7]))
    kernel[1](a, b)
    a.queue.wait()
    assert capfd.readouterr().out == "0 0.5\n1 7\n"


def test_each_round_has_its_own_private_array():
    @situ.kernel
    def kernel(out):
        wide = 300
        for k, dtype in enumerate((situ.int8, situ.int32)):
            own = situ.private.array(1, dtype)
            own[0] = wide
            out[k] = own[0]

    out = situ.zeros(2, dtype="int64", device="native")
    kernel[1](out)
    assert out.to_numpy().tolist() == [300 - 256, 300]


def test_barriers_in_rounds(place):
    @situ.kernel
    def kernel(x, out):
        i, j = situ.get_global_id(0), situ.get_local_id(0)
        shared = situ.local.array(4, situ.float32)
        total = situ.float32(0)
        for shift in (1, 2, 3):
            shared[j] = x[i] * shift
            situ.barrier()
            total += shared[(j + shift) % 4]
            situ.barrier()
        out[i] = total

    values = np.arange(8, dtype=np.float32)
    out = situ.zeros(8, dtype="float32", device=place)
    kernel[(8,), (4,)](situ.asarray(values, device=place), out)
    groups = values.reshape(2, 4)
    expected = sum(shift * np.roll(groups, -shift, 1) for shift in (1, 2, 3))
    np.testing.assert_array_equal(out.to_numpy(), expected.ravel())


def refusal(kernel, *arguments):
    with pytest.raises(situ.exceptions.KernelError) as caught:
        kernel[1](*arguments)
    text = str(caught.value)
    assert "= why:" in text, text
    assert "= help:" in text, text
    return text


def test_what_differs_in_each_round_ends_with_the_loop():
    @situ.kernel
    def kernel(a, b):
        for x in (a, b):
            x[0] = 1
        x[0] = 2

    a, b = situ.zeros(1), situ.zeros(1)
    text = refusal(kernel, a, b)
    assert "`x` has no meaning after its loop" in text


def test_arrays_are_looped_over_by_index():
    @situ.kernel
    def kernel(a):
        for k, x in enumerate(a):
            a[k] = x

    assert "loop over its indices" in refusal(kernel, situ.zeros(3))


def test_long_loops_are_not_written_out():
    many = tuple(range(2000))

    @situ.kernel
    def kernel(a):
        for k in many:
            a[k] = k

    assert "2000 times" in refusal(kernel, situ.zeros(2000))


def test_names_of_the_user_win():
    @situ.device_func
    def zip(a, b):
        return a + b, a * b

    @situ.kernel
    def kernel(out):
        for k in zip(3, 5):
            out[0] = out[0] * 100 + k

    out = situ.zeros(1, dtype="int64", device="native")
    kernel[1](out)
    assert out.to_numpy()[0] == 815
