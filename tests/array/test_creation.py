"""Arrays from host data and constants, and back."""

import array as stdlib_array

import numpy as np
import pytest

import situ
import situ.testing

DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_round_trip_keeps_every_bit(device, dtype):
    raw = np.random.default_rng(1).integers(0, 256, 16 * 24, dtype=np.uint8)
    host = (raw % 2).astype(bool) if dtype == "bool" else raw.view(dtype)
    x = situ.asarray(host, device=device)
    assert x.dtype == np.dtype(dtype)
    assert x.device == device
    assert x.to_numpy().tobytes() == host.tobytes()


@pytest.mark.parametrize(
    "data",
    [3, 2.5, True, 1 + 2j, [], [1, 2], [[1.0], [2.0]], np.float32(2), np.zeros((0, 3)), ()],
    ids=repr,
)
def test_sequences_and_scalars_become_what_numpy_makes_of_them(data):
    expected = np.asarray(data)
    x = situ.asarray(data)
    assert x.shape == expected.shape
    assert x.dtype == expected.dtype
    np.testing.assert_array_equal(x.to_numpy(), expected)


def test_strided_and_foreign_byte_order_host_arrays_are_taken():
    host = np.arange(24.0).reshape(4, 6)
    for view in (host.T, host[::-1, ::2], host[1:, 3], np.broadcast_to(host[0], (3, 6))):
        np.testing.assert_array_equal(situ.asarray(view).to_numpy(), view)
    big_endian = np.arange(5, dtype=">i4")
    x = situ.asarray(big_endian)
    assert x.dtype == np.int32
    np.testing.assert_array_equal(x.to_numpy(), big_endian)


def test_buffer_protocol_objects_are_taken():
    x = situ.asarray(stdlib_array.array("f", [1.0, 2.0]))
    assert x.dtype == np.float32
    np.testing.assert_array_equal(situ.asarray(memoryview(b"\x01\x02")).to_numpy(), [1, 2])


def test_asarray_of_an_array_is_the_array():
    x = situ.asarray([1.0, 2.0])
    assert situ.asarray(x) is x
    copy = situ.asarray(x, copy=True)
    copy[0] = 9.0
    assert x.to_numpy()[0] == 1.0
    assert situ.asarray(x, dtype="int32").dtype == np.int32
    with pytest.raises(ValueError, match="without a copy"):
        situ.asarray(x, dtype="int32", copy=False)


def test_usm_kinds_are_remembered():
    for kind in ("device", "shared", "host"):
        assert situ.asarray([1], usm_type=kind).usm_type == kind
    assert (situ.asarray([1], usm_type="shared") + situ.asarray([1], usm_type="host")).usm_type == (
        "shared"
    )
    with pytest.raises(ValueError, match=r"device.*shared.*host"):
        situ.asarray([1], usm_type="disk")


@pytest.mark.parametrize("data", ["text", ["a"], [object()], np.array(["2020"], dtype="M8[Y]")])
def test_data_without_numbers_is_refused(data):
    with pytest.raises(situ.DTypeError, match="situ has no dtype"):
        situ.asarray(data)


def test_constants(device):
    np.testing.assert_array_equal(situ.zeros((2, 3), device=device).to_numpy(), np.zeros((2, 3)))
    np.testing.assert_array_equal(situ.ones(4, dtype="int8").to_numpy(), np.ones(4, "int8"))
    filled = situ.full((2, 2), 1.5, dtype="complex64", device=device)
    np.testing.assert_array_equal(filled.to_numpy(), np.full((2, 2), 1.5, "complex64"))
    assert situ.full(3, True).dtype == np.bool_
    assert situ.empty(0).shape == (0,)
    with pytest.raises(ValueError, match="negative"):
        situ.zeros((-1,))


def test_arrays_are_filled_with_arrays(device):
    row = situ.asarray([1, 2, 3], dtype="int32", device=device)
    filled = situ.full((2, 3), row)
    assert (filled.dtype, filled.device) == (np.int32, device)
    np.testing.assert_array_equal(filled.to_numpy(), np.full((2, 3), row.to_numpy()))
    one = situ.full_like(filled, row[1], dtype="float32")
    np.testing.assert_array_equal(one.to_numpy(), np.full((2, 3), 2, "float32"))
    with pytest.raises(situ.ShapeError, match="broadcast"):
        situ.full((3, 2), row)


def test_arrays_are_not_filled_with_those_of_other_devices():
    with situ.testing.virtual_devices("gpu") as (gpu,):
        number = situ.asarray(2.0, device=gpu)
        assert situ.full(3, number).device == gpu
        with pytest.raises(situ.PlacementError):
            situ.full(3, number, device="native")


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("num", [0, 1, 2, 7])
def test_ends_may_be_arrays(device, num, endpoint):
    start, stop = np.array([[0.0], [-2.5]], "float32"), np.array([1.0, 4.0, 9.0], "float32")
    there = [situ.asarray(end, device=device) for end in (start, stop)]
    result = situ.linspace(*there, num, endpoint=endpoint)
    assert result.device == device
    expected = np.linspace(start, stop, num, endpoint=endpoint)
    assert result.shape == expected.shape
    np.testing.assert_allclose(result.to_numpy(), expected, rtol=1e-6)
    number = situ.linspace(there[1][1], 10, num, endpoint=endpoint)
    np.testing.assert_allclose(number.to_numpy(), np.linspace(4, 10, num, endpoint), rtol=1e-6)


def test_arrays_like_others_may_have_another_shape(device):
    x = situ.ones((2, 3), dtype="int16", device=device)
    for make in (situ.empty_like, situ.ones_like, situ.zeros_like):
        other = make(x, shape=(4,))
        assert (other.shape, other.dtype, other.device) == ((4,), np.int16, device)
    assert situ.full_like(x, 7, shape=()).item() == 7


def test_impossible_sizes_are_memory_or_shape_errors():
    with pytest.raises(situ.ShapeError, match="more elements than can be counted"):
        situ.empty((2**40, 2**40))
    with pytest.raises(MemoryError, match="out of memory"):
        situ.empty(2**50, dtype="int8")


def test_unknown_selectors_list_what_there_is():
    with pytest.raises(situ.DeviceError, match="native:cpu:0"):
        situ.asarray([1], device="gpu:7")
    with pytest.raises(TypeError, match="selector string"):
        situ.asarray([1], device=3.5)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32", "complex64"])
@pytest.mark.parametrize("name", ["tril", "triu"])
def test_triangles_agree_with_numpy(name: str, dtype: str, device: situ.Device) -> None:
    x = (np.arange(24) % 5).astype(dtype).reshape(2, 3, 4)
    a = situ.asarray(x, device=device, usm_type="shared")
    views = (
        lambda x: x,
        lambda x: x[0].T,
        lambda x: x.T,
        lambda x: x[:, ::-1, ::2],
        lambda x: x[..., :1],
        lambda x: x[:, :0],
    )
    for view in views:
        for k in (0, 1, -2, 100, -100):
            found = getattr(situ, name)(view(a), k)
            expected = getattr(np, name)(view(x), k)
            assert (found.dtype, found.usm_type) == (expected.dtype, "shared")
            np.testing.assert_array_equal(found.to_numpy(), expected)
