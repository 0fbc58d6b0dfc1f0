"""`assert` and `print` in kernels: what the host hears of them, and when."""

import numpy as np
import pytest
from places import driver_devices

import situ
from situ.testing import virtual_devices


@situ.kernel
def bounded(x, limit):
    i = situ.get_global_id(0)
    assert x[i] < limit, f"x[{i}] is {x[i]}"
    x[i] = 0


@situ.kernel
def hello(x):
    i = situ.get_global_id(0)
    print("item", i, "has", x[i])


@pytest.fixture(params=["native", "reference", "virtual"])
def place(request):
    if request.param != "virtual":
        yield request.param
        return
    with virtual_devices("gpu:1") as (gpu,):
        yield gpu


def array(values, place, dtype=None):
    return situ.asarray(np.asarray(values, dtype), device=place)


def wait_for(kernel, *arguments):
    kernel(*arguments)
    arguments[0].queue.wait()


def test_an_assertion_that_holds_changes_nothing(place):
    x = array([1, 2, 3], place)
    bounded(x, 10)
    np.testing.assert_array_equal(x.to_numpy(), [0, 0, 0])


def test_a_failed_assertion_is_raised_by_the_next_wait(place):
    x = array([1, 2, 30, 4], place)
    with pytest.raises(situ.KernelAssertionError) as caught:
        wait_for(bounded, x, 10)
    message = str(caught.value)
    assert "x[2] is 30" in message
    assert "`x[i] < limit` does not hold in work-item (2,)" in message
    line = bounded.__wrapped__.__code__.co_firstlineno + 3
    assert f"test_messages.py:{line}" in message
    assert "an assertion of kernel `bounded` failed" in message
    assert isinstance(caught.value, AssertionError)
    assert isinstance(caught.value, situ.KernelError)


def test_the_queue_stays_usable(place):
    x = array([100.0], place)
    with pytest.raises(AssertionError):
        wait_for(bounded, x, 10)
    y = array([1.0, 2.0], place)
    bounded(y, 10)
    np.testing.assert_array_equal((y + 1).to_numpy(), [1, 1])


def test_ranges_of_several_dimensions_tell_the_whole_id(place):
    @situ.kernel
    def all_but(a):
        i, j, k = situ.get_global_id(0), situ.get_global_id(1), situ.get_global_id(2)
        assert i != 1 or j != 2 or k != 3
        a[i, j, k] = 1

    a = array(np.zeros((2, 3, 4)), place)
    with pytest.raises(AssertionError, match=r"work-item \(1, 2, 3\)"):
        wait_for(all_but, a)


def test_assertions_know_constants():
    size = 4

    @situ.kernel
    def fixed(x):
        assert size == 4
        x[situ.get_global_id(0)] = size

    x = situ.zeros(2)
    fixed(x)
    assert "report" not in fixed.inspect()
    np.testing.assert_array_equal(x.to_numpy(), [4, 4])


def test_assertions_between_barriers_do_not_hang(place):
    @situ.kernel
    def reverse(x):
        tile = situ.local.array(4, situ.float64)
        i = situ.get_local_id(0)
        assert x[i] >= 0, "negative"
        tile[i] = x[i]
        situ.barrier()
        x[i] = tile[3 - i]

    x = array([0.0, 1.0, -2.0, 3.0], place)
    with pytest.raises(AssertionError, match="negative"):
        wait_for(reverse[(4,), (4,)], x)


def test_assertions_in_device_functions_are_heard(place):
    @situ.device_func
    def root(value):
        assert value >= 0, "no root"
        return value**0.5

    @situ.kernel
    def roots(x):
        i = situ.get_global_id(0)
        x[i] = root(x[i])

    x = array([4.0, 9.0], place)
    roots(x)
    np.testing.assert_array_equal(x.to_numpy(), [2, 3])
    y = array([4.0, -9.0], place)
    with pytest.raises(AssertionError, match="no root"):
        wait_for(roots, y)


def test_lines_are_printed_by_the_next_wait(place, capsys):
    x = array([1.5, 2.5, 3.5], place)
    hello(x)
    x.queue.wait()
    lines = sorted(capsys.readouterr().out.splitlines())
    assert lines == ["item 0 has 1.5", "item 1 has 2.5", "item 2 has 3.5"]


@pytest.mark.parametrize(
    ("dtype", "value", "text"),
    [
        ("bool", True, "True"),
        ("int8", -3, "-3"),
        ("uint8", 200, "200"),
        ("int16", -30000, "-30000"),
        ("int32", -(2**31), "-2147483648"),
        ("uint32", 2**32 - 1, "4294967295"),
        ("int64", -(2**63), "-9223372036854775808"),
        ("uint64", 2**64 - 1, "18446744073709551615"),
        ("float32", 0.1, "0.1"),
        ("float64", 0.1, "0.1"),
        ("float64", -np.inf, "-inf"),
        ("complex64", 1 + 0.1j, "(1+0.1j)"),
        ("complex128", 1.5 - 2j, "(1.5-2j)"),
    ],
)
def test_every_dtype_is_printed_as_numpy_does(dtype, value, text, capsys):
    @situ.kernel
    def show(x):
        print(x[0])

    x = array([value], "native", dtype)
    show[1](x)
    x.queue.wait()
    assert capsys.readouterr().out == f"{text}\n"


def test_formats_separators_and_ends(capsys):
    @situ.kernel
    def show(x):
        i = situ.get_global_id(0)
        print(f"{x[i]:8.3f}|{i:03d}|{i=}", (i, 2.5), x.dtype, sep="; ", end="!\n")
        print()
        print("ab", 1, flush=True)

    x = array([np.pi], "native")
    show(x)
    x.queue.wait()
    assert capsys.readouterr().out == "   3.142|000|i=0; (0, 2.5); float64!\n\nab 1\n"


def test_more_lines_than_there_is_room_for_are_cut(capsys):
    @situ.kernel
    def many(x):
        i = situ.get_global_id(0)
        print(i)

    x = situ.zeros(100_000)
    many(x)
    x.queue.wait()
    lines = capsys.readouterr().out.splitlines()
    assert "printed more than there is room for" in lines[-1]
    assert 1000 < len(lines) < 100_000


def test_what_was_printed_before_a_failure_is_shown(capsys):
    @situ.kernel
    def talk(x):
        i = situ.get_global_id(0)
        print("before")
        assert x[i] > 0

    x = situ.zeros(1)
    with pytest.raises(AssertionError):
        wait_for(talk, x)
    assert capsys.readouterr().out == "before\n"


def test_simulation_asserts_and_prints_by_itself(capsys):
    x = np.array([1.0])
    hello.simulate(x)
    assert capsys.readouterr().out == "item 0 has 1.0\n"
    with pytest.raises(AssertionError, match=r"x\[0\] is 1\.0"):
        bounded.simulate(x, 0)


def test_arrays_and_options_are_refused():
    @situ.kernel
    def whole(x):
        print(x)

    @situ.kernel
    def to_file(x):
        print(x[0], file=x)

    @situ.kernel
    def as_value(x):
        x[0] = print(1)

    x = situ.zeros(1)
    with pytest.raises(situ.KernelError, match="cannot print"):
        whole[1](x)
    with pytest.raises(situ.KernelError, match="no other options"):
        to_file[1](x)
    with pytest.raises(situ.KernelError, match="statement of its own"):
        as_value[1](x)


def test_printing_kernels_take_numpy_arrays(capsys):
    x = np.array([2.5])
    with situ.host_data_on("reference"):
        hello(x)
    assert capsys.readouterr().out == "item 0 has 2.5\n"


@pytest.mark.parametrize("name", driver_devices())
def test_drivers_devices_are_heard_too(name, capsys):
    x = array([1.5], name)
    hello(x)
    x.queue.wait()
    assert capsys.readouterr().out == "item 0 has 1.5\n"
    with pytest.raises(AssertionError, match=r"x\[0\] is 1\.5"):
        wait_for(bounded, x, 1.0)
