"""Capsules of DLPack that are not what they should be: each is refused, and given back once."""

import ctypes
import gc
from types import SimpleNamespace

import numpy as np
import pytest

import situ


class Device(ctypes.Structure):
    """Where memory is."""

    _fields_ = [("kind", ctypes.c_int32), ("id", ctypes.c_int32)]


class DataType(ctypes.Structure):
    """What elements are."""

    _fields_ = [
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    ]


class Tensor(ctypes.Structure):
    """An array."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Versioned(ctypes.Structure):
    """An array with what frees it."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


make_capsule = ctypes.pythonapi.PyCapsule_New
make_capsule.restype = ctypes.py_object
make_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
NAME = b"dltensor_versioned"


class Producer:
    """An array of three numbers, of which anything can be changed."""

    def __init__(self, **changes) -> None:
        self.host = np.arange(3.0)
        self.freed = 0
        self.said = changes.pop("said", (1, 0))
        shape, strides = changes.pop("shape", (3,)), changes.pop("strides", None)
        self._numbers = [
            None if numbers is None else (ctypes.c_int64 * max(len(numbers), 1))(*numbers)
            for numbers in (shape, strides)
        ]
        self._deleter = DELETER(self._free)
        pointers = [
            ctypes.cast(numbers, ctypes.POINTER(ctypes.c_int64)) if numbers else None
            for numbers in self._numbers
        ]
        tensor = Tensor(
            data=changes.pop("data", self.host.ctypes.data),
            device=Device(*changes.pop("device", (1, 0))),
            ndim=changes.pop("ndim", 0 if shape is None else len(shape)),
            dtype=DataType(*changes.pop("dtype", (2, 64, 1))),
            shape=pointers[0],
            strides=pointers[1],
            byte_offset=changes.pop("byte_offset", 0),
        )
        self.managed = Versioned(
            major=changes.pop("major", 1),
            minor=0,
            deleter=self._deleter,
            flags=changes.pop("flags", 0),
            tensor=tensor,
        )
        assert not changes

    def _free(self, _managed) -> None:
        self.freed += 1

    def __dlpack_device__(self) -> tuple[int, int]:  # noqa: D105
        return self.said

    def __dlpack__(self, **_keywords) -> object:  # noqa: D105
        return make_capsule(ctypes.addressof(self.managed), NAME, None)


def test_a_good_one_is_used_in_place_and_given_back_once():
    producer = Producer(strides=(-1,), byte_offset=16)
    x = situ.from_dlpack(producer)
    assert x.to_numpy().tolist() == [2.0, 1.0, 0.0]
    x[0] = 9.0
    assert producer.host.tolist() == [0.0, 1.0, 9.0]
    y = x[1:]
    del x
    gc.collect()
    assert producer.freed == 0
    del y
    gc.collect()
    assert producer.freed == 1


BAD = {
    "a version of the future": ({"major": 2}, "DLPack's version 2.0"),
    "a negative size": ({"shape": (-3,)}, "negative size"),
    "no shape": ({"shape": None, "ndim": 1}, "does not say which shape"),
    "negative dimensions": ({"ndim": -1}, "does not say which shape"),
    "too many dimensions": ({"shape": (1,) * 65}, "65 dimensions"),
    "uncountable": ({"shape": (2**62, 2**62)}, "more elements than can be counted"),
    "far strides": ({"strides": (2**62,)}, "out of the address space"),
    "strides to before the start": ({"strides": (-(2**62),)}, "out of the address space"),
    "no address": ({"data": None}, "no address"),
    "vectors": ({"dtype": (2, 32, 4)}, "32 bits in 4 lanes"),
    "brain floats": ({"dtype": (4, 16, 1)}, "type code 4"),
    "wide floats": ({"dtype": (2, 128, 1)}, "128 bits"),
    "half a byte": ({"dtype": (0, 4, 1)}, "4 bits"),
    "another device than it said": ({"device": (2, 0)}, r"DLPack device \(2, 0\)"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_one_is_refused_with_the_reason_and_given_back(name):
    changes, words = BAD[name]
    producer = Producer(**changes)
    before = situ.memory.stats().total.used_bytes
    for copy in (None, False):
        producer.freed = 0
        with pytest.raises(BufferError, match=words) as failure:
            situ.from_dlpack(producer, copy=copy)
        headline, *parts = str(failure.value).splitlines()
        assert headline == "this DLPack array cannot be used in place"
        assert [part.split(":")[0].strip() for part in parts] == ["why", "help"]
        gc.collect()
        assert producer.freed == 1
    assert situ.memory.stats().total.used_bytes == before


def test_what_is_no_capsule_is_refused():
    class Wrong(Producer):
        def __dlpack__(self, **_keywords):
            return self.answer

    wrong = Wrong()
    spent = make_capsule(ctypes.addressof(wrong.managed), b"used_dltensor_versioned", None)
    for answer in (
        None,
        5,
        spent,
        make_capsule(ctypes.addressof(wrong.managed), b"something else", None),
    ):
        wrong.answer = answer
        with pytest.raises(TypeError, match="did not return a DLPack capsule") as failure:
            situ.from_dlpack(wrong)
        assert "good for one use" in str(failure.value)
    assert wrong.freed == 0, "it is not ours"


def test_a_producer_that_fails_is_the_failure_that_is_seen():
    class Broken(Producer):
        def __dlpack__(self, **_keywords):
            msg = "out of paper"
            raise OSError(msg)

    with pytest.raises(OSError, match="out of paper"):
        situ.from_dlpack(Broken())


def test_a_device_of_sycl_that_is_not_there():
    producer = Producer(said=(14, 99), device=(14, 99))
    with pytest.raises(BufferError, match="it is on the SYCL device 99 of dpctl"):
        situ.from_dlpack(producer)
    assert producer.freed == 1


def test_memory_of_a_sycl_device_is_taken_in_place_and_given_back_once():
    if not situ.devices("sycl"):
        pytest.skip("there is no device of the backend `sycl`")
    dpctl = pytest.importorskip("dpctl")
    dpm = pytest.importorskip("dpctl.memory")
    ours = situ.Queue("sycl").to_dpctl()
    queue = dpctl.SyclQueue(ours.sycl_context, ours.sycl_device)
    memory = dpm.MemoryUSMDevice(24, queue=queue)
    memory.copy_from_host(np.arange(3.0).view("u1"))
    place = (14, queue.sycl_device.get_device_id())
    producer = Producer(
        said=place, device=place, data=memory._pointer, strides=(-1,), byte_offset=16
    )
    x = situ.from_dlpack(producer)
    assert (x.device, x.usm_type) == (situ.Device("sycl"), "device")
    assert x.to_numpy().tolist() == [2.0, 1.0, 0.0]
    x[0] = 9.0
    assert memory.copy_to_host().view("f8").tolist() == [0.0, 1.0, 9.0]
    assert producer.freed == 0
    del x
    gc.collect()
    assert producer.freed == 1
    read_only = Producer(said=place, device=place, data=memory._pointer, flags=1)
    with pytest.raises(BufferError, match="read-only"):
        situ.from_dlpack(read_only, copy=False)
    copy = situ.from_dlpack(read_only)
    copy[:] = 0.0
    assert memory.copy_to_host().view("f8").tolist() == [0.0, 1.0, 9.0]
    gc.collect()
    assert read_only.freed == 2


def test_memory_of_a_sycl_device_goes_out_and_comes_back():
    if not situ.devices("sycl"):
        pytest.skip("there is no device of the backend `sycl`")
    pytest.importorskip("dpctl")
    used = situ.memory.stats().total.used_bytes
    x = situ.asarray(np.arange(12.0).reshape(3, 4), device="sycl", usm_type="device")[:, ::-2]
    number = x.queue.to_dpctl().sycl_device.get_device_id()
    assert x.__dlpack_device__() == (14, number)

    only_dlpack = SimpleNamespace(__dlpack_device__=x.__dlpack_device__, __dlpack__=x.__dlpack__)
    y = situ.from_dlpack(only_dlpack)
    assert (y.device, y.usm_type, y.shape) == (x.device, "device", (3, 2))
    y[0, 0] = 99.0
    assert x.to_numpy().tolist() == [[99.0, 1.0], [7.0, 5.0], [11.0, 9.0]]
    # Shared memory is the host's for everybody, and the device's for those who ask for that.
    shared = situ.ones(2, device="sycl", usm_type="shared")
    assert shared.__dlpack_device__() == (1, 0)
    assert "dltensor" in repr(shared.__dlpack__(dl_device=(14, number), copy=True))
    with pytest.raises(BufferError, match=r"cannot go to the DLPack device \(14, 99\)"):
        x.__dlpack__(dl_device=(14, 99))
    with pytest.raises(BufferError, match=r"cannot go to the DLPack device \(14, 0\)"):
        situ.ones(2).__dlpack__(dl_device=(14, 0))
    np.testing.assert_array_equal(np.from_dlpack(x, device="cpu"), x.to_numpy())
    del x, y, shared, only_dlpack
    gc.collect()
    assert situ.memory.stats().total.used_bytes == used


def test_a_capsule_that_nobody_takes_frees_its_array():
    before = situ.memory.stats().total.used_bytes
    for _ in range(3):
        situ.ones(100_000).__dlpack__(max_version=(1, 1))
    gc.collect()
    assert situ.memory.stats().total.used_bytes == before
