"""Bringing data to a queue: what is copied, what is not, and from what sources."""

import array
import decimal

import numpy as np
import pytest

import situ
from situ.testing import virtual_devices

DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
]


def address(x):
    return x.__sycl_usm_array_interface__["data"][0]


MOVES = [
    lambda x, queue: situ.asarray(x, queue=queue),
    lambda x, queue: situ.asarray(x, device=queue),
    lambda x, queue: x.to_device(queue),
    lambda x, queue: x.make_available(queue),
    lambda x, queue: x.collocate(situ.zeros(1, queue=queue)),
]


@pytest.fixture(scope="module")
def queues():
    """Queues by whether they share the context of the first."""
    with virtual_devices("gpu:2") as (gpu, other):
        tile, _ = gpu.create_sub_devices(equally=4)
        yield {
            True: [
                situ.Queue(gpu),
                situ.Queue(gpu),
                situ.Queue(gpu, in_order=False, enable_profiling=True),
                situ.Queue(tile),
            ],
            False: [
                situ.Queue(situ.Context(gpu), gpu),
                situ.Queue(other),
                situ.Queue("native"),
            ],
        }


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("usm_type", ["device", "shared", "host"])
def test_memory_of_the_same_context_is_not_copied(move, usm_type, queues):
    x = situ.asarray(np.arange(6.0).reshape(2, 3), queue=queues[True][0], usm_type=usm_type)
    for queue in queues[True]:
        for view in (x, x[:, ::-2], x[1], x.T, x[1:1]):
            moved = move(view, queue)
            assert moved.queue == queue
            assert moved.usm_type == usm_type
            assert address(moved) == address(view)
            assert moved.strides == view.strides
            np.testing.assert_array_equal(moved.to_numpy(), view.to_numpy())
    moved[...] = 0
    y = move(x, queues[True][2])
    y[0, 0] = 99
    assert x[0, 0].item() == 99


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("usm_type", ["device", "shared", "host"])
def test_memory_of_another_context_is_copied(move, usm_type, queues):
    x = situ.asarray(np.arange(6.0).reshape(2, 3), queue=queues[True][0], usm_type=usm_type)
    for queue in queues[False]:
        for view in (x, x[:, ::-2], x[1], x.T, x[1:1]):
            moved = move(view, queue)
            assert moved.queue == queue
            assert moved.usm_type == usm_type
            assert address(moved) != address(x)
            np.testing.assert_array_equal(moved.to_numpy(), view.to_numpy())
        with pytest.raises(ValueError, match=r"belongs to context \d+, which cannot be used"):
            situ.asarray(x, queue=queue, copy=False)


def test_moving_a_gigabyte_within_a_context_takes_no_memory(queues):
    x = situ.empty(2**27, queue=queues[True][0])
    before = situ.memory.stats(x)
    moved = [x.to_device(queue) for queue in queues[True]]
    assert situ.memory.stats(x) == before
    assert {address(each) for each in moved} == {address(x)}


@pytest.mark.parametrize("move", MOVES)
def test_moving_within_a_context_costs_the_same_for_every_size(move, queues):
    requests = []
    for size in (1, 1000, 10**7):
        x = situ.zeros(size, dtype="int8", queue=queues[True][0])
        before = situ.memory.stats(x).total.requests
        moved = move(x, queues[True][1])
        requests.append(situ.memory.stats(x).total.requests - before)
        assert address(moved) == address(x)
    # The test itself makes the array that `collocate` goes to.
    assert requests == [1 if move is MOVES[-1] else 0] * 3


def test_copy_to_copies_also_within_a_context(queues):
    x = situ.asarray([1.0, 2.0], queue=queues[True][0])
    for queue in queues[True] + queues[False]:
        copy = x.copy_to(queue)
        assert copy.queue == queue
        assert address(copy) != address(x)
        copy[0] = 9
        assert x[0].item() == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda place: situ.asarray(np.ones(2), **place),
        lambda place: situ.asarray([1, 1], **place),
        lambda place: situ.zeros(2, **place) + 1,
        lambda place: situ.ones(2, **place),
        lambda place: situ.full(2, 1, **place),
        lambda place: situ.asarray(situ.ones(2), **place),
    ],
)
def test_what_is_made_where_an_array_is_goes_together_with_it(make, queues):
    for queue in queues[True] + queues[False]:
        x = situ.ones(2, queue=queue)
        for place in ({"device": x.device}, {"queue": x.queue}, {"device": x}, {"queue": x}):
            y = make(place)
            np.testing.assert_array_equal((x + y).to_numpy(), 2)
            np.testing.assert_array_equal((y.to_device(x.device) + x).to_numpy(), 2)


def test_the_device_of_an_array_is_a_device_like_any_other(queues):
    x = situ.ones(2, queue=queues[False][0])
    assert x.device == queues[False][0].device
    assert hash(x.device) == hash(queues[False][0].device)
    assert x.device in {queues[False][0].device}
    assert situ.ones(2, device=queues[False][0].device).context != x.context


@pytest.mark.parametrize("move", MOVES)
def test_another_device_means_a_copy(move):
    x = situ.asarray(np.arange(6.0).reshape(2, 3), device="native", usm_type="shared")
    queue = situ.zeros(1, device="reference").queue
    moved = move(x, queue)
    assert moved.queue == queue
    assert moved.device.backend == "reference"
    assert moved.usm_type == "shared"
    assert address(moved) != address(x)
    np.testing.assert_array_equal(moved.to_numpy(), x.to_numpy())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "index", [np.s_[...], np.s_[::-2], np.s_[:, 1], np.s_[1:1], np.s_[2, 1], np.s_[..., None, ::2]]
)
def test_every_dtype_and_layout_arrives_on_another_device(dtype, index):
    values = (np.arange(12).reshape(4, 3) % 5).astype(dtype)
    x = situ.asarray(values, device="native")[index]
    there = x.to_device("reference")
    np.testing.assert_array_equal(there.to_numpy(), values[index])
    assert there.dtype == dtype
    back = there.copy_to("native")
    np.testing.assert_array_equal(back.to_numpy(), values[index])


def test_data_larger_than_a_piece_arrives_whole():
    values = np.arange(1_500_000.0)
    x = situ.asarray(values, device="native")
    np.testing.assert_array_equal(x.to_device("reference").to_numpy(), values)


def test_asarray_converts_on_the_way():
    x = situ.asarray(np.array([1.9, -2.2, 3.0]), device="native")
    for dtype in ("int8", "float32", "complex128"):
        moved = situ.asarray(x, dtype=dtype, device="reference", usm_type="host")
        assert (moved.dtype, moved.usm_type) == (dtype, "host")
        np.testing.assert_array_equal(moved.to_numpy(), x.to_numpy().astype(dtype))


def test_copy_to_always_copies():
    x = situ.asarray([1.0, 2.0])
    copy = x.copy_to()
    assert copy.queue == situ.current()
    copy[0] = 9
    assert x[0].item() == 1
    assert address(x.copy_to(x.queue)) != address(x)
    with situ.current("reference"):
        assert x.copy_to().device.backend == "reference"


def test_copy_false_refuses_with_every_reason():
    x = situ.asarray([1.0, 2.0], device="native", usm_type="shared")
    assert situ.asarray(x, copy=False) is x
    with pytest.raises(ValueError, match="without a copy") as caught:
        situ.asarray(x, dtype="int8", device="reference", usm_type="host", copy=False)
    message = str(caught.value)
    assert "context" in message
    assert "it is shared memory, not host memory" in message
    assert "its elements are float64, not int8" in message
    for host in (np.ones(2), [1.0], 3, b"ab"):
        with pytest.raises(ValueError, match="cannot avoid a copy"):
            situ.asarray(host, copy=False)


def test_copy_true_copies():
    x = situ.asarray([1.0, 2.0])
    copy = situ.asarray(x, copy=True)
    assert copy.queue == x.queue
    assert address(copy) != address(x)


def test_another_kind_of_memory_is_a_copy():
    x = situ.asarray([1.0, 2.0], usm_type="device")
    for usm_type in ("shared", "host"):
        moved = situ.asarray(x, usm_type=usm_type)
        assert moved.usm_type == usm_type
        assert moved.queue == x.queue
        np.testing.assert_array_equal(moved.to_numpy(), [1, 2])
    assert situ.asarray(x, usm_type="device") is x


def test_a_named_place_is_checked_before_anything_moves():
    x = situ.asarray([1.0])
    with pytest.raises(situ.DeviceError):
        x.to_device("warp drive")
    with pytest.raises(TypeError):
        x.to_device(3.5)
    with pytest.raises(TypeError):
        x.to_device(None)
    with pytest.raises(ValueError, match="both `device` and `queue`"):
        situ.asarray(x, device="native", queue=x.queue)
    with pytest.raises(ValueError, match="USM kind"):
        situ.asarray(x, usm_type="texture")
    with pytest.raises(ValueError, match="stream"):
        x.to_device("native", stream=1)
    with pytest.raises(TypeError):
        x.collocate(np.ones(1))


SOURCES = {
    "C order": np.arange(6.0).reshape(2, 3),
    "Fortran order": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "strided": np.arange(24.0).reshape(4, 6)[::2, ::-2],
    "broadcast": np.broadcast_to(np.arange(3), (2, 3)),
    "big-endian": np.arange(6, dtype=">i4").reshape(2, 3),
    "unaligned": np.frombuffer(bytes(range(33)), dtype="u1")[1:].view("<i8"),
    "0-d": np.array(2.5),
    "empty": np.zeros((0, 3), "float32"),
    "read-only": np.frombuffer(b"12345678", dtype="u1"),
    "masked by a list": np.arange(5)[[0, 3]],
}


@pytest.mark.parametrize("name", SOURCES)
def test_numpy_arrays_of_any_order(name, device):
    host = SOURCES[name]
    x = situ.asarray(host, device=device)
    np.testing.assert_array_equal(x.to_numpy(), host)
    assert x.shape == host.shape
    assert x.dtype == host.dtype.newbyteorder("=")


@pytest.mark.parametrize(
    ("source", "dtype"),
    [
        (bytearray(b"abc"), "uint8"),
        (memoryview(b"abcdef")[::2], "uint8"),
        (memoryview(np.arange(6.0).reshape(2, 3)), "float64"),
        (array.array("d", [1.0, 2.0]), "float64"),
        (array.array("i", [1, 2]), "int32"),
        (True, "bool"),
        (3, "int64"),
        (2.5, "float64"),
        (1 + 2j, "complex128"),
        (np.float32(2.5), "float32"),
        ([[1, 2], [3, 4]], "int64"),
        (([1, 2.5], (3, 4)), "float64"),
        ([], "float64"),
        (range(4), "int64"),
        ([np.arange(2.0), [5, 6]], "float64"),
    ],
)
def test_other_sources_mean_what_numpy_makes_of_them(source, dtype, device):
    x = situ.asarray(source, device=device)
    assert x.dtype == dtype
    np.testing.assert_array_equal(x.to_numpy(), np.asarray(source))


def test_bytes_are_a_buffer():
    np.testing.assert_array_equal(situ.asarray(b"\x01\x02").to_numpy(), [1, 2])
    assert situ.asarray(b"\x01\x02").dtype == np.uint8


def test_dlpack_producers_on_the_host():
    class Producer:
        def __init__(self, data):
            self.data = data

        def __dlpack__(self, **keywords):
            return self.data.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return self.data.__dlpack_device__()

    x = situ.asarray(Producer(np.arange(3.0)))
    np.testing.assert_array_equal(x.to_numpy(), [0, 1, 2])


class Described:
    """An object that shares the memory of an array by describing it."""

    def __init__(self, x, **changes):
        self.keep = x
        self.__sycl_usm_array_interface__ = {**x.__sycl_usm_array_interface__, **changes}


def test_described_memory_is_used_in_place(device):
    x = situ.asarray(np.arange(12.0).reshape(3, 4), device=device, usm_type="shared")
    for view in (x, x[1:], x.T, x[::-1, ::2], x[1, 1], x[1:1]):
        y = situ.asarray(Described(view))
        assert (y.shape, y.dtype, y.usm_type) == (view.shape, view.dtype, "shared")
        assert situ.queues_equivalent(y.queue, x.queue)
        np.testing.assert_array_equal(y.to_numpy(), view.to_numpy())
    y = situ.asarray(Described(x[0]), copy=False)
    y[0] = 99
    assert x[0, 0].item() == 99
    assert address(situ.asarray(Described(x), copy=True)) != address(x)
    inside = Described(x, data=(address(x) + 8, False), shape=(2,), strides=None, offset=1)
    np.testing.assert_array_equal(situ.asarray(inside).to_numpy(), [2, 3])


def test_an_allocation_is_an_array_of_bytes():
    memory = situ.memory.Allocation(4, "shared")
    x = situ.asarray(memory)
    x[:] = 7
    assert bytes(memory) == b"\x07\x07\x07\x07"


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": (4, 4)},
        {"shape": (2**62, 2**62)},
        {"strides": (4, -1)},
        {"strides": (2**62, 2**62)},
        {"strides": (4,)},
        {"offset": 1},
        {"offset": -1},
        {"offset": 2**62},
        {"data": (8, False)},
        {"typestr": "<f9"},
        {"typestr": "<c16"},
        {"version": 2},
    ],
    ids=repr,
)
def test_descriptions_that_lie_are_refused(changes):
    x = situ.asarray(np.arange(12.0).reshape(3, 4))
    with pytest.raises((ValueError, TypeError)):
        situ.asarray(Described(x, **changes))
    outside = Described(x, data=(address(x) + 4, False), shape=(1,))
    with pytest.raises(ValueError, match="aligned"):
        situ.asarray(outside)


def test_sequences_of_situ_arrays_stay_where_they_are(device):
    x = situ.asarray(np.arange(4.0), device=device, usm_type="shared")
    made = situ.asarray([[x[0], 1], (x[2], x[3])])
    assert made.queue == x.queue
    assert made.usm_type == "shared"
    np.testing.assert_array_equal(made.to_numpy(), [[0, 1], [2, 3]])
    stacked = situ.asarray([x, x])
    assert stacked.shape == (2, 4)
    elsewhere = situ.asarray([x[0]], device="reference", usm_type="host")
    assert (elsewhere.device.backend, elsewhere.usm_type) == ("reference", "host")


def test_sequences_of_arrays_from_several_devices_are_refused():
    x, y = situ.zeros((), device="native"), situ.zeros((), device="reference")
    with pytest.raises(situ.PlacementError, match="`asarray`"):
        situ.asarray([x, y])
    made = situ.asarray([x, y], device="native")
    assert made.device.backend == "native"


@pytest.mark.parametrize(
    "source",
    ["text", [1, "a"], None, object(), decimal.Decimal(1), [[1, 2], [3]], {1: 2}, np.array(["a"])],
)
def test_what_is_no_data_is_refused(source):
    with pytest.raises((TypeError, ValueError)):
        situ.asarray(source)


def test_a_list_that_contains_itself_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises((ValueError, RecursionError, TypeError)):
        situ.asarray(loop)


def test_arrays_of_a_place_combine_with_what_is_there(device):
    x = situ.asarray(np.ones(2), device=device)
    for y in (
        situ.asarray(np.ones(2), device=x.device),
        situ.asarray(np.ones(2), queue=x.queue),
        situ.ones(2, device=x.device),
        situ.ones(2, queue=x.queue),
        situ.asarray(np.ones(2), device=x),
    ):
        np.testing.assert_array_equal((x + y).to_numpy(), 2)
