"""Which of several ways to say where counts, and `QueueManager.offload_to` for packages."""

import array
import asyncio
import functools
import inspect
import sys
import threading
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pkg1
import pkg2
import pkg3
import pkg4
import pkgA
import pkgB
import pytest

import situ
from situ.testing import virtual_devices


@pytest.fixture(scope="module", autouse=True)
def gpus():
    with virtual_devices("gpu:4") as devices:
        yield devices


@pytest.fixture(autouse=True)
def no_defaults():
    yield
    situ.reset_default_queue()
    situ.reset_global_queue()
    for package in (pkg2, pkg3, pkgB):
        package.reset_default_queue()


def number(x):
    """Return which graphics processor an array is on."""
    kind, _, number = x.device.filter_string.rpartition(":")
    return int(number) if kind == "virtual:gpu" else None


def test_the_order_of_all_ways_to_say_where():
    # Each level is set, and everything below it as well.
    assert number(situ.zeros(1)) is None
    situ.set_global_queue("gpu:0")
    assert number(situ.zeros(1)) == 0
    situ.set_default_queue("gpu:1")
    assert number(situ.zeros(1)) == 1
    x = situ.zeros(1, device="gpu:2")
    assert number(x + 1) == number(situ.sin(x)) == number(situ.zeros_like(x)) == 2
    lib = situ.offload_to("gpu:3")
    assert number(lib.sin(x)) == number(lib.zeros(1)) == number(lib.zeros_like(x)) == 3
    assert number(lib.sin(x, queue="gpu:0")) == number(lib.zeros(1, device="gpu:0")) == 0


def test_a_named_queue_brings_arrays_to_itself_in_a_bound_module():
    lib = situ.offload_to("gpu:3")
    queue = situ.Queue("gpu:0")
    result = lib.add(np.ones(2), lib.ones(2), queue=queue)
    assert result.queue == queue
    assert result.__array_namespace__() is situ
    assert lib.add(np.ones(2), 1, queue=None).queue == lib.queue
    with pytest.raises(ValueError, match="both `device` and `queue`"):
        lib.zeros(1, device="gpu:0", queue="gpu:1")


def test_defaults_of_the_caller_do_not_reach_a_bound_module():
    lib = situ.offload_to("gpu:3")
    situ.set_global_queue("gpu:0")
    with situ.current("gpu:1"):
        assert number(lib.zeros(1)) == number(lib.asarray([1])) == number(lib.sin(1.0)) == 3
    thread_saw = []
    thread = threading.Thread(target=lambda: thread_saw.append(number(lib.zeros(1))))
    thread.start()
    thread.join()
    assert thread_saw == [3]


def test_blocks_of_packages_tell_copy_to_where():
    x = situ.ones(2)
    with pkg2.current("gpu:1"):
        assert number(x.copy_to()) == 1
        with pkg3.current("gpu:2"):
            assert number(x.copy_to()) == 2
            situ.set_default_queue("gpu:3")
            assert number(x.copy_to()) == 3
        assert number(x.copy_to()) == 1
    assert number(x.copy_to()) == 3
    situ.reset_default_queue()
    assert number(x.copy_to()) is None


def test_packages_do_not_see_each_others_defaults():
    pkg2.set_default_queue("gpu:0")
    pkg3.set_default_queue("gpu:1")
    situ.set_global_queue("gpu:2")
    assert [number(package.allocate(1)) for package in (pkg2, pkg3, pkg4, pkgA)] == [0, 1, 2, 2]


@pytest.mark.parametrize("package", [pkg2, pkg3, pkgA, pkgB], ids=lambda package: package.__name__)
def test_a_package_is_bound_with_one_line(package):
    lib = package.offload_to("gpu:2")
    assert isinstance(lib, situ.BoundModule)
    assert lib.__name__ == f"{package.__name__}.offload_to('virtual:gpu:2')"
    assert "compute" in dir(lib)
    for name in ("current", "offload_to"):
        assert name not in dir(lib)
        with pytest.raises(AttributeError, match="stays\n  help: make another one"):
            getattr(lib, name)
    with pytest.raises(AttributeError, match="did you mean `compute`"):
        lib.comput  # noqa: B018


def test_functions_of_a_bound_package_run_on_its_queue():
    lib = pkg2.offload_to("gpu:2")
    a = lib.allocate((2, 3))
    assert a.queue == lib.queue
    for b in (np.ones((3, 2)), situ.ones((3, 2), device="gpu:0"), situ.ones((3, 2))):
        product = lib.dot(a, b)
        assert product.queue == lib.queue
        np.testing.assert_array_equal(product.to_numpy(), 3)
    assert number(pkg2.allocate(1)) is None  # the package itself was not touched


def test_arrays_of_a_bound_package_lead_to_it_and_to_functions_of_arrays():
    lib = pkg2.offload_to("gpu:2")
    a = lib.allocate(3)
    assert a.__array_module__ is (a + 1).__array_module__ is lib
    xp = a.__array_namespace__()
    assert xp.queue == lib.queue
    assert xp.sum(a).__array_namespace__() is xp


def test_a_package_that_is_told_the_queue_is_bound_as_well():
    lib = situ.QueueManager("pkg1").offload_to("gpu:2")
    a = lib.allocate((2, 3))
    assert a.queue == lib.queue
    np.testing.assert_array_equal(lib.gemm(a, np.ones((3, 2))).to_numpy(), 3)
    assert lib.gemm(queue=situ.Queue("gpu:1"), a=a, b=a.T).device == situ.Device("gpu:1")
    assert lib.gemm(a, a.T, queue="gpu:1").device == situ.Device("gpu:1")
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        lib.gemm(a)
    assert pkg1.__all__ == [name for name in dir(lib) if name in pkg1.__all__]


def test_kernels_and_compiled_functions_of_a_package_are_bound():
    lib = pkgB.offload_to("gpu:2")
    host = np.array([1.0, 5.0])
    lib.clamp(host, 2.0)
    assert host.tolist() == [1, 2]
    assert lib.energy(host) == 5
    assert lib.clamp.queue == lib.energy.queue == lib.queue


@pytest.fixture
def package(monkeypatch):
    """Make a package of several modules, and of more than plain functions."""
    module, part = ModuleType("situ_test_package"), ModuleType("situ_test_package.part")
    manager = situ.QueueManager(module.__name__)

    async def later(x):
        await asyncio.sleep(0)
        return situ.sum(x) + situ.zeros(1, queue=manager.current())

    module.offload_to = manager.offload_to
    module.part = part
    module.later = later
    module.sine = np.sin
    module.double = functools.partial(situ.multiply, 2)
    module.ones = functools.cache(lambda n: situ.ones(n, queue=manager.current()))
    module.count = 1
    module.Model = type("Model", (), {})
    module.numpy = np
    part.where = lambda: (manager.current(), situ.current())
    for each in (module, part):
        monkeypatch.setitem(sys.modules, each.__name__, each)
    return module


def test_all_kinds_of_functions_of_a_package_are_bound(package):
    lib = package.offload_to("gpu:2")
    for result in (lib.sine(np.ones(2)), lib.double(np.ones(2)), lib.ones(3)):
        assert result.queue == lib.queue
    assert lib.part.where() == (lib.queue, lib.queue)
    assert lib.part.__name__ == "situ_test_package.offload_to('virtual:gpu:2').part"
    assert asyncio.run(lib.later(np.ones(2))).queue == lib.queue
    assert inspect.iscoroutinefunction(lib.later)


def test_generators_of_a_package_are_bound(package):
    def batches(x, count):
        for part in situ.split(x, count):
            yield part + situ.zeros(1)
        return "done"

    package.batches = batches
    lib = package.offload_to("gpu:2")
    steps = lib.batches(np.arange(4.0), 2)
    for expected in ([0, 1], [2, 3]):
        part = next(steps)
        assert part.queue == lib.queue
        assert part.to_numpy().tolist() == expected
        assert situ.current().device == situ.Device()
    with pytest.raises(StopIteration, match="done"):
        next(steps)


def test_everything_else_of_a_package_is_as_it_is_there(package):
    lib = package.offload_to("gpu:2")
    assert lib.Model is package.Model
    assert lib.numpy is np
    assert lib.count == 1
    package.count = 2
    assert lib.count == 2


def test_arrays_are_found_in_collections(package):
    class Pair(NamedTuple):
        left: object
        right: object

    def places(collection, more=()):
        pair, by_name = collection
        return [each.queue for each in (pair.left, pair.right, *by_name.values(), *more)]

    package.places = places
    lib = package.offload_to("gpu:2")
    pair = Pair(np.ones(1), situ.ones(1, device="gpu:0"))
    seen = lib.places([pair, {"a": lib.ones(3), "b": array.array("d", [1.0])}], more=(np.ones(1),))
    assert seen == [lib.queue] * 5
    untouched = (1, [2, {"three": 3}])
    package.same = lambda x: x
    assert lib.same(untouched) is untouched


def test_coroutines_of_two_modules_do_not_disturb_each_other(package):
    first, second = package.offload_to("gpu:2"), package.offload_to("gpu:3")

    async def both():
        return await asyncio.gather(first.later(np.ones(2)), second.later(np.ones(2)))

    assert [x.queue for x in asyncio.run(both())] == [first.queue, second.queue]


def test_functions_that_numba_compiles_are_bound(package):
    numba = pytest.importorskip("numba")

    @numba.njit
    def total(x):
        return np.sum(x * x)

    package.total = total
    lib = package.offload_to("gpu:2")
    assert lib.total(np.arange(3.0)) == 5
    assert lib.total.queue == lib.queue


def test_a_manager_without_its_module_is_told():
    with pytest.raises(
        ModuleNotFoundError, match=r"no module of that name(?s:.*)QueueManager\(__name__\)"
    ):
        situ.QueueManager("no such package").offload_to("gpu:0")
    assert "no such package" not in sys.modules


def test_defaults_are_restored_when_a_bound_function_fails():
    lib = pkg2.offload_to("gpu:2")
    with pytest.raises(situ.ShapeError):
        lib.dot(np.ones((2, 3)), np.ones((2, 3)))
    assert pkg2.current().device == situ.current().device == situ.Device()


# Calls of all functions that had no work for a queue to do in other tests: views, and what changes
# arrays in place.
WITH_QUEUE = [
    lambda x, q: situ.argwhere(x, queue=q),
    lambda x, q: situ.array_split(x, 2, queue=q)[0],
    lambda x, q: situ.astype(x, "float32", queue=q),
    lambda x, q: situ.atleast_1d(x, queue=q),
    lambda x, q: situ.atleast_2d(x, x, queue=q)[1],
    lambda x, q: situ.atleast_3d(x, queue=q),
    lambda x, q: situ.broadcast_arrays(x, x[0], queue=q)[1],
    lambda x, q: situ.broadcast_to(x, (2, 4, 4), queue=q),
    lambda x, q: situ.copy(x, queue=q),
    lambda x, q: situ.diag(x[0], queue=q),
    lambda x, q: situ.diagonal(x, queue=q),
    lambda x, q: situ.dsplit(x[None], 2, queue=q)[0],
    lambda x, q: situ.expand_dims(x, axis=0, queue=q),
    lambda x, q: situ.extract(x > 0, x, queue=q),
    lambda x, q: situ.flatnonzero(x, queue=q),
    lambda x, q: situ.flip(x, queue=q),
    lambda x, q: situ.fliplr(x, queue=q),
    lambda x, q: situ.flipud(x, queue=q),
    lambda x, q: situ.from_dlpack(x, queue=q),
    lambda x, q: situ.gradient(x, 2.0, queue=q)[0],
    lambda x, q: situ.hsplit(x, 2, queue=q)[0],
    lambda x, q: situ.ix_(situ.nonzero(x)[0], queue=q)[0],
    lambda x, q: situ.linalg.diagonal(x, queue=q),
    lambda x, q: situ.linalg.matrix_transpose(x, queue=q),
    lambda x, q: situ.meshgrid(x[0], x[1], queue=q)[0],
    lambda x, q: situ.moveaxis(x, 0, 1, queue=q),
    lambda x, q: situ.nonzero(x, queue=q)[0],
    lambda x, q: situ.permute_dims(x, (1, 0), queue=q),
    lambda x, q: situ.polyval(x[0], x, queue=q),
    lambda x, q: situ.ravel(x, queue=q),
    lambda x, q: situ.ravel_multi_index(situ.nonzero(x), (4, 4), queue=q),
    lambda x, q: situ.reshape(x, (2, 8), queue=q),
    lambda x, q: situ.rot90(x, queue=q),
    lambda x, q: situ.split(x, 2, queue=q)[0],
    lambda x, q: situ.squeeze(x[None], queue=q),
    lambda x, q: situ.swapaxes(x, 0, 1, queue=q),
    lambda x, q: situ.transpose(x, queue=q),
    lambda x, q: situ.tril(x, queue=q),
    lambda x, q: situ.triu(x, queue=q),
    lambda x, q: situ.unravel_index(situ.nonzero(x)[0], (4, 4), queue=q)[0],
    lambda x, q: situ.unstack(x, queue=q)[0],
    lambda x, q: situ.vsplit(x, 2, queue=q)[0],
]


@pytest.mark.parametrize(
    "call",
    WITH_QUEUE,
    ids=lambda call: inspect.getsource(call).split("q: ")[1].split("(")[0],
)
def test_every_function_takes_a_queue_from_which_its_arrays_are_accessible(call):
    x = situ.reshape(situ.arange(16.0, device="gpu:0"), (4, 4))
    queue = situ.Queue("gpu:0", enable_profiling=True)
    assert not situ.queues_equivalent(x.queue, queue)
    result = call(x, queue)
    assert result.queue == queue
    np.testing.assert_array_equal(result.to_numpy(), call(x, None).to_numpy())


@pytest.mark.parametrize(
    "change",
    [
        lambda x, q: situ.copyto(x, x[::-1], where=x > 2, queue=q),
        lambda x, q: situ.place(x, x > 2, x, queue=q),
        lambda x, q: situ.put(x, situ.nonzero(x)[0], x[::-1], queue=q),
        lambda x, q: situ.putmask(x, x > 2, 7.0, queue=q),
    ],
    ids=["copyto", "place", "put", "putmask"],
)
def test_what_changes_an_array_takes_a_queue(change):
    x, y = situ.arange(6.0, device="gpu:0"), situ.arange(6.0, device="gpu:0")
    change(x, situ.Queue("gpu:0", enable_profiling=True))
    change(y, None)
    np.testing.assert_array_equal(x.to_numpy(), y.to_numpy())
    assert x.to_numpy().tolist() != list(range(6))
    with pytest.raises(situ.PlacementError, match="own context"):
        change(x, situ.Queue("gpu:1"))


def test_all_functions_of_arrays_have_the_parameter():
    without = {
        name
        for name in situ.__all__
        if inspect.isfunction(getattr(situ, name))
        and "queue" not in (parameters := inspect.signature(getattr(situ, name)).parameters)
        and any(str(p.annotation) == "<class 'situ.ndarray'>" for p in parameters.values())
    }
    # These look at arrays and compute nothing, or write them to files.
    assert without == {
        "iscomplexobj",
        "isrealobj",
        "may_share_memory",
        "ndenumerate",
        "ndim",
        "save",
        "savez",
        "savez_compressed",
        "shape",
        "size",
    }
