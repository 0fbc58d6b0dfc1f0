"""Contexts: which devices see an allocation."""

import pickle

import pytest

import situ
from situ.testing import virtual_devices


@pytest.fixture
def gpus():
    with virtual_devices("gpu:2") as devices:
        yield devices


def test_a_root_device_has_one_default_context(device):
    context = device.default_context
    assert context == situ.Device(device.filter_string).default_context
    assert context.is_default
    assert context.devices == [device]
    assert device in context
    assert repr(context) == f"<situ.Context default over {device.filter_string}>"


def test_a_new_context_is_another_one():
    first, second = situ.Context("native"), situ.Context("native")
    assert first != second
    assert first == first
    assert len({first, second, situ.Device().default_context}) == 3
    assert not first.is_default
    assert situ.Context(first) == first
    assert repr(first) == "<situ.Context over native:cpu:0>"


def test_contexts_are_made_over_whatever_names_devices(gpus):
    first, second = gpus
    assert situ.Context().devices == [situ.Device()]
    assert situ.Context(first).devices == [first]
    assert situ.Context(situ.Queue(first)).devices == [first]
    assert situ.Context([first, second.filter_string]).devices == [first, second]
    assert situ.Context((first, second, first)).device_count == 2


def test_a_context_covers_devices_and_their_parts(gpus):
    first, second = gpus
    tiles = first.create_sub_devices("numa")
    whole = situ.Context(first)
    assert tiles[0] in whole
    assert tiles[0].create_sub_devices(1)[3] in whole
    assert second not in whole
    part = situ.Context(tiles)
    assert part.device_count == 2
    assert tiles[1] in part
    assert first not in part
    assert "gpu" not in part


def test_devices_of_several_backends_share_no_context(gpus):
    with pytest.raises(situ.DeviceError, match="all of them from one platform") as caught:
        situ.Context([situ.Device("native"), gpus[0]])
    assert "`native:cpu:0`" in str(caught.value)
    with pytest.raises(situ.DeviceError, match="at least one device"):
        situ.Context([])


def test_only_default_contexts_are_pickled(gpus):
    default = gpus[1].default_context
    assert pickle.loads(pickle.dumps(default)) == default
    with pytest.raises(TypeError, match=r"cannot pickle <situ\.Context over") as caught:
        pickle.dumps(situ.Context(gpus))
    assert "pickle its devices" in str(caught.value)


def test_queues_are_made_in_a_context(gpus):
    first, second = gpus
    context = situ.Context(gpus)
    tile = second.create_sub_devices("L2_cache")[0]
    for device in (first, second, tile, second.filter_string):
        queue = situ.Queue(context, device)
        assert queue.context == context
        assert queue.device == situ.Device(device)
    assert situ.Queue(context).device == first
    assert situ.Queue(tile).context == second.default_context
    with pytest.raises(situ.DeviceError, match="cannot make a queue for `native:cpu:0`"):
        situ.Queue(context, "native")
    with pytest.raises(TypeError, match=r"for a situ\.Context and one of its devices"):
        situ.Queue("gpu", first)
