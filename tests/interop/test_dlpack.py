"""Exchange by DLPack: values, memory, flags, lifetimes, refusals."""

import gc

import numpy as np
import pytest

import situ
from situ.testing import virtual_devices

DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
]
VIEWS = [
    np.s_[...],
    np.s_[::2],
    np.s_[::-1, 1:],
    np.s_[:, ::-2],
    np.s_[1],
    np.s_[2:3, 3],
    np.s_[1:1],
    np.s_[None, :, None],
]


class Old:
    """A producer from before there were versions."""

    def __init__(self, host: np.ndarray) -> None:
        self.host = host

    def __dlpack__(self) -> object:  # noqa: D105
        return self.host.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:  # noqa: D105
        return self.host.__dlpack_device__()


class Elsewhere(Old):
    """A producer whose memory is on a device of another library."""

    def __dlpack_device__(self) -> tuple[int, int]:  # noqa: D105
        return 2, 0


@pytest.fixture
def gpu():
    with virtual_devices("gpu") as (device,):
        yield device


def address(host: np.ndarray) -> int:
    return host.__array_interface__["data"][0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_uses_situ_memory_in_place(dtype):
    values = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    x = situ.asarray(values)
    host = np.from_dlpack(x)
    assert host.dtype == values.dtype
    assert address(host) == x.__sycl_usm_array_interface__["data"][0]
    np.testing.assert_array_equal(host, values)
    x[0, 0] = 1
    assert host[0, 0] == 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_situ_uses_numpy_memory_in_place(dtype):
    host = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    x = situ.from_dlpack(host)
    assert (x.dtype, x.shape, x.usm_type) == (host.dtype, host.shape, "host")
    np.testing.assert_array_equal(x.to_numpy(), host)
    x[0, 0] = 1
    assert host[0, 0] == 1
    host[1, 2] = 0
    assert not x[1, 2].item()


@pytest.mark.parametrize("index", VIEWS)
def test_views_go_both_ways(index):
    values = np.arange(24.0).reshape(6, 4)
    there = np.from_dlpack(situ.asarray(values)[index])
    back = situ.from_dlpack(values[index])
    expected = values[index]
    assert there.shape == back.shape == expected.shape
    np.testing.assert_array_equal(there, expected)
    np.testing.assert_array_equal(back.to_numpy(), expected)
    if expected.size:
        back[...] = -1.0
        np.testing.assert_array_equal(values[index], -1.0)


def test_zero_dimensions_and_no_elements():
    assert np.from_dlpack(situ.asarray(2.5)) == 2.5
    assert situ.from_dlpack(np.array(2.5)).item() == 2.5
    assert np.from_dlpack(situ.zeros((0, 3))).shape == (0, 3)
    assert situ.from_dlpack(np.zeros((3, 0))).shape == (3, 0)


def test_computing_with_memory_of_others():
    host = np.arange(1000.0)
    x = situ.from_dlpack(host)
    y = x * 2 + situ.ones(1000)
    x += y
    np.testing.assert_array_equal(host, np.arange(1000.0) * 3 + 1)
    assert y.usm_type == "device"


def test_memory_that_came_twice_is_known_to_overlap():
    host = np.arange(10.0)
    first, second = situ.from_dlpack(host[:-1]), situ.from_dlpack(host[1:])
    situ.add(first, 1.0, out=second)
    np.testing.assert_array_equal(host, [0, *range(1, 10)])


@pytest.mark.parametrize("max_version", [None, (0, 8), (1, 0), (1, 1), (2, 0)])
def test_capsules_are_of_the_version_that_was_asked_for(max_version):
    name = repr(situ.ones(2).__dlpack__(max_version=max_version))
    assert ("dltensor_versioned" in name) == (max_version is not None and max_version >= (1, 0))


def test_old_producers_are_understood():
    host = np.arange(3.0)
    x = situ.from_dlpack(Old(host))
    x *= 2
    np.testing.assert_array_equal(host, [0, 2, 4])


def test_read_only_memory_is_copied():
    host = np.arange(3.0)
    host.flags.writeable = False
    x = situ.from_dlpack(host)
    x += 1
    np.testing.assert_array_equal(host, [0, 1, 2])
    with pytest.raises(BufferError, match=r"cannot avoid a copy\n  why:  it is read-only"):
        situ.from_dlpack(host, copy=False)


def test_memory_that_is_not_aligned_is_copied():
    host = np.zeros(17, dtype="uint8")[1:].view("float64")
    x = situ.from_dlpack(host)
    x += 1
    np.testing.assert_array_equal(host, 0)
    with pytest.raises(BufferError, match="not aligned"):
        situ.from_dlpack(host, copy=False)


def test_copies_are_made_when_asked_for():
    host, x = np.arange(3.0), situ.arange(3.0)
    copied = situ.from_dlpack(host, copy=True)
    copied += 1
    np.testing.assert_array_equal(host, [0, 1, 2])
    there = np.from_dlpack(x, copy=True)
    there += 1
    np.testing.assert_array_equal(x.to_numpy(), [0, 1, 2])
    again = situ.from_dlpack(x, copy=True)
    again += 1
    np.testing.assert_array_equal(x.to_numpy(), [0, 1, 2])
    assert situ.from_dlpack(x) is x


def test_the_consumer_outlives_the_producer():
    host = np.from_dlpack(situ.asarray(np.arange(1000.0)) * 2)
    x = situ.from_dlpack(np.arange(1000.0) * 2)
    gc.collect()
    for _ in range(10):
        situ.zeros(1000)
        np.zeros(1000)
    np.testing.assert_array_equal(host, np.arange(1000.0) * 2)
    np.testing.assert_array_equal(x.to_numpy(), np.arange(1000.0) * 2)


def used_bytes() -> int:
    return situ.memory.stats().total.used_bytes


def test_memory_comes_back_in_any_order():
    def producer_first():
        x = situ.ones(100_000)
        host = np.from_dlpack(x)
        del x
        del host

    def consumer_first():
        x = situ.ones(100_000)
        host = np.from_dlpack(x)
        del host
        del x

    def never_consumed():
        situ.ones(100_000).__dlpack__(max_version=(1, 0))
        situ.ones(100_000).__dlpack__()

    producer_first()
    before = used_bytes()
    for use in (producer_first, consumer_first, never_consumed):
        for _ in range(3):
            use()
        gc.collect()
        assert used_bytes() == before, use.__name__


class Tracked(np.ndarray):
    """A NumPy array whose end is seen."""

    gone = 0

    def __del__(self) -> None:  # noqa: D105
        type(self).gone += 1


def test_memory_of_others_is_let_go():
    x = situ.from_dlpack(np.arange(10.0).view(Tracked))
    gc.collect()
    assert Tracked.gone == 0
    view, _ = x[2:], situ.sum(x)
    del x
    gc.collect()
    assert Tracked.gone == 0, "a view needs the memory"
    del view
    gc.collect()
    assert Tracked.gone == 1


def test_capsules_are_good_for_one_use():
    class Once(Old):
        def __init__(self, host):
            super().__init__(host)
            self.capsule = host.__dlpack__()

        def __dlpack__(self):
            return self.capsule

    once = Once(np.arange(3.0))
    situ.from_dlpack(once)
    with pytest.raises(TypeError, match="did not return a DLPack capsule"):
        situ.from_dlpack(once)


def test_where_arrays_are():
    assert situ.ones(2).__dlpack_device__() == (1, 0)
    assert situ.from_dlpack(np.ones(2), device="reference").device == situ.Device("reference")
    with situ.current("reference"):
        assert situ.from_dlpack(np.ones(2)).device == situ.Device("reference")


def test_memory_that_only_a_device_reaches(gpu):
    x = situ.asarray([1.0, 2.0], device=gpu)
    for export in (x.__dlpack_device__, x.__dlpack__, lambda: np.from_dlpack(x)):
        with pytest.raises(situ.HostAccessError, match=r"x\.to_numpy\(\)"):
            export()
    # Who names the host asks for a copy.
    capsule = x.__dlpack__(dl_device=(1, 0), max_version=(1, 0))
    assert "dltensor_versioned" in repr(capsule)
    with pytest.raises(situ.HostAccessError):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    shared = situ.asarray([1.0, 2.0], device=gpu, usm_type="shared")
    np.testing.assert_array_equal(np.from_dlpack(shared), [1, 2])


def test_devices_that_cannot_use_memory_of_the_host_get_a_copy(gpu):
    host = np.arange(3.0)
    x = situ.from_dlpack(host, device=gpu)
    assert x.device == gpu
    np.testing.assert_array_equal(x.to_numpy(), host)
    with pytest.raises(BufferError, match=r"cannot use memory of the host in place"):
        situ.from_dlpack(host, device=gpu, copy=False)


def test_what_is_refused():
    x = situ.ones(2)
    with pytest.raises(ValueError, match="takes no `stream`"):
        x.__dlpack__(stream=1)
    with pytest.raises(BufferError, match=r"DLPack device \(2, 0\)"):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="device kind 2"):
        situ.from_dlpack(Elsewhere(np.ones(2)))
    with pytest.raises(TypeError, match="`list` is not a DLPack array"):
        situ.from_dlpack([1, 2])


def test_every_device_takes_memory_of_the_host(device):
    host = np.arange(100.0)
    x = situ.from_dlpack(host[::2], device=device)
    x += 1
    x.queue.wait()
    in_place = device.has_aspect("usm_system_allocations")
    assert x.usm_type == ("host" if in_place else "device")
    np.testing.assert_array_equal(x.to_numpy(), np.arange(100.0)[::2] + 1)
    np.testing.assert_array_equal(host[::2], np.arange(100.0)[::2] + in_place)


def test_work_is_done_before_others_look():
    x = situ.zeros(100_000)
    for _ in range(50):
        x += 1
    np.testing.assert_array_equal(np.from_dlpack(x), 50)


@pytest.mark.parametrize(("first", "second"), [("native", "reference"), ("reference", "native")])
def test_arrays_go_between_devices_of_the_host(first, second):
    x = situ.arange(4, device=first)
    host = np.from_dlpack(x)
    y = situ.from_dlpack(host, device=second)
    y += 1
    x.queue.wait()
    np.testing.assert_array_equal(x.to_numpy(), [1, 2, 3, 4])
