"""Arrays of dpnp as arguments of situ's functions, and results as arrays of dpnp.

Nothing here runs without dpnp and a device that it shares with situ. `make test` installs no dpnp,
for its size: the same is done there over memory of dpctl, in `test_arrays_on_dpctl.py`.
"""

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import situ

if not situ.devices("sycl"):
    pytest.skip("there is no device of the backend `sycl`", allow_module_level=True)

dpctl = pytest.importorskip("dpctl")
dpnp = pytest.importorskip("dpnp")

DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
]
KINDS = ["device", "shared", "host"]
VIEWS = [
    np.s_[...],
    np.s_[::2],
    np.s_[::-1, 1:],
    np.s_[3:, ::-2],
    np.s_[1],
    np.s_[2:3, 3],
    np.s_[4, 2],
    np.s_[1:1],
    np.s_[None, :, None],
]


@situ.kernel
def scale(factor, x):
    """Multiply each element."""
    i = situ.get_global_id(0)
    x[i] = factor * x[i]


@situ.kernel
def add(x, y, out):
    """Add elements."""
    i = situ.get_global_id(0)
    out[i] = x[i] + y[i]


@situ.njit
def norm(x, y):
    """Return the distance of two points."""
    return np.sqrt(np.sum((x - y) ** 2))


@situ.njit
def saxpy(a, x, y):
    """Return a linear combination."""
    return a * x + y


@pytest.fixture(scope="module")
def queue() -> Any:
    """Return a queue of dpctl on a device that situ uses."""
    ours = situ.Queue("sycl").to_dpctl()
    return dpctl.SyclQueue(ours.sycl_context, ours.sycl_device)


@pytest.fixture(scope="module")
def elsewhere(queue: Any) -> Any:
    """Return a queue of the same device in a context of its own."""
    return dpctl.SyclQueue(dpctl.SyclContext([queue.sycl_device]), queue.sycl_device)


def address(x: Any) -> int:
    """Return where the first element is."""
    interface = x.__sycl_usm_array_interface__
    return interface["data"][0] + interface.get("offset", 0) * np.dtype(x.dtype).itemsize


def owned(values: Any, queue: Any, **keywords: Any) -> Any:
    """Return an array of dpnp."""
    return dpnp.asarray(np.asarray(values), sycl_queue=queue, **keywords)


def given(x: Any) -> Any:
    """Return an array of dpnp over the memory of an array of situ's."""
    return dpnp.asarray(dpnp.tensor.asarray(x))


# In place, whatever the array looks like.


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_taken_in_place_and_comes_back(queue: Any, dtype: str) -> None:
    values = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    d = owned(values, queue)
    x = situ.asarray(d)
    assert (x.dtype, x.shape, x.usm_type) == (values.dtype, (2, 3), d.usm_type)
    assert address(x) == address(d)
    assert x.queue == situ.Queue(queue)
    np.testing.assert_array_equal(x.to_numpy(), values)
    x[0, 0] = 1
    assert d[0, 0] == 1
    back = given(x)
    assert type(back) is dpnp.ndarray
    assert address(back) == address(d)
    assert (back.dtype, back.sycl_queue) == (d.dtype, d.sycl_queue)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("index", VIEWS, ids=repr)
def test_every_layout_and_kind_of_memory(queue: Any, kind: str, index: Any) -> None:
    values = np.arange(30.0).reshape(6, 5)
    d = owned(values, queue, usm_type=kind)[index]
    expected = values[index]
    x = situ.asarray(d)
    assert (x.shape, x.usm_type) == (expected.shape, kind)
    np.testing.assert_array_equal(x.to_numpy(), expected)
    np.testing.assert_array_equal(situ.negative(d).to_numpy(), -expected)
    if expected.size:
        assert address(x) == address(d)
        assert x.strides == d.strides
    if expected.size and min(x.strides, default=0) < 0:
        with pytest.raises(ValueError, match="can not accommodate"):  # dpnp's own refusal
            given(x)
        np.testing.assert_array_equal(given(situ.copy(x)).asnumpy(), expected)
    else:
        back = given(x)
        assert (back.shape, back.usm_type) == (expected.shape, kind)
        np.testing.assert_array_equal(back.asnumpy(), expected)
        if expected.size:
            assert address(back) == address(d)
    x[...] = -1.0
    np.testing.assert_array_equal(d.asnumpy(), np.full(expected.shape, -1.0))


# Functions of arrays.


def test_functions_take_them_and_run_on_their_queue(queue: Any) -> None:
    values = np.arange(1.0, 7.0).reshape(2, 3)
    d = owned(values, queue)
    for result, expected in (
        (situ.sin(d), np.sin(values)),
        (situ.add(d, d), values * 2),
        (situ.sum(d, axis=0), values.sum(axis=0)),
        (situ.matmul(d, situ.matrix_transpose(d)), values @ values.T),
        (situ.concat([d, d]), np.concatenate([values, values])),
        (situ.stack((d, d)), np.stack([values, values])),
        (situ.where(situ.greater(d, 3), d, 0), np.where(values > 3, values, 0)),
        (situ.sort(d, descending=True), -np.sort(-values)),
        (situ.linalg.svdvals(d), np.linalg.svd(values, compute_uv=False)),
        (situ.fft.fft(d), np.fft.fft(values)),
        (situ.median(d, axis=1), np.median(values, axis=1)),
        (situ.percentile(d, 25), np.percentile(values, 25)),
        (situ.einsum("ij,kj->ik", d, d), values @ values.T),
        (situ.broadcast_to(d, (2, 2, 3)), np.broadcast_to(values, (2, 2, 3))),
        (situ.zeros_like(d), np.zeros((2, 3))),
    ):
        assert type(result) is situ.ndarray
        assert result.queue == situ.Queue(queue)
        np.testing.assert_allclose(result.to_numpy(), expected, rtol=1e-12)


def test_results_become_arrays_of_dpnp_without_a_copy(queue: Any) -> None:
    d = owned(np.arange(4.0), queue, usm_type="shared")
    y = situ.sqrt(d)
    copy = dpnp.asarray(y)
    assert type(copy) is dpnp.ndarray
    assert address(copy) != address(y), "dpnp copies here, and the docs say so"
    for back in (given(y), copy):
        np.testing.assert_allclose((back * back).asnumpy(), np.arange(4.0))
    assert address(given(y)) == address(y)
    assert given(y).sycl_queue == queue
    assert y.usm_type == "shared"
    back = given(y)
    back += 1
    np.testing.assert_allclose(y.to_numpy(), np.sqrt(np.arange(4.0)) + 1)


def test_out_is_written_in_place_and_returned_as_it_was_given(queue: Any) -> None:
    d, out = owned([1.0, 4.0, 9.0], queue), owned(np.zeros(3), queue)
    assert situ.sqrt(d, out=out) is out
    assert out.asnumpy().tolist() == [1.0, 2.0, 3.0]
    assert situ.add(d, out, out=out) is out
    assert out.asnumpy().tolist() == [2.0, 6.0, 12.0]
    matrix, product = owned(np.eye(2) * 3, queue), owned(np.zeros((2, 2)), queue)
    assert situ.matmul(matrix, matrix, out=product) is product
    np.testing.assert_array_equal(product.asnumpy(), np.eye(2) * 9)
    x = situ.asarray(d)
    assert situ.subtract(x, 1.0, out=x) is x
    assert d.asnumpy().tolist() == [0.0, 3.0, 8.0]


def test_arrays_of_both_are_mixed_on_equivalent_queues(queue: Any) -> None:
    d = owned([1.0, 2.0], queue)
    for place in (d, d.device, d.sycl_queue):
        x = situ.asarray(np.array([10.0, 20.0]), queue=place)
        assert situ.add(x, d).to_numpy().tolist() == [11.0, 22.0]
        assert situ.add(d, x).to_numpy().tolist() == [11.0, 22.0]
        assert (x + d).to_numpy().tolist() == [11.0, 22.0]
        assert (x @ d).item() == 50.0
        x += d
        assert x.to_numpy().tolist() == [11.0, 22.0]
    equivalent = dpctl.SyclQueue(queue.sycl_context, queue.sycl_device)
    assert equivalent != queue
    y = owned([3.0, 4.0], equivalent)
    result = situ.multiply(d, y)
    assert result.queue == situ.Queue(queue)
    assert result.to_numpy().tolist() == [3.0, 8.0]


def test_arrays_are_indices_and_values_of_each_other(queue: Any) -> None:
    x = situ.asarray(np.arange(5.0), queue=queue)
    d, mask = owned([3, 0], queue), owned([True, False, True, False, False], queue)
    assert x[d].to_numpy().tolist() == [3.0, 0.0]
    assert x[mask].to_numpy().tolist() == [0.0, 2.0]
    assert situ.take(x, d).to_numpy().tolist() == [3.0, 0.0]
    x[d] = owned([7.0, 8.0], queue)
    x[1:3] = owned([5.0, 6.0], queue)
    assert x.to_numpy().tolist() == [8.0, 5.0, 6.0, 7.0, 4.0]


def test_arrays_of_different_queues_are_refused_by_name(queue: Any, elsewhere: Any) -> None:
    near, far = owned([1.0], queue), owned([1.0], elsewhere)
    with pytest.raises(situ.PlacementError) as failure:
        situ.add(near, far)
    message = str(failure.value)
    for name, each in (("x1", near), ("x2", far)):
        home = situ.Queue(each.sycl_queue)
        assert f"`{name}` is device memory on {home.device.filter_string}" in message
    assert "x2 = situ.asarray(x2, queue=x1)" in message
    assert situ.add(near, situ.asarray(far, queue=near)).to_numpy() == 2.0

    with pytest.raises(situ.PlacementError, match="`x2` is device memory on native"):
        situ.add(near, situ.ones(1, device="native"))
    profiling = dpctl.SyclQueue(queue.sycl_context, queue.sycl_device, property="enable_profiling")
    timed = owned([1.0], profiling)
    with pytest.raises(situ.PlacementError, match="different properties") as failure:
        situ.add(near, timed)
    assert "`queue=x1`" in str(failure.value)
    assert situ.add(near, timed, queue=near).to_numpy() == 2.0
    with pytest.raises(situ.PlacementError, match="host and device"):
        situ.add(near, np.ones(1))


def test_placement_is_told(queue: Any) -> None:
    d = owned([1.0], queue, usm_type="shared")
    placement = situ.placement_of(d, 2.0)
    assert (placement.queue, placement.usm_type) == (situ.Queue(queue), "shared")
    assert situ.queues_equivalent(situ.Queue(d.sycl_queue), placement.queue)
    assert situ.Device(d.sycl_device) == situ.Device("sycl") == situ.Device(d.device)


def test_the_lowest_kind_of_memory_is_that_of_the_result(queue: Any) -> None:
    for first, second, expected in (
        ("device", "host", "device"),
        ("shared", "host", "shared"),
        ("host", "host", "host"),
    ):
        x = owned([1.0], queue, usm_type=first)
        y = situ.ones(1, queue=queue, usm_type=second)
        assert situ.add(x, y).usm_type == expected


def test_nested_sequences_keep_their_place(queue: Any) -> None:
    d = owned([1.0, 2.0], queue)
    x = situ.asarray([d, [3.0, 4.0]])
    assert x.queue == situ.Queue(queue)
    assert x.to_numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]


# Kernels.


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_run_on_their_queue_and_write_in_place(queue: Any, kind: str) -> None:
    d = owned(np.arange(6.0), queue, usm_type=kind)
    scale(3.0, d)
    assert d.asnumpy().tolist() == [0.0, 3.0, 6.0, 9.0, 12.0, 15.0]
    scale[3](2.0, d[::-2])
    assert d.asnumpy().tolist() == [0.0, 6.0, 6.0, 18.0, 12.0, 30.0]
    x = situ.ones(6, queue=queue)
    add[6](d, x, d)
    assert d.asnumpy().tolist() == [1.0, 7.0, 7.0, 19.0, 13.0, 31.0]
    situ.call_kernel(scale, situ.Range(6), 0.0, d)
    assert not d.any()
    scale.simulate(1.0, x[:1])


def test_kernels_refuse_mixes(queue: Any, elsewhere: Any) -> None:
    near, far = owned([1.0], queue), owned([1.0], elsewhere)
    with pytest.raises(situ.PlacementError, match="`y` is device memory on sycl"):
        add(near, far, near)
    with pytest.raises(situ.PlacementError, match="host and device"):
        add(near, np.ones(1), near)
    with (
        situ.host_data_on("native"),
        pytest.warns(situ.PlacementWarning, match="has no effect"),
    ):
        scale(2.0, near)
    assert near.asnumpy() == 2.0


# njit functions, situ's and Numba's.


def test_njit_functions_run_where_they_are(queue: Any) -> None:
    x, y = owned([1.0, 2.0], queue), owned([4.0, 6.0], queue)
    assert norm(x, y) == 5.0
    result = saxpy(2.0, x, y)
    assert result.queue == situ.Queue(queue)
    assert result.to_numpy().tolist() == [6.0, 10.0]
    assert given(result).asnumpy().tolist() == [6.0, 10.0]
    assert saxpy(2.0, x, situ.ones(2, queue=queue)).to_numpy().tolist() == [3.0, 5.0]


def test_existing_functions_of_numba_run_where_they_are(queue: Any) -> None:
    numba = pytest.importorskip("numba")
    situ._numba.init()  # the entry point of an installed situ does

    @numba.njit(parallel=True)
    def f(x, y):
        total = 0.0
        for i in numba.prange(x.shape[0]):
            y[i] = np.sin(x[i]) + 1.0
        total += np.sum(y)
        return total, x * y

    x, y = owned([0.0, np.pi / 2], queue), owned(np.zeros(2), queue)
    total, product = f(x, y)
    assert total == 3.0
    assert y.asnumpy().tolist() == [1.0, 2.0]
    assert product.queue == situ.Queue(queue)
    np.testing.assert_allclose(product.to_numpy(), [0.0, np.pi])
    host = np.zeros(2)
    f(np.zeros(2), host)
    assert host.tolist() == [1.0, 1.0]


# Order, lifetime, cost.


def test_neither_library_waits_for_the_other_explicitly(queue: Any) -> None:
    d = dpnp.zeros(200_000, sycl_queue=queue)
    x = situ.zeros(200_000, queue=queue)
    shared = given(x)
    value, total = 0.0, 0.0
    for _ in range(30):
        d += 1  # dpnp
        scale(2.0, d)  # situ reads and writes what dpnp wrote
        x += d
        shared += d  # dpnp reads and writes what situ wrote
        value = (value + 1) * 2
        total += 2 * value
    assert situ.sum(x).item() == 200_000 * total
    np.testing.assert_array_equal(d.asnumpy(), value)
    np.testing.assert_array_equal(shared.asnumpy(), total)


def test_memory_lives_as_long_as_either_library_uses_it(queue: Any) -> None:
    d = owned(np.arange(1000.0), queue)
    alive = weakref.ref(d.get_array())  # arrays of dpnp have no weak references themselves
    x = situ.asarray(d)[10:]
    del d
    gc.collect()
    assert alive() is not None
    assert x.to_numpy()[0] == 10.0
    del x
    gc.collect()
    assert alive() is None
    y = given(situ.ones(1000, queue=queue))
    gc.collect()
    for _ in range(5):
        situ.zeros(1000, queue=queue)
    assert y.asnumpy().tolist() == [1.0] * 1000


def test_taking_an_array_takes_no_memory(queue: Any) -> None:
    d = dpnp.empty(50_000_000, dtype="i1", sycl_queue=queue)
    scale(1, d)
    before = situ.memory.stats()
    x = situ.asarray(d)
    scale(1, d)
    back = given(x)
    assert situ.memory.stats() == before
    assert address(back) == address(d)


def test_nothing_is_left_behind(queue: Any) -> None:
    d = owned(np.arange(1000.0), queue)

    def use() -> None:
        situ.sin(d)
        situ.asarray(d)[::2] += 1
        given(situ.cos(d)).sum()
        with pytest.raises(situ.PlacementError):
            situ.add(d, np.ones(1000))

    use()
    gc.collect()
    before = situ.memory.stats().total.used_bytes
    for _ in range(10):
        use()
    gc.collect()
    assert situ.memory.stats().total.used_bytes == before


# DLPack.


def test_dlpack_is_taken_without_a_copy(queue: Any) -> None:
    d = owned(np.arange(12.0).reshape(3, 4), queue)
    x = situ.from_dlpack(d[::-1, 1:])
    assert address(x) == address(d[::-1, 1:])
    assert x.queue == situ.Queue(queue)
    np.testing.assert_array_equal(x.to_numpy(), np.arange(12.0).reshape(3, 4)[::-1, 1:])


def test_dlpack_goes_out_without_a_copy(queue: Any) -> None:
    x = situ.asarray(np.arange(12.0).reshape(3, 4), queue=queue, usm_type="device")[1:, ::2]
    # Reversed views are too much for dpnp: it looks for the memory after the first element.
    d = dpnp.from_dlpack(x)
    assert isinstance(d, dpnp.ndarray)
    assert address(d) == address(x)
    d[0, 0] = 99.0
    x[0, 1] = -1.0
    np.testing.assert_array_equal(dpnp.asnumpy(d), x.to_numpy())
    assert x[0, 0] == 99.0


def test_dlpack_without_the_other_protocol(queue: Any) -> None:
    class OnlyDLPack:
        def __init__(self, d: Any) -> None:
            self.d = d

        def __dlpack__(self, **keywords: Any) -> object:
            return self.d.__dlpack__(**keywords)

        def __dlpack_device__(self) -> tuple[int, int]:
            return self.d.__dlpack_device__()

    d = owned(np.arange(12.0).reshape(3, 4), queue)
    x = situ.from_dlpack(OnlyDLPack(d[:, ::-2]))
    np.testing.assert_array_equal(x.to_numpy(), np.arange(12.0).reshape(3, 4)[:, ::-2])
    assert x.device == situ.Device("sycl")
    x[0, 0] = 99.0
    assert d[0, 3] == 99.0
    assert situ.from_dlpack(OnlyDLPack(d[1:1])).shape == (0, 4)
    assert situ.from_dlpack(OnlyDLPack(d), device="native").device == situ.Device("native")
    del d
    gc.collect()
    assert x[0, 0].item() == 99.0
