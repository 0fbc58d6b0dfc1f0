"""Where calls run: every mix of queues, USM kinds and arguments, against a model of the rules.

The model knows a queue by three words: for its context, its device and its properties. Refusals
must name everything, and the line they advise must mend the very call that was refused.
"""

import itertools
import re
from array import array as buffer
from dataclasses import dataclass

import numpy as np
import pytest

import situ
from situ import _native
from situ.testing import virtual_devices

USM_TYPES = ("device", "shared", "host")


@dataclass(frozen=True)
class Words:
    """What the model knows about a queue."""

    context: str
    device: str
    properties: str = "plain"


WORDS = {
    "first": Words("default of gpu 0", "gpu 0"),
    "equivalent": Words("default of gpu 0", "gpu 0"),
    "profiling": Words("default of gpu 0", "gpu 0", "profiling"),
    "out of order": Words("default of gpu 0", "gpu 0", "out of order"),
    "other context": Words("own", "gpu 0"),
    "other device": Words("default of gpu 1", "gpu 1"),
    "tile 0": Words("default of gpu 0", "tile 0"),
    "tile 1": Words("default of gpu 0", "tile 1"),
    "tile 0 of a context": Words("tiles", "tile 0"),
    "tile 1 of a context": Words("tiles", "tile 1"),
    "native": Words("default of cpu", "cpu"),
}


@pytest.fixture(scope="module")
def queues():
    """One queue for each entry of `WORDS`."""
    with virtual_devices("gpu:2") as (gpu0, gpu1):
        tile0, tile1 = gpu0.create_sub_devices(equally=4)
        default = gpu0.default_context
        own, tiles = situ.Context(gpu0), situ.Context([tile0, tile1])
        made = {
            "first": situ.Queue(gpu0),
            "equivalent": situ.Queue(gpu0),
            "profiling": situ.Queue(default, gpu0, enable_profiling=True),
            "out of order": situ.Queue(default, gpu0, in_order=False),
            "other context": situ.Queue(own, gpu0),
            "other device": situ.Queue(gpu1),
            "tile 0": situ.Queue(tile0),
            "tile 1": situ.Queue(default, tile1),
            "tile 0 of a context": situ.Queue(tiles, tile0),
            "tile 1 of a context": situ.Queue(tiles, tile1),
            "native": situ.Queue("native"),
        }
        assert made.keys() == WORDS.keys()
        yield made


@dataclass(frozen=True)
class Array:
    """An array argument: its queue's name and its USM kind."""

    queue: str
    usm_type: str = "device"


@dataclass(frozen=True)
class Refused:
    """The model's refusal, with a part of the reason."""

    reason: str


def model(arguments, explicit=None):
    """Return the name of the queue that runs a call and the result's USM kind, or why not."""
    arrays = [argument for argument in arguments if isinstance(argument, Array)]
    if "host array" in arguments:
        return Refused("never copies silently" if arrays else "computes where the data lives")
    usm_type = min((each.usm_type for each in arrays), key=USM_TYPES.index, default="device")
    if explicit is not None:
        if any(WORDS[each.queue].context != WORDS[explicit].context for each in arrays):
            return Refused("a queue can only use memory of its own context")
        return explicit, usm_type
    first = WORDS[arrays[0].queue]
    others = [WORDS[each.queue] for each in arrays if WORDS[each.queue] != first]
    if not others:
        return arrays[0].queue, usm_type
    apart = [other for other in others if other.context != first.context]
    if any(other.device != first.device for other in apart):
        return Refused("the devices differ")
    if apart:
        return Refused("but memory of one context")
    if any(other.device != first.device for other in others):
        return Refused("they share a context")
    return Refused("different properties")


def made(argument, queues):
    """Return a fresh Python object for an argument of the model."""
    if isinstance(argument, Array):
        return situ.ones(2, queue=queues[argument.queue], usm_type=argument.usm_type)
    return np.ones(2) if argument == "host array" else 1.0


def check(call, names, arguments, queues, explicit=None):
    """Compare a call with the model; `names` are those of its parameters."""
    objects = {name: made(each, queues) for name, each in zip(names, arguments, strict=True)}
    if explicit is not None:
        objects["queue"] = queues[explicit]
    expected = model(arguments, explicit)
    if isinstance(expected, Refused):
        with pytest.raises(situ.PlacementError) as caught:
            call(**objects)
        check_message(str(caught.value), expected.reason, objects)
        exec(advice(str(caught.value)), {"situ": situ}, objects)
        call(**objects)
        return
    queue, usm_type = expected
    placement = situ.placement_of(*(objects[name] for name in names), queue=objects.get("queue"))
    assert placement.queue == queues[queue]
    assert placement.device == queues[queue].device
    assert placement.usm_type == usm_type
    result = call(**objects)
    if result is not None and "out" not in names:
        assert result.queue == queues[queue]
        assert result.usm_type == usm_type


def check_message(message, reason, objects):
    """Check that a refusal names every array with all about its place, and the reason."""
    assert reason in message, message
    for name, value in objects.items():
        if isinstance(value, situ.ndarray):
            place = rf"`{name}` is {value.usm_type} memory on {re.escape(place_of(value.queue))}"
        elif isinstance(value, situ.Queue):
            place = rf"`queue` is on {re.escape(place_of(value))}"
        elif isinstance(value, np.ndarray):
            place = rf"`{name}` is a host array, which belongs to no queue"
        else:
            continue
        assert re.search(place, message), message


def place_of(queue):
    number = re.match(r"<situ.Queue (\d+)", repr(queue))
    return f"{queue.device.filter_string} (queue {number[1]}, context "


def advice(message):
    """Return the statement that the message's help line advises."""
    helping = message[message.index("help:") :]
    return next(code for code in re.findall(r"`([^`]*)`", helping) if " = " in code)


def add(x1, x2, out=None, queue=None):
    return situ.add(x1, x2, out=out, queue=queue)


@situ.kernel
def add_all(a, b, c):
    i = situ.get_global_id(0)
    c[i] = a[i] + b[i]


PAIRS = list(itertools.product(WORDS, repeat=2))


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_arrays(first, second, queues):
    check(add, ["x1", "x2"], [Array(first, "shared"), Array(second, "host")], queues)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_named_queue(first, second, queues):
    arguments = [Array(first), Array("first", "shared")]
    check(add, ["x1", "x2"], arguments, queues, explicit=second)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_kernels_follow_the_same_rules(first, second, queues):
    arguments = [Array(first), Array(second), Array(second)]
    check(add_all, ["a", "b", "c"], arguments, queues)

    def call(a, b, c, queue):
        situ.call_kernel(add_all, 2, a, b, c, queue=queue)

    check(call, ["a", "b", "c"], [Array(first)] * 3, queues, explicit=second)


@pytest.mark.parametrize("names", [*itertools.product(list(WORDS)[1:7], repeat=3)])
def test_three_arrays(names, queues):
    check(add_all, ["a", "b", "c"], [Array(name) for name in names], queues)
    check(add, ["x1", "x2", "out"], [Array(name) for name in names], queues)


@pytest.mark.parametrize(
    ("inputs", "output"), [*itertools.product(["first", "profiling", "other device"], repeat=2)]
)
def test_outputs_count_like_inputs(inputs, output, queues):
    check(add, ["x1", "x2", "out"], [Array(inputs), "number", Array(output)], queues)


@pytest.mark.parametrize("usm_types", [*itertools.product(USM_TYPES, repeat=2)])
def test_kinds_of_memory_mix(usm_types, queues):
    first, second = usm_types
    for other in ("first", "equivalent"):
        check(add, ["x1", "x2"], [Array("first", first), Array(other, second)], queues)


@pytest.mark.parametrize("usm_types", [*itertools.product(USM_TYPES, repeat=3)])
def test_three_kinds_of_memory(usm_types, queues):
    arguments = [Array("tile 0", usm_type) for usm_type in usm_types]
    check(add_all, ["a", "b", "c"], arguments, queues)
    names = ["x1", "x2", "x3"]
    objects = [made(each, queues) for each in arguments]
    assert situ.placement_of(*objects).usm_type == model(arguments)[1]
    check(lambda **given: None, names, arguments, queues)


def test_the_table_of_kinds(queues):
    table = {
        ("device", "device"): "device",
        ("device", "shared"): "device",
        ("device", "host"): "device",
        ("shared", "shared"): "shared",
        ("shared", "host"): "shared",
        ("host", "host"): "host",
    }
    for (first, second), expected in table.items():
        for kinds in ((first, second), (second, first)):
            x1, x2 = (made(Array("first", kind), queues) for kind in kinds)
            assert (x1 + x2).usm_type == expected


KINDS = [Array("first"), Array("equivalent"), Array("other device"), "host array", "number"]


@pytest.mark.parametrize("arguments", [*itertools.product(KINDS, repeat=2)])
def test_kinds_of_arguments(arguments, queues):
    if arguments == ("number", "number"):
        with pytest.raises(TypeError, match=r"without an array[\s\S]*queue="):
            situ.add(1.0, 2.0)
        return
    check(add, ["x1", "x2"], list(arguments), queues)


@pytest.mark.parametrize("arguments", [*itertools.product(KINDS, repeat=2)])
def test_kinds_of_arguments_with_a_queue(arguments, queues):
    check(add, ["x1", "x2"], list(arguments), queues, explicit="first")


@pytest.mark.parametrize("arguments", [*itertools.product(KINDS[:4], repeat=3)])
def test_kinds_of_arguments_of_kernels(arguments, queues):
    check(add_all, ["a", "b", "c"], list(arguments), queues)


SCALARS = [True, 2, 2.5, np.float32(2), np.int8(2), np.array(2.0), np.array(2, ">i4")]


@pytest.mark.parametrize("scalar", SCALARS, ids=repr)
def test_numbers_never_decide(scalar, queues):
    for name in ("first", "tile 1 of a context"):
        x = made(Array(name, "shared"), queues)
        for result in (x + scalar, scalar * x, situ.maximum(x, scalar)):
            assert result.queue == x.queue
            assert result.usm_type == "shared"
        x += scalar
        x[0] = scalar
        assert x.queue == queues[name]


def test_arrays_without_dimensions_do_decide(queues):
    here = situ.ones((), queue=queues["first"])
    there = situ.ones(2, queue=queues["other device"])
    assert (here + 1).queue == queues["first"]
    with pytest.raises(situ.PlacementError):
        here + there


@pytest.mark.parametrize(
    "host", [np.ones(2), buffer("d", [1, 2]), memoryview(b"ab"), bytearray(2), b"ab"], ids=type
)
def test_host_arrays_are_refused_wherever_they_are(host, queues):
    x = made(Array("first"), queues)
    for call in (
        lambda: x + host,
        lambda: host + x,
        lambda: x == host,
        lambda: situ.add(x, host),
        lambda: situ.add(host, x),
        lambda: situ.add(host, host),
        lambda: situ.sin(host),
        lambda: situ.add(host, 1, queue=x.queue),
        lambda: x.__setitem__(slice(None), host),
        lambda: x.__iadd__(host),
        lambda: add_all(x, host, x),
        lambda: add_all(host, host, host),
        lambda: situ.placement_of(x, host),
    ):
        with pytest.raises(situ.PlacementError, match="host array"):
            call()
    np.testing.assert_array_equal(x.to_numpy(), 1)


@pytest.mark.parametrize("other", [[1.0, 2.0], "text", None, {}, object()], ids=type)
def test_what_is_no_array_is_a_type_error(other, queues):
    x = made(Array("first"), queues)
    for call in (
        lambda: x + other,
        lambda: situ.add(x, other),
        lambda: add_all(x, other, x),
        lambda: situ.placement_of(x, other),
    ):
        with pytest.raises(TypeError):
            call()


def test_assignment_follows_the_rules(queues):
    x = made(Array("first"), queues)
    x[:] = made(Array("equivalent", "host"), queues) * 3
    np.testing.assert_array_equal(x.to_numpy(), 3)
    for name in ("profiling", "other context", "other device", "tile 0"):
        value = made(Array(name), queues)
        with pytest.raises(situ.PlacementError, match="an assignment") as caught:
            x[:] = value
        names = {"x": x, "value": value}
        exec(advice(str(caught.value)), {}, names)
        x[:] = names["value"]
        np.testing.assert_array_equal(x.to_numpy(), 1)


def test_what_is_changed_in_place_is_named_once(queues):
    x, y = made(Array("first"), queues), made(Array("other device"), queues)
    with pytest.raises(situ.PlacementError) as caught:
        x += y
    assert "`out`" not in str(caught.value)
    assert "x2 = x2.to_device(x1.queue)" in str(caught.value)


def test_refused_calls_change_nothing(queues):
    x, y = made(Array("first"), queues), made(Array("other device"), queues)
    out = situ.zeros(2, queue=queues["first"])
    with pytest.raises(situ.PlacementError):
        situ.add(x, y, out=out)
    with pytest.raises(situ.PlacementError):
        add_all(x, y, out)
    np.testing.assert_array_equal(out.to_numpy(), 0)
    assert issubclass(situ.PlacementError, ValueError)


def test_the_result_belongs_to_the_first_arrays_queue(queues):
    x, y = made(Array("first"), queues), made(Array("equivalent"), queues)
    assert x.queue != y.queue
    assert situ.queues_equivalent(x.queue, y.queue)
    assert (x + y).queue == x.queue
    assert (y + x).queue == y.queue
    assert (2 * y + x).queue == y.queue


def test_equivalence_is_as_the_model_says(queues):
    for first, second in PAIRS:
        equivalent = WORDS[first] == WORDS[second]
        assert situ.queues_equivalent(queues[first], queues[second]) == equivalent
        assert (queues[first] == queues[second]) == (first == second)
    first, equivalent, profiling = (queues[name] for name in list(WORDS)[:3])
    assert situ.queues_equivalent(first, equivalent, first)
    assert not situ.queues_equivalent(first, equivalent, profiling)
    assert situ.queues_equivalent(first)
    with pytest.raises(TypeError, match=r"x\.queue"):
        situ.queues_equivalent(first, "native")


def test_a_tile_computes_on_what_another_tile_allocated(queues):
    here, there = queues["tile 0 of a context"], queues["tile 1 of a context"]
    x = situ.asarray(np.arange(4.0), queue=there)
    with pytest.raises(situ.PlacementError, match=r"`queue=x1\.queue`"):
        situ.ones(4, queue=here) + x
    for result in (
        situ.sin(x, queue=here),
        situ.add(situ.ones(4, queue=here), x, queue=here),
        x.sum(queue=here),
        situ.sum(x, queue=here),
    ):
        assert result.queue == here
    np.testing.assert_array_equal(situ.multiply(x, x, queue=here).to_numpy(), [0, 1, 4, 9])
    out = situ.zeros(4, queue=there)
    assert situ.negative(x, out=out, queue=here) is out
    np.testing.assert_array_equal(out.to_numpy(), [0, -1, -2, -3])
    np.testing.assert_array_equal(situ.sum(x, queue=here).to_numpy(), 6)
    with pytest.raises(situ.PlacementError, match=r"x = x\.to_device\(queue\)"):
        situ.sum(x, queue=queues["first"])
    add_all[4].on(here)(x, x, x)
    np.testing.assert_array_equal(x.to_numpy(), [0, 2, 4, 6])


def test_a_queue_is_enough_for_numbers(queues):
    result = situ.add(1.0, 2.0, queue=queues["other device"])
    assert result.queue == queues["other device"]
    assert result.item() == 3


def test_any_selector_names_a_queue(queues):
    x = situ.ones(2, device="virtual:gpu:0")
    for place in ("virtual:gpu:0", x.device, x.queue, x):
        assert situ.sin(x, queue=place).queue == x.queue


def test_every_array_function_takes_a_queue(queues):
    taken = 0
    arity = dict(_native.elementwise_functions())
    queue = queues["profiling"]
    for name in situ.__all__:
        function = getattr(situ, name)
        if getattr(function, "__module__", "") != "situ._elementwise":
            continue
        # NumPy's names are other names of the same functions.
        name = function.__name__
        x = situ.ones(
            2, dtype="bool" if name.startswith("bitwise") else None, queue=queues["first"]
        )
        if name.endswith("shift"):
            x = x.astype("int8")
        result = function(*[x] * arity[name], queue=queue)
        assert result.queue == queue, name
        taken += 1
    assert taken > 50


def test_explanations_tell_the_story(queues):
    x, y = made(Array("first", "host"), queues), made(Array("equivalent", "shared"), queues)
    text = str(situ.placement_of(x, 2.0, y))
    assert text == situ.placement_of(x, 2.0, y).explain()
    assert text.startswith(f"runs on {place_of(x.queue)}")
    assert "the result is shared memory" in text
    for part in ("`x1` is host memory", "`x2` is a number", "`x3` is shared memory", "the first"):
        assert part in text
    named = str(situ.placement_of(x, queue=queues["tile 0"]))
    assert "the queue was named" in named
    default = situ.placement_of(1, 2)
    assert default.queue == situ.current()
    assert "no argument decides" in str(default)
    assert "Placement on" in repr(default)
    with pytest.raises(situ.PlacementError, match="cannot run a function on arrays"):
        situ.placement_of(x, made(Array("other device"), queues))
