"""Bound modules: every function of a module on one queue, whatever it is called with."""

import copy
import inspect
import pickle
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import numpy as np
import pytest

import situ
from situ.testing import virtual_devices


@pytest.fixture(scope="module", autouse=True)
def gpus():
    with virtual_devices("gpu:2") as devices:
        yield devices


@pytest.fixture(scope="module")
def lib(gpus):
    return situ.offload_to("gpu:1")


def address(x):
    return x.__sycl_usm_array_interface__["data"][0]


def test_it_is_a_module_with_a_name(lib):
    assert isinstance(lib, ModuleType)
    assert isinstance(lib, situ.BoundModule)
    assert lib.__name__ == "situ.offload_to('virtual:gpu:1')"
    assert repr(lib).startswith("<bound module situ.offload_to('virtual:gpu:1') on <situ.Queue")


def test_its_queue_is_new_and_that_of_nobody_else(lib):
    assert lib.queue == lib.get_queue()
    assert lib.device == situ.Device("gpu:1")
    assert lib.queue != situ.zeros(1, device="gpu:1").queue
    assert situ.offload_to("gpu:1").queue != lib.queue
    assert situ.queues_equivalent(lib.queue, situ.offload_to("gpu:1").queue, situ.Queue("gpu:1"))


@pytest.mark.parametrize(
    "select", [lambda q: q, lambda q: q.device, lambda q: situ.ones(1, queue=q)]
)
def test_it_is_made_for_whatever_says_where(select):
    queue = situ.Queue("gpu:1")
    assert situ.queues_equivalent(situ.offload_to(select(queue)).queue, queue)


def test_it_takes_over_context_and_properties_of_a_queue(gpus):
    context = situ.Context(gpus[0])
    model = situ.Queue(context, gpus[0], in_order=False, enable_profiling=True)
    lib = situ.offload_to(model)
    assert lib.queue != model
    assert situ.queues_equivalent(lib.queue, model)


def test_without_a_selector_it_is_made_for_the_current_default():
    with situ.current("gpu:1"):
        assert situ.offload_to().device == situ.Device("gpu:1")
    assert situ.offload_to().device == situ.Device()


def test_an_unknown_device_is_refused_with_those_that_are_there():
    with pytest.raises(situ.DeviceError, match=r"no device `gpu:7`(?s:.*)`gpu:1`"):
        situ.offload_to("gpu:7")


def test_it_has_the_names_of_situ_without_those_that_change_queues(lib):
    assert set(situ.__all__) - set(dir(lib)) == {
        "current",
        "global_queue",
        "host_data_on",
        "offload_to",
        "placement_of",
        "reset_default_queue",
        "reset_global_queue",
        "set_default_queue",
        "set_global_queue",
    }
    for name in dir(lib):
        getattr(lib, name)


def test_functions_keep_name_text_and_signature(lib):
    assert lib.add.__name__ == "add"
    assert lib.add.__doc__ == situ.add.__doc__
    assert inspect.signature(lib.add) == inspect.signature(situ.add)
    assert lib.add is lib.add


def test_what_is_no_function_is_the_same(lib):
    assert lib.float32 is situ.float32
    assert lib.ndarray is situ.ndarray
    assert lib.pi == situ.pi
    assert lib.get_global_id is situ.get_global_id
    assert lib.result_type(np.float32(1), situ.float64) == situ.float64
    assert lib.shape(situ.ones((2, 3))) == (2, 3)


def test_unknown_names_suggest_known_ones(lib):
    with pytest.raises(
        AttributeError, match=r"has no attribute `concatt`\n  help: did you mean `concat`"
    ):
        lib.concatt  # noqa: B018
    with pytest.raises(
        AttributeError, match=r"\.linalg has no attribute `sdv`\n  help: did you mean `svd`"
    ):
        lib.linalg.sdv  # noqa: B018
    assert not hasattr(lib, "_native")


def test_it_cannot_be_changed(lib):
    for change in (
        lambda: setattr(lib, "queue", situ.Queue("gpu:0")),
        lambda: setattr(lib, "add", None),
        lambda: setattr(lib, "anything", 3),
        lambda: delattr(lib, "add"),
        lambda: setattr(lib.linalg, "svd", None),
    ):
        with pytest.raises(AttributeError, match="help: make another one"):
            change()
    for name in ("set_default_queue", "current", "offload_to", "set_global_queue"):
        with pytest.raises(AttributeError, match="its queue was made together with it and stays"):
            getattr(lib, name)


def test_it_is_its_own_copy_and_can_be_pickled(lib):
    assert copy.copy(lib) is copy.deepcopy(lib) is lib
    back = pickle.loads(pickle.dumps(lib))
    assert back.add(np.ones(2), 1).device == lib.device
    transforms = pickle.loads(pickle.dumps(lib.fft))
    assert transforms.fft(np.ones(2)).device == lib.device


def test_they_take_any_mix_of_arrays(lib, gpus):
    arrays = [
        np.array([1.0]),
        situ.full(1, 2.0, device=gpus[0]),
        situ.full(1, 3.0, device=gpus[1]),
        situ.full(1, 4.0, queue=situ.Queue(situ.Context(gpus[1]), gpus[1])),
        situ.full(1, 5.0, device="native"),
        lib.full(1, 6.0),
    ]
    joined = lib.concat(arrays)
    assert joined.queue == lib.queue
    np.testing.assert_array_equal(joined.to_numpy(), [1, 2, 3, 4, 5, 6])
    for x in arrays:
        for y in arrays:
            assert lib.add(x, y).queue == lib.queue


def test_the_arguments_stay_where_they_are(lib):
    host, there = np.ones(3), situ.ones(3, device="gpu:0")
    lib.add(host, there)
    assert there.device == situ.Device("gpu:0")
    assert type(host) is np.ndarray


def test_memory_of_the_same_context_is_used_in_place(lib):
    x = situ.arange(6, device="gpu:1")
    view = lib.reshape(x, (2, 3))
    assert address(view) == address(x)
    assert view.queue == lib.queue
    assert lib.asarray(x, copy=False).queue == lib.queue


@pytest.mark.parametrize(
    "make",
    [
        lambda xp: xp.zeros(3),
        lambda xp: xp.arange(3.0),
        lambda xp: xp.asarray([1.0, 2.0]),
        lambda xp: xp.asarray(np.ones(2)),
        lambda xp: xp.from_dlpack(np.ones(2)),
        lambda xp: xp.zeros_like(np.ones(2)),
        lambda xp: xp.full_like(situ.ones(2, device="gpu:0"), 7),
        lambda xp: xp.linspace(0, 1, 4),
        lambda xp: xp.eye(2),
        lambda xp: xp.astype(np.ones(2), xp.float32),
        lambda xp: xp.meshgrid(np.arange(2), np.arange(3))[0],
        lambda xp: xp.sum(np.ones((2, 2)), axis=0),
        lambda xp: xp.sin(1.0),
        lambda xp: xp.where(np.array([True, False]), 1.0, 2.0),
        lambda xp: xp.take(np.arange(3), np.array([2, 0])),
        lambda xp: xp.einsum("ij,jk", np.ones((2, 3)), np.ones((3, 2))),
        lambda xp: xp.clip(np.arange(4), min=np.array(1), max=2),
        lambda xp: xp.sin(np.ones(2), where=np.array([True, False]), out=xp.zeros(2)),
        lambda xp: xp.nonzero(np.array([0, 1]))[0],
        lambda xp: xp.broadcast_to(np.ones(2), (3, 2)),
        lambda xp: xp.tril(np.ones((2, 2))),
        lambda xp: xp.sort(memoryview(b"cab")),
        lambda xp: xp.linalg.inv(np.eye(2)),
        lambda xp: xp.linalg.eigh(np.eye(2)).eigenvalues,
        lambda xp: xp.fft.fft(np.ones(4)),
        lambda xp: xp.fft.fftfreq(4),
        lambda xp: xp.percentile(np.arange(5.0), np.array([10.0, 50.0])),
        lambda xp: xp.reshape(np.arange(4), np.array([2, 2])),
    ],
    ids=lambda make: inspect.getsource(make).split("xp: ")[1].strip().rstrip(","),
)
def test_results_belong_to_the_module(make, lib):
    result = make(lib)
    assert result.queue == lib.queue
    assert result.__array_namespace__() is lib


def test_namespaces_survive_views_and_arithmetic(lib):
    x = lib.arange(6.0)
    made = [x + 1, 2 * x, x[1:], x.T, x.reshape(2, 3), -x, x.sum(), np.sin(x), x.copy(), abs(x)]
    made += [x == x, x.astype("float32"), x[x > 2], lib.stack([x, x])[0], situ.cos(x)]
    x += 1
    for result in (*made, x):
        assert result.__array_namespace__() is lib
        assert result.__array_namespace__(api_version="2023.12") is lib
        assert result.__array_module__ is lib


def test_arrays_from_elsewhere_belong_to_situ(lib):
    x = situ.ones(2, device="gpu:1")
    assert x.__array_namespace__() is situ
    assert x.__array_module__ is situ
    assert lib.ones(2).to_device("gpu:0").__array_namespace__() is situ


def test_the_namespace_is_found_when_nobody_holds_the_module():
    x = situ.offload_to("gpu:1").ones(2)
    assert x.__array_namespace__().queue == x.queue


def test_two_modules_on_one_device_need_no_copy(lib):
    other = situ.offload_to("gpu:1")
    x = other.ones(3)
    assert address(lib.asarray(x, copy=False)) == address(x)
    assert lib.add(x, 1).__array_namespace__() is lib
    assert (x + lib.ones(3)).__array_namespace__() is other


def test_the_inspection_is_that_of_the_device(lib):
    assert lib.__array_namespace_info__().default_device() == lib.device
    assert lib.__array_api_version__ == situ.__array_api_version__
    with virtual_devices("accelerator", without=["fp64"]) as (device,):
        info = situ.offload_to(device).__array_namespace_info__()
        assert info.default_dtypes()["real floating"] == situ.float32
        assert "float64" not in info.dtypes()


def test_outputs_must_be_accessible(lib):
    near, far = situ.zeros(3, device="gpu:1"), situ.zeros(3, device="gpu:0")
    assert lib.add(np.ones(3), 1, out=near) is near
    np.testing.assert_array_equal(near.to_numpy(), 2)
    with pytest.raises(
        situ.PlacementError, match=r"`add` of .*cannot write to `out`, which is on virtual:gpu:0"
    ):
        lib.add(np.ones(3), 1, out=far)
    with pytest.raises(situ.PlacementError, match="cannot write to `target`, which is on"):
        lib.copyto(far, 1)
    with pytest.raises(situ.PlacementError, match="cannot write to `x`, which is a NumPy array"):
        lib.put(np.zeros(3), np.array([0]), 7)
    lib.put(near, np.array([0]), np.array([7.0]))
    np.testing.assert_array_equal(near.to_numpy(), [7, 2, 2])
    assert not far.to_numpy().any()


def test_refusals_of_situ_are_the_same(lib):
    with pytest.raises(situ.ShapeError):
        lib.add(np.ones(2), np.ones(3))
    with pytest.raises(TypeError, match="`sin` takes situ arrays and numbers"):
        lib.sin("x")
    with pytest.raises(ValueError, match="cannot avoid a copy"):
        lib.asarray(np.ones(2), copy=False)
    with pytest.raises(ValueError, match="without a copy"):
        lib.asarray(situ.ones(2, device="gpu:0"), copy=False)


def test_a_kernel_is_made_on_the_module(lib):
    @lib.kernel
    def double(x, y):
        i = lib.get_global_id(0)
        y[i] = 2 * x[i]

    host = np.zeros(3)
    double(np.ones(3), host)
    np.testing.assert_array_equal(host, 2)
    assert [text.split(" on ")[1] for text in double.specializations] == ["virtual:gpu:1"]
    assert "double" in repr(double)
    assert double.queue == lib.queue


@pytest.fixture
def kernel():
    @situ.kernel
    def add_to(x, y):
        i = situ.get_global_id(0)
        y[i] += x[i]

    return add_to


def test_what_is_written_comes_home(lib, kernel):
    bound = lib.kernel(kernel)
    for make in (np.ones, lambda n: situ.ones(n, device="gpu:0"), lib.ones, situ.ones):
        for source in (np.ones(4), situ.ones(4, device="gpu:0"), lib.ones(4)):
            target = make(4)
            bound(source, target)
            bound[2](source, target)
            np.testing.assert_array_equal(np.asarray(_host(target)), [3, 3, 2, 2])
            np.testing.assert_array_equal(_host(source), 1)
    assert {text.split(" on ")[1] for text in kernel.specializations} == {"virtual:gpu:1"}


def test_a_kernel_is_run_by_a_function(lib, kernel):
    x, y = lib.ones(3), np.ones(3)
    lib.call_kernel(kernel, 2, x, y)
    np.testing.assert_array_equal(y, [2, 2, 1])
    lib.call_kernel(lib.kernel(kernel), 3, x, y)
    np.testing.assert_array_equal(y, [3, 3, 2])
    lib.call_kernel_async(kernel, 3, [], x, x).wait()
    np.testing.assert_array_equal(x.to_numpy(), 2)


def test_submitting_does_not_wait_for_copies_to_come_home(lib, kernel):
    for far in (np.ones(3), situ.ones(3, device="gpu:0")):
        with pytest.raises(situ.PlacementError, match="cannot be submitted"):
            lib.call_kernel_async(kernel, 3, [], lib.ones(3), far)


def test_copies_of_overlapping_arrays_are_refused(lib, kernel):
    for x in (np.arange(6.0), situ.arange(6.0, device="gpu:0")):
        other = lib.ones(4)
        with pytest.raises(situ.PlacementError, match="overlap"):
            lib.kernel(kernel)(x[:4], x[2:])
        lib.kernel(kernel)(x[:3], x[3:])
        np.testing.assert_array_equal(_host(x), [0, 1, 2, 3, 5, 7])
        lib.kernel(kernel)(x[:4], other)


def test_an_array_given_twice_is_one(lib, kernel):
    x = situ.ones(3, device="gpu:0")
    lib.kernel(kernel)(x, x)
    np.testing.assert_array_equal(x.to_numpy(), 2)


def test_writing_to_what_is_read_only_is_told(lib, kernel):
    host = np.ones(3)
    host.flags.writeable = False
    lib.kernel(kernel)(host, lib.ones(3))
    with pytest.raises(ValueError, match="read-only"):
        lib.kernel(kernel)(lib.ones(3), host)
    with pytest.raises(ValueError, match="read-only"):
        lib.kernel(kernel)(np.ones(3), host)


def test_options_are_those_of_kernels(lib):
    @lib.kernel(wrap_indices=True)
    def last(x):
        x[-1 - situ.get_global_id(0)] = 5

    x = lib.zeros(3)
    last[1](x)
    np.testing.assert_array_equal(x.to_numpy(), [0, 0, 5])
    with pytest.raises(situ.KernelTypeError, match="takes a Python function, not a `int`"):
        lib.kernel(3)


def test_arguments_are_brought_over(lib):
    @lib.njit
    def f(x, y):
        x[0] = 7
        return np.sin(y) + x

    host = np.ones(3)
    result = f(host, situ.zeros(3, device="gpu:0"))
    assert result.queue == lib.queue
    np.testing.assert_array_equal(result.to_numpy(), [7, 1, 1])
    np.testing.assert_array_equal(host, [7, 1, 1])


def test_existing_functions_are_bound(lib):
    @situ.njit
    def total(x):
        return np.sum(x)

    assert lib.njit(total)(np.arange(4)) == 6
    assert lib.njit(lib.njit(total))(np.arange(4)) == 6
    assert lib.njit(total).queue == lib.queue
    assert "total" in repr(lib.njit(total))
    assert lib.njit(fastmath=True)(add_one)(np.ones(2)).device == lib.device


def add_one(x):
    return x + 1


def test_linear_algebra_and_transforms_are_bound_to_a_queue_of_the_user():
    queue = situ.Queue("gpu:1")
    for part in (situ.linalg, situ.fft, situ.random):
        bound = part.on(queue)
        assert bound.queue == queue
        assert bound.__name__ == f"{part.__name__}.on('virtual:gpu:1')"
    assert situ.linalg.on("gpu:0").det(np.eye(2)).device == situ.Device("gpu:0")
    assert situ.fft.on(situ.ones(1, queue=queue)).rfft(np.ones(4)).queue == queue
    assert situ.linalg.on(queue).inv(np.eye(2)).__array_namespace__() is situ


def test_parts_of_a_bound_module_share_its_queue(lib):
    assert lib.linalg.queue == lib.fft.queue == lib.queue
    assert lib.linalg is lib.linalg
    with pytest.raises(AttributeError, match=r"has no `on`(?s:.*)situ.linalg.on"):
        lib.linalg.on("gpu:0")


def test_random_numbers_of_kernels_are_the_same(lib):
    assert lib.random.uniform32 is situ.random.uniform32
    assert lib.random.uniform(3, seed=1).queue == lib.queue


def _host(x):
    return x.to_numpy() if isinstance(x, situ.ndarray) else x


def test_bad_arguments_are_refused_before_anything_runs(lib, kernel):
    class Described:
        def __init__(self, **changes):
            x = situ.ones(2, device="gpu:0")
            self.__sycl_usm_array_interface__ = {**x.__sycl_usm_array_interface__, **changes}
            self.keep = x

    assert lib.sin(Described()).queue == lib.queue
    with pytest.raises(ValueError, match="its version is not 1"):
        lib.sin(Described(version=7))
    with pytest.raises(situ.AddressError, match="no memory of situ at address"):
        lib.sin(Described(data=(0x1000, False)))
    freed = Described()
    del freed.keep
    situ.Queue("gpu:0").wait()
    with pytest.raises(situ.AddressError, match="freed"):
        lib.sin(freed)
    with pytest.raises(situ.DTypeError, match="no dtype <U1"):
        lib.sin(np.array(["a"]))
    endless = [np.ones(1)]
    endless.append(endless)
    with pytest.raises(TypeError):
        lib.concat(endless)
    with pytest.raises(
        situ.KernelTypeError, match=r"`call_kernel` takes a kernel.*not a `function`"
    ):
        lib.call_kernel(lambda x: x, 3, lib.ones(3))
    with pytest.raises(situ.KernelTypeError, match="takes 2 arguments, but 1"):
        lib.kernel(kernel)(np.ones(2))


def test_operators_follow_data_and_copy_nothing(lib):
    with pytest.raises(situ.PlacementError, match="host and device arrays"):
        lib.ones(3) + np.ones(3)
    with pytest.raises(situ.PlacementError, match="different devices"):
        lib.ones(3) + situ.ones(3, device="gpu:0")


def test_every_elementwise_function_is_bound(lib):
    arity = dict(situ._native.elementwise_functions())
    bound = 0
    for name in situ.__all__:
        function = getattr(situ, name)
        if getattr(function, "__module__", "") != "situ._elementwise":
            continue
        name = function.__name__
        x = np.ones(2, dtype="bool" if name.startswith("bitwise") else None)
        if name.endswith("shift"):
            x = x.astype("int8")
        assert getattr(lib, name)(*[x] * arity[name]).queue == lib.queue, name
        bound += 1
    assert bound > 50


def test_threads_share_a_bound_module(lib):
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda n: lib.sum(lib.full(10, n)), range(20)))
    assert [int(x) for x in results] == [10 * n for n in range(20)]
    assert all(x.queue == lib.queue for x in results)


def test_bound_modules_work_on_every_device(device):
    lib = situ.offload_to(device)
    host = np.arange(4, dtype="float32")
    total = lib.add(host, situ.ones(4, dtype="float32", device="native"))
    assert total.queue == lib.queue
    np.testing.assert_array_equal(total.to_numpy(), [1, 2, 3, 4])

    @lib.kernel
    def double(x, y):
        i = lib.get_global_id(0)
        y[i] = 2 * x[i]

    out = np.zeros(4, dtype="float32")
    double(total, out)
    np.testing.assert_array_equal(out, [2, 4, 6, 8])
    double(out, total)
    np.testing.assert_array_equal(total.to_numpy(), [4, 8, 12, 16])
    far = situ.zeros(4, dtype="float32", device="reference")
    double(out, far)
    np.testing.assert_array_equal(far.to_numpy(), [4, 8, 12, 16])
    assert float(lib.linalg.vector_norm(np.array([3, 4], dtype="float32"))) == 5


def test_kernels_use_memory_of_the_host_in_place_where_they_can(kernel):
    lib = situ.offload_to("native")
    host = np.zeros(1000)
    before = situ.memory.stats(lib.queue).total.requests
    lib.kernel(kernel)(host, host)
    lib.kernel(kernel)(lib_ones := lib.ones(1000), host)
    assert situ.memory.stats(lib.queue).total.requests == before + 1  # `ones`
    assert lib_ones.queue == lib.queue
    np.testing.assert_array_equal(host, 1)


def test_options_for_what_is_compiled_already_are_refused(lib, kernel):
    with pytest.raises(situ.KernelTypeError, match="`wrap_indices` would have no effect"):
        lib.kernel(kernel, wrap_indices=True)
    with pytest.raises(situ.KernelTypeError, match="`fastmath` would have no effect"):
        lib.njit(situ.njit(add_one), fastmath=True)


def test_bound_kernels_can_be_copied(lib, kernel):
    bound = copy.copy(lib.kernel(kernel))
    x = np.ones(2)
    bound(x, x)
    assert x.tolist() == [2, 2]
    assert copy.copy(lib.njit(add_one))(x).queue == lib.queue
