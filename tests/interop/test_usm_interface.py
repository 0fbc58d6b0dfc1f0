"""`__sycl_usm_array_interface__`: every entry in every form, and refusals of what cannot be.

Memory here is situ's, so that all of it runs on every device. That of dpctl and dpnp has files of
its own.
"""

import gc
import weakref

import numpy as np
import pytest

import situ


class Described:
    """An array of another package, which changes some entries."""

    def __init__(self, x, **changes) -> None:
        self.keep = x
        self.__sycl_usm_array_interface__ = {**x.__sycl_usm_array_interface__, **changes}


class Dict:
    """An object whose description is whatever it is given."""

    def __init__(self, description) -> None:
        self.__sycl_usm_array_interface__ = description


def address(x):
    return x.__sycl_usm_array_interface__["data"][0]


def triple(device):
    backend, device_type, number = device.filter_string.split(":")
    return backend, device_type, int(number)


class Member:
    """A member of an enumeration, as dpctl has them."""

    def __init__(self, name) -> None:
        self.name = name


# What `syclobj` may be.


def forms(x):
    """Return everything that says where an array is."""
    backend, device_type, number = triple(x.device)
    found = {
        "queue": x.queue,
        "equivalent queue": situ.Queue(x.device),
        "context": x.context,
        "filter string": x.device.filter_string,
        "triple": (backend, device_type, number),
        "enumerations": (Member(backend), Member(device_type), number),
        "nothing": None,
    }
    if x.device.backend == "sycl":
        found |= {
            "capsule of a queue": x.queue._get_capsule(),
            "capsule of a context": x.context._get_capsule(),
        }
    return found


def test_every_form_of_syclobj_leads_to_the_memory(device):
    x = situ.asarray(np.arange(12.0).reshape(3, 4), device=device)
    view = x[::-1, 1::2]
    for name, syclobj in forms(x).items():
        y = situ.asarray(Described(view, syclobj=syclobj))
        assert address(y) == address(view), name
        assert (y.device, y.context) == (x.device, x.context), name
        assert y.strides == view.strides, name
        assert situ.queues_equivalent(y.queue, x.queue), name
        np.testing.assert_array_equal((y + view).to_numpy(), 2 * view.to_numpy())


def test_the_queue_of_the_source_is_found_by_its_context(device):
    for queue in (
        situ.Queue(device, in_order=False),
        situ.Queue(device, enable_profiling=device.has_aspect("queue_profiling")),
    ):
        x = situ.ones(3, queue=queue)
        for syclobj in (x.context, device.filter_string, triple(device), None):
            y = situ.asarray(Described(x, syclobj=syclobj))
            assert situ.queues_equivalent(y.queue, x.queue)
            np.testing.assert_array_equal((x + y).to_numpy(), 2)


def test_a_number_is_a_device_like_the_default_one():
    x = situ.ones(3, device=situ.Device())
    number = triple(x.device)[2]
    y = situ.asarray(Described(x, syclobj=number))
    assert address(y) == address(x)
    assert situ.queues_equivalent(y.queue, x.queue)
    with pytest.raises(situ.AddressError, match="`syclobj` is 77"):
        situ.asarray(Described(x, syclobj=77))


def test_a_queue_with_other_properties_is_kept(device):
    x = situ.ones(3, device=device)
    other = situ.Queue(device, in_order=False)
    y = situ.asarray(Described(x, syclobj=other))
    assert y.queue == other
    assert address(y) == address(x)


# What situ says of its own arrays.


@pytest.mark.parametrize(
    "index", [np.s_[...], np.s_[::-1], np.s_[1:, ::-2], np.s_[2, 1], np.s_[:0]]
)
def test_descriptions_are_complete_and_go_round(device, index):
    values = np.arange(12, dtype="int16").reshape(3, 4)
    x = situ.asarray(values, device=device, usm_type="shared")[index]
    interface = x.__sycl_usm_array_interface__
    assert set(interface) == {
        *("data", "shape", "strides", "typestr", "offset", "syclobj", "version"),
    }
    assert interface["version"] == 1
    assert interface["typestr"] == "<i2"
    assert interface["syclobj"] == x.queue
    assert interface["data"][1] is False
    if values[index].size:
        first = np.asarray(x).__array_interface__["data"][0]
        assert interface["data"][0] + interface["offset"] * 2 == first
    y = situ.asarray(Described(situ.asarray(Described(x))))
    assert (y.shape, y.usm_type) == (x.shape, "shared")
    assert y.strides == x.strides
    np.testing.assert_array_equal(y.to_numpy(), values[index])


def test_the_producer_of_known_memory_need_not_live(device):
    x = situ.asarray(np.arange(1000.0), device=device)
    described = Described(x)
    alive = weakref.ref(described)
    y = situ.asarray(described)
    del x, described
    gc.collect()
    assert alive() is None, "the memory is situ's own, and needs no other owner"
    for _ in range(5):
        situ.zeros(1000, device=device)
    np.testing.assert_array_equal(y.to_numpy(), np.arange(1000.0))


@pytest.mark.parametrize("flag", [True, False])
def test_nothing_follows_from_the_flag(flag):
    # Some packages say by it that memory is only to be read, and dpctl that it can be written.
    x = situ.asarray(np.arange(3.0))
    described = Described(x, data=(address(x), flag))
    y = situ.asarray(described, copy=False)
    assert address(y) == address(x)
    assert situ.add(described, 1.0, out=described) is described
    assert x.to_numpy().tolist() == [1.0, 2.0, 3.0]


# What cannot be.

GOOD = {
    "version": 1,
    "shape": (3, 4),
    "strides": None,
    "typestr": "<f8",
    "offset": 0,
}

LIES = [
    ({"version": None}, "its version is not 1, but None"),
    ({"version": 2}, "its version is not 1, but 2"),
    ({"version": "1"}, "its version is not 1, but '1'"),
    ({"data": None}, "not a pair of an address and a flag, but None"),
    ({"data": (-1, False)}, "not a pair of an address and a flag"),
    ({"data": ("here", False)}, "not a pair of an address and a flag"),
    ({"data": (2**70, False)}, "not a pair of an address and a flag"),
    ({"shape": None}, "no entry `shape`"),
    ({"shape": 3}, "`shape` is not a tuple of sizes, but 3"),
    ({"shape": (-1, 4)}, r"`shape` is not a tuple of sizes, but \(-1, 4\)"),
    ({"shape": (2.5,)}, "`shape` is not a tuple of sizes"),
    ({"shape": "ab"}, "`shape` is not a tuple of sizes"),
    ({"shape": (2**62, 2**62)}, "more elements than can be counted"),
    ({"shape": (2**70,)}, "`shape` is not a tuple of sizes"),
    ({"strides": 4}, "`strides` is not a tuple of steps, but 4"),
    ({"strides": (4,)}, "differ in length"),
    ({"strides": (2**62, 2**62)}, "lead out of the address space"),
    ({"strides": (-(2**62), 1)}, "lead out of the address space"),
    ({"offset": 2**62}, "lead out of the address space"),
    ({"offset": "first"}, "`offset` is not a number of elements, but 'first'"),
    ({"typestr": None}, "no entry `typestr`"),
    ({"typestr": "<f9"}, "`typestr` is '<f9', which is no dtype of situ"),
    ({"typestr": ">f8"}, "order of bytes"),
    ({"typestr": "<M8[s]"}, "which is no dtype of situ"),
    ({"typestr": "|O"}, "which is no dtype of situ"),
    ({"typestr": 8}, "which is no dtype of situ"),
]

OUTSIDE = [
    {"shape": (4, 4)},
    {"shape": (2**40,)},
    {"strides": (4, -1)},
    {"strides": (-4, 1)},
    {"offset": 1},
    {"offset": -1},
    {"typestr": "<c16"},
]


def check(failure) -> None:
    """Check that a message says what happened, why, and what to do."""
    headline, *parts = str(failure.value).splitlines()
    assert headline[0].islower()
    assert [part.split(":")[0].strip() for part in parts] == ["why", "help"]
    assert all(part.split(":", 1)[1].strip() for part in parts)


def uses(described):
    """Return everything that an array may be given to."""
    return [
        lambda: situ.asarray(described),
        lambda: situ.sin(described),
        lambda: situ.sum(described),
        lambda: situ.median(described),
        lambda: situ.concat([described]),
        lambda: situ.ones(1)[described],
        lambda: nothing(described),
        lambda: identity(described),
    ]


@situ.kernel
def nothing(x):
    """Do nothing."""
    situ.get_global_id(0)


@situ.njit
def identity(x):
    """Return the argument."""
    return x


@pytest.mark.parametrize(("changes", "words"), LIES, ids=repr)
def test_malformed_descriptions_say_what_was_found(changes, words):
    x = situ.asarray(np.arange(12.0).reshape(3, 4))
    described = Described(x, **changes)
    gc.collect()  # what earlier failures kept
    before = situ.memory.stats().total.used_bytes
    for use in uses(described):
        with pytest.raises(ValueError, match=words) as failure:
            use()
        check(failure)
        assert "`Described`" in str(failure.value)
    del failure, use
    gc.collect()
    assert situ.memory.stats().total.used_bytes == before


@pytest.mark.parametrize("changes", OUTSIDE, ids=repr)
def test_elements_outside_of_the_memory_are_refused(changes):
    x = situ.asarray(np.arange(12.0).reshape(3, 4))
    described = Described(x, **changes)
    for use in uses(described):
        with pytest.raises(ValueError, match=r"memory|address") as failure:
            use()
        check(failure)


def test_entries_that_are_missing_are_named():
    x = situ.asarray(np.arange(12.0).reshape(3, 4))
    whole = x.__sycl_usm_array_interface__
    for entry in ("version", "data", "shape", "typestr"):
        rest = {name: value for name, value in whole.items() if name != entry}
        with pytest.raises(ValueError, match=entry) as failure:
            situ.asarray(Dict(rest))
        check(failure)
    for entry in ("strides", "offset", "syclobj"):
        rest = {name: value for name, value in whole.items() if name != entry}
        np.testing.assert_array_equal(situ.asarray(Dict(rest)).to_numpy(), x.to_numpy())
    for description in (5, "text", [], None, whole.items()):
        with pytest.raises(ValueError, match="it is not a dict, but a") as failure:
            situ.asarray(Dict(description))
        check(failure)


@pytest.mark.parametrize(
    "syclobj",
    [7.5, b"gpu", ("a", "b"), ["opencl", "gpu", 0], object(), True, {}],
    ids=lambda syclobj: type(syclobj).__name__,
)
def test_syclobj_of_another_type_is_refused(syclobj):
    x = situ.ones(3)
    with pytest.raises(situ.AddressError, match="its `syclobj` is") as failure:
        situ.asarray(Described(x, syclobj=syclobj))
    check(failure)
    assert "a filter string such as" in str(failure.value)


def test_memory_is_where_it_says_or_refused():
    x = situ.ones(3, device="native")
    other = situ.Queue("reference")
    for syclobj in (other, other.context, "reference", ("reference", "cpu", 0), "nowhere:gpu:3"):
        with pytest.raises(situ.AddressError, match="is not where it says") as failure:
            situ.asarray(Described(x, syclobj=syclobj))
        check(failure)
        assert "native:cpu:0" in str(failure.value)
    private = situ.Context(x.device)
    with pytest.raises(situ.AddressError, match=r"memory belongs to context \d+ of"):
        situ.asarray(Described(x, syclobj=situ.Queue(private, x.device)))


def test_addresses_of_others_and_of_freed_memory_are_refused():
    host = np.zeros(3)
    x = situ.ones(3)
    for syclobj in (x.queue, x.context, "native", None):
        lie = Described(x, data=(host.ctypes.data, False), syclobj=syclobj)
        with pytest.raises(situ.AddressError, match="no memory of situ at address") as failure:
            situ.asarray(lie)
        check(failure)
    gone = x.__sycl_usm_array_interface__
    del x, lie, failure
    gc.collect()
    with pytest.raises(situ.AddressError, match="was freed"):
        situ.asarray(Dict(gone))
    situ.ones(3)
    with pytest.raises(situ.AddressError, match="was freed"):
        situ.sin(Dict(gone))


def test_a_description_that_fails_is_the_failure_that_is_seen():
    class Broken:
        @property
        def __sycl_usm_array_interface__(self):
            msg = "the device is gone"
            raise RuntimeError(msg)

    for use in uses(Broken()):
        with pytest.raises(RuntimeError, match="the device is gone"):
            use()


def test_a_class_of_arrays_is_no_array():
    class Array:
        @property
        def __sycl_usm_array_interface__(self):
            raise AssertionError

    for use in (situ.asarray, situ.sin, situ.median):
        with pytest.raises(TypeError):
            use(Array)
