"""Reading and writing arrays from the host: buffers, `__array__`, pickles, and what is refused."""

import copy
import hashlib
import pickle

import numpy as np
import pytest
from places import driver_devices

import situ
from situ.testing import virtual_devices

DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_sees_the_same_memory(dtype):
    values = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    x = situ.asarray(values)
    host = np.asarray(x)
    assert host.dtype == values.dtype
    assert host.dtype.num == values.dtype.num
    np.testing.assert_array_equal(host, values)
    host[1, 2] = 0
    assert not x[1, 2].item()
    x[0, 0] = 1
    x.queue.wait()
    assert host[0, 0] == 1
    address = x.__sycl_usm_array_interface__["data"][0]
    assert host.__array_interface__["data"][0] == address


@pytest.mark.parametrize(
    "index",
    [
        np.s_[::2],
        np.s_[::-1],
        np.s_[:, 1],
        np.s_[1:1],
        np.s_[2, 3],
        np.s_[:, ::-2],
        np.s_[None, ..., None],
        np.s_[3:, 1:],
    ],
)
def test_views_have_their_strides(index):
    values = np.arange(24.0).reshape(6, 4)
    view = np.asarray(situ.asarray(values)[index])
    np.testing.assert_array_equal(view, values[index])
    assert view.shape == values[index].shape
    transposed = np.asarray(situ.asarray(values).T)
    assert transposed.strides == values.T.strides


def test_the_memory_lives_as_long_as_the_view():
    host = np.asarray(situ.asarray(np.arange(1000.0)) * 2)
    for _ in range(10):
        situ.asarray(np.zeros(1000))
    np.testing.assert_array_equal(host, np.arange(1000.0) * 2)


def test_memoryviews_know_format_and_shape():
    view = memoryview(situ.asarray(np.arange(6, dtype="int32").reshape(2, 3)))
    assert (view.format, view.shape, view.strides, view.readonly) == ("i", (2, 3), (12, 4), False)
    assert view.tolist() == [[0, 1, 2], [3, 4, 5]]
    scalar = memoryview(situ.asarray(2.5))
    assert (scalar.ndim, scalar.tolist()) == (0, 2.5)
    assert memoryview(situ.zeros((0, 3))).shape == (0, 3)


def test_consumers_that_need_an_order_get_it_or_an_error():
    x = situ.asarray(np.arange(6.0).reshape(2, 3))
    assert bytes(x) == np.arange(6.0).tobytes()
    with pytest.raises(BufferError, match=r"not in C order[\s\S]*x\.copy\(\)"):
        hashlib.sha256(x.T)
    assert bytes(memoryview(x.T)) == np.arange(6.0).reshape(2, 3).T.tobytes()


def test_array_takes_dtype_and_copy():
    x = situ.asarray(np.arange(3.0))
    np.testing.assert_array_equal(np.asarray(x, dtype="int32"), np.arange(3, dtype="int32"))
    copied = np.array(x)
    copied[0] = 9
    assert x[0].item() == 0
    same = np.asarray(x, copy=False)
    same[0] = 7
    assert x[0].item() == 7
    with pytest.raises(ValueError, match="without a copy"):
        x.__array__("int32", copy=False)
    assert x.__array__("int32", copy=True).dtype == np.int32
    assert x.__array__(np.float64).dtype == np.float64


def test_work_is_done_before_the_host_looks():
    x = situ.asarray(np.zeros(100_000))
    for _ in range(50):
        x += 1
    np.testing.assert_array_equal(np.asarray(x), 50)


@pytest.mark.parametrize("operator", ["__add__", "__radd__", "__mul__", "__lt__", "__pow__"])
def test_mixing_with_host_arrays_is_still_refused(operator):
    x = situ.asarray([1.0, 2.0])
    with pytest.raises(situ.PlacementError, match="host and device arrays"):
        getattr(x, operator)(np.ones(2))


def test_neither_order_of_operands_reads_the_array_silently():
    x, host = situ.asarray([1.0, 2.0]), np.ones(2)
    with pytest.raises(situ.PlacementError):
        x + host
    with pytest.raises(situ.PlacementError):
        host + x
    with pytest.raises(situ.PlacementError):
        host += x
    with pytest.raises(situ.PlacementError):
        np.add(host, x)
    with pytest.raises(situ.PlacementError):
        x += host
    with pytest.raises(
        situ.PlacementError, match=r"value = situ\.asarray\(value, queue=x\.queue\)"
    ):
        x[:] = host
    np.testing.assert_array_equal(host, 1)
    np.testing.assert_array_equal(x.to_numpy(), [1, 2])


def test_the_usm_array_interface_describes_views():
    x = situ.asarray(np.arange(12, dtype="float32").reshape(3, 4))
    whole = x.__sycl_usm_array_interface__
    assert whole["shape"] == (3, 4)
    assert whole["strides"] is None
    assert whole["typestr"] == "<f4"
    assert whole["offset"] == 0
    assert whole["version"] == 1
    assert whole["syclobj"] == x.queue
    assert whole["data"][1] is False
    view = x[1:, ::-2].__sycl_usm_array_interface__
    assert view["data"] == (whole["data"][0] + 7 * 4, False), "the address of the first element"
    assert (view["shape"], view["strides"], view["offset"]) == ((2, 2), (4, -2), 0)


@pytest.mark.parametrize("usm_type", ["device", "shared", "host"])
def test_pickles_hold_elements_memory_and_device(usm_type, device):
    x = situ.asarray(np.arange(6.0).reshape(2, 3), device=device, usm_type=usm_type)[:, ::-1]
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(x, protocol))
        np.testing.assert_array_equal(back.to_numpy(), x.to_numpy())
        assert (back.dtype, back.device, back.usm_type) == (x.dtype, x.device, usm_type)


def test_a_pickle_of_a_device_that_is_gone_comes_back_on_the_default():
    x = situ.asarray([1.0], device="reference")
    text = pickle.dumps(x, protocol=2).replace(b"reference:cpu:0", b"reference:cpu:7")
    words = "was on reference:cpu:7, which is not here; it is restored on native:cpu:0"
    with pytest.warns(situ.PlacementWarning, match=words):
        assert pickle.loads(text).device == situ.Device()
    with situ.current("reference"), pytest.warns(situ.PlacementWarning):
        assert pickle.loads(text).device == situ.Device("reference")


def test_copy_and_deepcopy_copy():
    x = situ.asarray([1.0, 2.0], usm_type="shared")
    for made in (copy.copy(x), copy.deepcopy(x), copy.deepcopy([x])[0]):
        assert made.queue == x.queue
        assert made.usm_type == "shared"
        made[0] = 9
        assert x[0].item() == 1


@pytest.fixture
def gpu():
    with virtual_devices("gpu") as (device,):
        yield device


@pytest.fixture(params=["virtual", *driver_devices()])
def remote(request):
    """Give each device whose own memory is not the host's, also where it is a processor."""
    if request.param == "virtual":
        return request.getfixturevalue("gpu")
    return situ.Device(request.param)


def test_memory_that_only_the_device_reaches_is_refused(remote):
    x = situ.asarray([1.0, 2.0], device=remote)
    for read in (
        lambda: np.asarray(x),
        lambda: np.array(x),
        lambda: np.asarray([x, x]),
        lambda: x.__array__(),
        lambda: x.__array__(copy=True),
        lambda: memoryview(x),
        lambda: bytes(x),
        lambda: np.frombuffer(x),
        lambda: np.zeros(2).__setitem__(slice(None), x),
    ):
        with pytest.raises(situ.HostAccessError, match=r"x\.to_numpy\(\)") as caught:
            read()
        assert remote.filter_string in str(caught.value)
        assert isinstance(caught.value, BufferError)
    np.testing.assert_array_equal(x.to_numpy(), [1, 2])


def test_other_memory_of_the_same_device_is_read_in_place(gpu):
    for usm_type in ("shared", "host"):
        x = situ.asarray(np.arange(3.0), device=gpu, usm_type=usm_type)
        host = np.asarray(x)
        host[0] = 5
        np.testing.assert_array_equal(x.to_numpy(), [5, 1, 2])


def test_what_needs_elements_copies_them(gpu):
    x = situ.asarray([3, 1], device=gpu)
    assert x[0].item() == 3
    assert int(x[1]) == 1
    assert "3, 1" in repr(x)
    assert pickle.loads(pickle.dumps(x)).to_numpy().tolist() == [3, 1]


def test_a_pickle_of_a_part_of_a_device_comes_back_on_the_whole(gpu):
    tile, _ = gpu.create_sub_devices(equally=4)
    text = pickle.dumps(situ.ones(2, device=tile, usm_type="host"))
    back = pickle.loads(text)
    assert (back.device, back.usm_type) == (gpu, "host")
    np.testing.assert_array_equal(back.to_numpy(), 1)
