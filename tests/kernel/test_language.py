"""Parts of Python that kernels have, on every kind of device, against Python and NumPy."""

import linecache

import numpy as np
import pytest
from places import driver_devices

import situ
from situ.kernel_api import AtomicRef, reduce_over_group, this_work_group

PRIMES = (2, 3, 5)


@pytest.fixture(params=["native", "reference", *driver_devices()])
def place(request):
    return request.param


def array(values, place, dtype=None):
    return situ.asarray(np.asarray(values, dtype), device=place)


def test_axes_reversed(place):
    @situ.device_func
    def trace(m):
        total = 0.0
        for k in range(min(m.shape[0], m.shape[1])):
            total += m[k, k] * m.shape[0]
        return total

    @situ.kernel
    def transpose(a, out):
        i, j = situ.get_global_id(0), situ.get_global_id(1)
        flipped = a.T
        out[i, j] = flipped[i, j] + trace(a.T) + a.T.T[j, i]

    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    a, out = array(values, place), array(np.zeros((3, 2), np.float32), place)
    transpose[3, 2](a, out)
    np.testing.assert_array_equal(out.to_numpy(), 2 * values.T + 4 * 3)
    transpose[3, 2](array(np.ascontiguousarray(values.T), place).T, out)
    np.testing.assert_array_equal(out.to_numpy(), 2 * values.T + 4 * 3)


SLICES = [
    np.s_[::-1],
    np.s_[::-2],
    np.s_[3::-1],
    np.s_[:3:-1],
    np.s_[8:1:-3],
    np.s_[-2:-6:-1],
    np.s_[-100::-1],
    np.s_[100:-100:-1],
    np.s_[2:5:-1],
]


@pytest.mark.parametrize("chosen", SLICES, ids=str)
def test_slices_that_count_down(chosen):
    start, stop, step = chosen.start, chosen.stop, chosen.step
    # A slice is syntax, so each form is a kernel of its own.
    namespace = {"situ": situ, "start": start, "stop": stop, "step": step}
    low = "" if start is None else "start"
    high = "" if stop is None else "stop"
    kernel = kernel_from(
        f"""
def kernel(x, out, size):
    part = x[{low}:{high}:step]
    size[0] = len(part)
    for k in range(len(part)):
        out[k] = part[k]
""",
        namespace,
    )
    values = np.arange(7.0)
    x, out, size = array(values, "native"), array(np.zeros(7), "native"), array([0], "native")
    kernel[1](x, out, size)
    expected = values[chosen]
    assert size.to_numpy()[0] == len(expected)
    np.testing.assert_array_equal(out.to_numpy()[: len(expected)], expected)


def test_downwards_on_devices(place):
    @situ.kernel
    def reverse(x, out):
        i = situ.get_global_id(0)
        out[i] = x[::-1][i] + 10 * x[5:0:-2][i % 3]

    values = np.arange(6, dtype=np.float32)
    out = array(np.zeros(6, np.float32), place)
    reverse(array(values, place), out)
    expected = values[::-1] + 10 * np.tile(values[5:0:-2], 2)
    np.testing.assert_array_equal(out.to_numpy(), expected)


def test_membership(place):
    @situ.kernel
    def classify(x, out, n):
        i = situ.get_global_id(0)
        if x[i] in PRIMES:
            out[i] += 1
        if x[i] not in (n, n + 1):
            out[i] += 10
        if x[i] * 0.5 in (0.5, 1.5):
            out[i] += 100

    values = np.arange(6, dtype=np.int32)
    out = array(np.zeros(6, np.int32), place)
    classify(array(values, place), out, 3)
    expected = [
        (v in PRIMES) + 10 * (v not in (3, 4)) + 100 * (v * 0.5 in (0.5, 1.5)) for v in values
    ]
    np.testing.assert_array_equal(out.to_numpy(), expected)


def test_an_item_is_evaluated_once():
    @situ.kernel
    def count(calls, out):
        if situ.atomic.add(calls, 0, 1) in (5, 6, 0):
            out[0] = 1

    calls, out = array([0], "native"), array([0], "native")
    count[1](calls, out)
    assert (calls.to_numpy()[0], out.to_numpy()[0]) == (1, 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("digits", [-2, 0, 1, 3])
def test_rounding_floats(dtype, digits):
    kernel = kernel_from(
        "def kernel(x, out):\n    i = situ.get_global_id(0)\n    out[i] = round(x[i], digits)\n",
        {"situ": situ, "digits": digits},
    )
    rng = np.random.default_rng(5)
    special = [0.0, -0.0, 0.25, 2.675, 150.0, 250.0, np.inf, -np.inf, np.nan, 1e30]
    values = np.concatenate([special, rng.normal(scale=1000, size=100)]).astype(dtype)
    out = array(np.zeros_like(values), "native")
    kernel(array(values, "native"), out)
    np.testing.assert_array_equal(out.to_numpy(), np.round(values, digits))


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64])
def test_rounding_integers(dtype, place):
    @situ.kernel
    def rounded(x, out):
        i = situ.get_global_id(0)
        out[2 * i] = round(x[i], -1)
        out[2 * i + 1] = round(x[i], 2)

    low = 0 if dtype == np.uint16 else -110
    values = np.arange(low, 111, 5).astype(dtype)
    out = array(np.zeros(2 * len(values), np.int64), place)
    rounded[len(values)](array(values, place), out)
    expected = [n for v in values.tolist() for n in (round(v, -1), v)]
    np.testing.assert_array_equal(out.to_numpy(), expected)


def test_digits_must_be_known():
    @situ.kernel
    def kernel(x, n):
        x[0] = round(x[0], n)

    with pytest.raises(situ.KernelError, match="K036"):
        kernel(array([1.5], "native"), 1)


def test_atomics_on_parts(place):
    @situ.kernel
    def count(a, n):
        row = a[1]
        situ.atomic.add(row, 2, 1)
        situ.atomic.add(a.T, (n, 0), 10)
        AtomicRef(a[:, n], 1).fetch_add(100)

    a = array(np.zeros((2, 3), np.int32), place)
    count[4](a, 1)
    np.testing.assert_array_equal(a.to_numpy(), [[0, 40, 0], [0, 400, 4]])


@situ.device_func
def sum_of_group(x):
    tile = situ.local.array(4, situ.float32)
    i = situ.get_local_id(0)
    tile[i] = x
    situ.barrier()
    total = tile[0] + tile[1] + tile[2] + tile[3]
    situ.barrier()
    return total


@situ.device_func
def sums(x):
    total = sum_of_group(x)
    return total, reduce_over_group(this_work_group(), total)


def test_work_items_meet_in_device_functions(place):
    @situ.kernel
    def kernel(x, out):
        i = situ.get_global_id(0)
        for _ in range(2):
            total, four_times = sums(x[i])
            out[i] += total + four_times

    values = np.arange(8, dtype=np.float32)
    x, out = array(values, place), array(np.zeros(8, np.float32), place)
    kernel[(8,), (4,)](x, out)
    expected = np.repeat([2 * 5 * 6, 2 * 5 * 22], 4)
    np.testing.assert_array_equal(out.to_numpy(), expected)


def test_they_simulate_too():
    @situ.kernel
    def kernel(x, out):
        out[situ.get_global_id(0)] = sum_of_group(x[::-1][situ.get_global_id(0)])

    x, out = array(np.arange(4, dtype=np.float32), "native"), array(np.zeros(4), "native")
    kernel[(4,), (4,)].simulate(x, out)
    np.testing.assert_array_equal(out.to_numpy(), [6, 6, 6, 6])


def test_leaving_early_is_refused():
    @situ.device_func
    def early(x):
        if x > 0:
            return x
        situ.barrier()
        return x + 1

    @situ.kernel
    def kernel(x):
        x[0] = early(x[0])

    with pytest.raises(situ.KernelError, match="K073"):
        kernel(array([1.0], "native"))


def test_a_barrier_in_a_branch_is_still_found():
    @situ.device_func
    def meet(x):
        situ.barrier()
        return x

    @situ.kernel
    def kernel(x):
        i = situ.get_global_id(0)
        if i > 2:
            x[i] = meet(x[i])

    with pytest.raises(situ.KernelError, match="barrier"):
        kernel[(4,), (4,)](array(np.ones(4), "native"))


def kernel_from(text, names):
    """Make a kernel of a text, which `inspect` finds in `linecache`."""
    file = f"<kernel {abs(hash(text)):x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), names)
    return situ.kernel(names["kernel"])


@situ.kernel
def magnitude_halves(x, out):
    i = situ.get_global_id(0)
    out[i] = abs(x[i]) >> 8


def test_the_magnitude_of_the_smallest_integer_wraps_around(device: situ.Device) -> None:
    """No compiler may take it for positive."""
    host = np.array([np.iinfo(np.int64).min, -256, 256], dtype=np.int64)
    x = situ.asarray(host, device=device)
    out = situ.zeros_like(x)
    magnitude_halves(x, out)
    np.testing.assert_array_equal(out.to_numpy(), np.abs(host) >> 8)


TABLE = ((1, 2.5), (3, (4, 5)))


def test_tuples_of_tuples(place):
    @situ.device_func
    def first(pair, i):
        return pair[0][i] + pair[1][0][i]

    @situ.kernel
    def look_up(x, out):
        out[0] = TABLE[0][1]
        out[1] = TABLE[1][1][-1]
        row = TABLE[1]
        out[2] = row[1][0] + row[0]
        out[3] = first((x, (x,)), 1)

    x, out = array([1.0, 2.0], place), array(np.zeros(4), place)
    look_up[1](x, out)
    np.testing.assert_array_equal(out.to_numpy(), [2.5, 5, 7, 4])


def test_a_tuple_takes_one_index():
    @situ.kernel
    def two_indices(out):
        out[0] = TABLE[0, 1]

    with pytest.raises(situ.KernelTypeError, match="the index of a tuple must be a constant"):
        two_indices[1](situ.zeros(1))


def test_tuples_are_compared_item_by_item(place):
    @situ.kernel
    def compare(a, b, out):
        out[0] = a.shape == b.shape
        out[1] = a.shape != (2, 3)
        out[2] = (a[0, 0], 2) == (1, 2.0)
        out[3] = a.shape == (2, 3, 1)
        pair = (a.shape, 1)
        out[4] = pair == ((2, 3), 1)
        if b.shape == a.shape:
            out[5] = 7

    a, out = array(np.ones((2, 3)), place), array(np.zeros(6), place)
    compare[1](a, a, out)
    np.testing.assert_array_equal(out.to_numpy(), [1, 0, 1, 0, 1, 7])
    out = array(np.zeros(6), place)
    compare[1](a, array(np.ones((2, 4)), place), out)
    np.testing.assert_array_equal(out.to_numpy(), [0, 0, 1, 0, 1, 0])


def test_tuples_have_no_order():
    @situ.kernel
    def order(a, out):
        out[0] = a.shape < (2,)

    with pytest.raises(situ.KernelTypeError, match="`<` does not take tuples"):
        order[1](situ.zeros(3), situ.zeros(1))
