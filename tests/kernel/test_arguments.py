"""What kernels can be called with, and what they say about the rest."""

import enum

import numpy as np
import pytest

import situ


@situ.kernel
def store(out, value):
    out[situ.get_global_id(0)] = value


@situ.kernel
def add(a, b, out):
    i = situ.get_global_id(0)
    out[i] = a[i] + b[i]


DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES += ["float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_of_every_dtype_are_read_and_written(dtype, device):
    @situ.kernel
    def copy(source, target):
        i = situ.get_global_id(0)
        target[i] = source[i]

    values = np.array([0, 1, 2, 3]).astype(dtype)
    source = situ.asarray(values, device=device)
    target = situ.asarray(np.zeros_like(values), device=device)
    copy(source, target)
    np.testing.assert_array_equal(target.to_numpy(), values)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (True, "bool"),
        (3, "int64"),
        (2**63 + 1, "uint64"),
        (-1.5, "float64"),
        (1 + 2j, "complex128"),
        (np.float32(0.1), "float32"),
        (np.int8(-3), "int8"),
        (np.complex64(2j), "complex64"),
        (enum.IntEnum("Mode", {"FAST": 7}).FAST, "int64"),
    ],
)
def test_numbers_are_passed_with_their_dtype(value, dtype, device):
    @situ.kernel
    def store(out, value):
        out[situ.get_global_id(0)] = value

    out = situ.asarray(np.zeros(1, dtype), device=device)
    store(out, value)
    assert out.to_numpy()[0] == value
    assert store.specializations == [f"({dtype}[:], {dtype}) on {device.filter_string}"]


def test_one_specialisation_serves_all_shapes_and_views():
    @situ.kernel
    def double(x):
        i = situ.get_global_id(0)
        x[i] = 2 * x[i]

    for size in (1, 10, 1000):
        double(situ.asarray(np.ones(size)))
    assert len(double.specializations) == 1
    double(situ.asarray(np.ones(10))[2:5])
    assert len(double.specializations) == 1
    double(situ.asarray(np.ones(10))[::2])
    assert double.specializations[1:] == ["(float64[:] strided) on native:cpu:0"]
    double(situ.asarray(np.ones(3, "float32")))
    assert len(double.specializations) == 3


def test_arguments_can_be_passed_by_name():
    out = situ.asarray(np.zeros(2))
    store(value=3, out=out)
    np.testing.assert_array_equal(out.to_numpy(), [3, 3])
    with pytest.raises(
        situ.KernelTypeError, match="argument `valu` of kernel `store` does not exist"
    ):
        store(out, valu=3)
    with pytest.raises(
        situ.KernelTypeError, match="argument `out` of kernel `store` was given twice"
    ):
        store(out, out=out)


LEVEL = 4


@situ.kernel
def fill(out, value=3, scale=LEVEL / 2.0):
    out[situ.get_global_id(0)] = value * scale


def test_parameters_have_the_defaults_of_python(device):
    def filled(launch):
        out = situ.asarray(np.zeros(3), device=device)
        launch(out)
        return out.to_numpy().tolist()

    assert filled(lambda out: fill(out)) == [6, 6, 6]
    assert filled(lambda out: fill[2](out)) == [6, 6, 0]
    assert filled(lambda out: fill[2](out, 5)) == [10, 10, 0]
    assert filled(lambda out: fill[2](out, scale=1)) == [3, 3, 0]
    assert filled(lambda out: fill(scale=1, out=out)) == [3, 3, 3]
    assert filled(lambda out: fill(out, 1, 7)) == [7, 7, 7]
    assert filled(lambda out: fill[1].submit(out, value=1).wait()) == [2, 0, 0]
    assert filled(lambda out: out.queue.submit(fill, 1, out, value=1).wait()) == [2, 0, 0]
    assert filled(lambda out: out.queue.submit(fill, 1, scale=1, out=out, depends=[]).wait()) == [
        3,
        0,
        0,
    ]
    assert filled(lambda out: fill.simulate(out, scale=3)) == [9, 9, 9]
    assert filled(lambda out: situ.call_kernel(fill, 2, out)) == [6, 6, 0]
    assert filled(lambda out: situ.call_kernel(fill, 2, out, value=2)) == [4, 4, 0]
    assert filled(lambda out: situ.call_kernel_async(fill, 1, [], out, value=1).wait()) == [2, 0, 0]
    lib = situ.offload_to(device)
    assert filled(lambda out: lib.kernel(fill)[2](out, value=2)) == [4, 4, 0]
    assert filled(lambda out: lib.call_kernel(fill, 2, out, scale=1)) == [3, 3, 0]


def test_defaults_follow_an_index_object_and_are_those_of_the_definition():
    level = 2

    @situ.kernel
    def stored(item: situ.kernel_api.Item, out, value=level):
        out[item.get_id(0)] = value

    level = 3
    out = situ.asarray(np.zeros(2))
    stored[2](out)
    np.testing.assert_array_equal(out.to_numpy(), [2, 2])


def test_a_default_that_kernels_cannot_take_is_an_argument_like_others():
    @situ.kernel
    def maybe(out, value=None):
        out[0] = value

    with pytest.raises(situ.KernelTypeError, match="argument `value` of kernel `maybe` is `None`"):
        maybe[1](situ.zeros(1))
    out = situ.zeros(1)
    maybe[1](out, 2)
    assert out[0] == 2


@pytest.mark.parametrize("count", [0, 4])
def test_a_wrong_number_of_arguments_counts_those_with_defaults(count):
    out = situ.asarray(np.zeros(2))
    with pytest.raises(situ.KernelTypeError) as caught:
        fill(*[out] * count)
    assert f"takes 1 to 3 arguments, but {count} were given" in str(caught.value)
    assert ("nothing is given for `out`" in str(caught.value)) == (count == 0)


def test_what_is_missing_is_named():
    with pytest.raises(situ.KernelTypeError, match="nothing is given for `a` and `out`"):
        add(b=situ.zeros(2))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_wrong_number_of_arguments_names_the_parameters(count):
    out = situ.asarray(np.zeros(2))
    with pytest.raises(situ.KernelTypeError) as caught:
        store(*[out] * count)
    assert f"takes 2 arguments, but {count}" in str(caught.value)
    assert "`out` and `value`" in str(caught.value)
    assert isinstance(caught.value, TypeError)


def some_function(x):
    return x


@pytest.mark.parametrize(
    ("value", "what", "way_out"),
    [
        ("text", "text, a `str`", "`enum.IntEnum`"),
        (None, "`None`", "forgotten its `return`"),
        ([1, 2], "a `list`", "`value = situ.asarray(value, queue=out.queue)`"),
        ((1, 2), "a `tuple`", "`value = situ.asarray(value, queue=out.queue)`"),
        ([], "a `list`", '`value = situ.asarray(value, dtype="float64", queue=out.queue)`'),
        ({1, 2}, "a `set`", "`situ.asarray(sorted(value), queue=out.queue)`"),
        ({1: 2}, "a `dict`", "pass the numbers in it one by one"),
        (object(), "an `object`", "pass the arrays and numbers that it holds"),
        (some_function, "a function, `some_function`", "`@situ.device_func`"),
        (lambda x: x, "a lambda", "`@situ.device_func`"),
        (situ.device_func(some_function), "a function, `some_function`", "`@situ.device_func`"),
        (store, "a kernel, `store`", "launch both"),
        (np.float32, "a dtype, `float32`", "`x.dtype`"),
        (np.dtype("int8"), "a dtype, `int8`", "`x.dtype`"),
        (float, "a dtype, `float`", "`x.dtype`"),
        (2**64, "too large an integer, `18446744073709551616`", "`float(value)`"),
        (np.datetime64("2020-01-01"), "a NumPy scalar of dtype datetime64[D]", "float(value)"),
    ],
    ids=lambda each: each if isinstance(each, str) else type(each).__name__,
)
def test_other_objects_are_refused_with_a_way_out(value, what, way_out, device):
    out = situ.asarray(np.zeros(2), device=device)
    with pytest.raises(situ.KernelTypeError) as caught:
        store(out, value)
    message = str(caught.value)
    assert message.startswith(f"argument `value` of kernel `store` is {what}\n")
    assert "why:  a kernel takes situ arrays and numbers" in message
    assert way_out in message
    assert isinstance(caught.value, TypeError)
    # The queue and the kernel are as they were.
    store(out, 1.5)
    np.testing.assert_array_equal(out.to_numpy(), [1.5, 1.5])


def test_a_list_without_arrays_becomes_an_array_anywhere():
    with pytest.raises(situ.KernelTypeError, match=r"`out = situ.asarray\(out\)`"):
        store([1.0], 2.0)


def test_host_arrays_alone_do_not_say_where_to_run():
    host = np.zeros(3)
    with pytest.raises(situ.PlacementError) as caught:
        add(host, host, host)
    assert "cannot tell where to run kernel `add`" in str(caught.value)
    assert "= situ.asarray(a)," in str(caught.value)


def test_host_and_device_arrays_do_not_mix():
    host, here = np.zeros(3), situ.asarray(np.zeros(3))
    with pytest.raises(situ.PlacementError) as caught:
        add(here, host, here)
    message = str(caught.value)
    assert "`a` is device memory on native:cpu:0" in message
    assert "`b` is a host array" in message
    assert "b = situ.asarray(b, queue=a.queue)" in message


def test_arrays_of_two_devices_do_not_mix():
    x = situ.asarray(np.zeros(3), device="native")
    y = situ.asarray(np.zeros(3), device="reference")
    with pytest.raises(situ.PlacementError) as caught:
        add(x, y, x)
    message = str(caught.value)
    assert "`a` is device memory on native:cpu:0" in message
    assert "`b` is device memory on reference:cpu:0" in message


def test_a_failed_call_changes_nothing_and_the_kernel_stays_usable():
    x = situ.asarray(np.ones(3))
    with pytest.raises(situ.KernelTypeError):
        add(x, x, "no")
    add(x, x, x)
    np.testing.assert_array_equal(x.to_numpy(), [2, 2, 2])
