"""Arrays of a package on top of dpctl, as dpnp is one, given to situ's functions.

What stands in for dpnp, which `make test` does not install, is the least that such an array has:
memory of dpctl, a description of the elements in it, and a queue. `test_dpnp.py` has dpnp's own.
"""

import gc
from typing import Any

import numpy as np
import pytest

import situ

if not situ.devices("sycl"):
    pytest.skip("there is no device of the backend `sycl`", allow_module_level=True)

dpctl = pytest.importorskip("dpctl")
dpm = pytest.importorskip("dpctl.memory")


class Array:
    """An array over memory of dpctl, described from the start of the memory, as dpnp does."""

    def __init__(self, values: Any, queue: Any, kind: str = "Device") -> None:
        values = np.ascontiguousarray(values)
        self.memory = getattr(dpm, f"MemoryUSM{kind}")(max(values.nbytes, 1), queue=queue)
        if values.size:
            self.memory.copy_from_host(values.reshape(-1).view("u1"))
        self.sycl_queue = queue
        self.dtype, self.size = values.dtype, values.size
        self.__sycl_usm_array_interface__ = self.memory.__sycl_usm_array_interface__ | {
            "typestr": values.dtype.str,
            "shape": values.shape,
            "strides": None,
            "offset": 0,
        }

    def view(self, index: Any, values: Any) -> "Array":
        """Return what an index selects; `values` are the elements."""
        part = values[index]
        view = object.__new__(Array)
        view.memory, view.sycl_queue = self.memory, self.sycl_queue
        addresses = [each.__array_interface__["data"][0] for each in (part, values)]
        view.__sycl_usm_array_interface__ = self.__sycl_usm_array_interface__ | {
            "shape": part.shape,
            "strides": tuple(step // values.itemsize for step in part.strides),
            "offset": (addresses[0] - addresses[1]) // values.itemsize,
        }
        return view

    def host(self) -> Any:
        """Return all of the memory, as dpctl reads it."""
        return self.memory.copy_to_host()[: self.size * self.dtype.itemsize].view(self.dtype)


KINDS = ["Device", "Shared", "Host"]
VIEWS = [
    np.s_[...],
    np.s_[::2],
    np.s_[::-1, 1:],
    np.s_[3:, ::-2],
    np.s_[1],
    np.s_[4:5, 2],
    np.s_[1:1],
]


@pytest.fixture(scope="module")
def queue() -> Any:
    """Return a queue of dpctl on a device that situ uses."""
    ours = situ.Queue("sycl").to_dpctl()
    return dpctl.SyclQueue(ours.sycl_context, ours.sycl_device)


@pytest.fixture(scope="module")
def elsewhere(queue: Any) -> Any:
    """Return a queue of the same device in a context of its own."""
    return dpctl.SyclQueue(dpctl.SyclContext([queue.sycl_device]), queue.sycl_device)


@situ.kernel
def scale(factor, x):
    """Multiply each element."""
    i = situ.get_global_id(0)
    x[i] = factor * x[i]


@situ.njit
def saxpy(a, x, y):
    """Return a linear combination."""
    return a * x + y


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("index", VIEWS, ids=repr)
def test_every_layout_is_taken_in_place(queue: Any, kind: str, index: Any) -> None:
    values = np.arange(30.0).reshape(6, 5)
    whole = Array(values, queue, kind)
    part = whole.view(index, values)
    x = situ.asarray(part)
    assert (x.shape, x.usm_type) == (values[index].shape, kind.lower())
    assert x.queue == situ.Queue(queue)
    np.testing.assert_array_equal(x.to_numpy(), values[index])
    np.testing.assert_array_equal(situ.negative(part).to_numpy(), -values[index])
    x[...] = -1.0
    expected = values.copy()
    expected[index] = -1.0
    np.testing.assert_array_equal(whole.host(), expected.reshape(-1))


@pytest.mark.parametrize("index", VIEWS[:-1], ids=repr)
def test_dpctl_finds_the_elements_of_every_view(queue: Any, index: Any) -> None:
    values = np.arange(30.0).reshape(6, 5)
    x = situ.asarray(values, queue=queue)
    memory = dpm.as_usm_memory(x[index])
    places = np.arange(30).reshape(6, 5)[index]
    low, high = places.min(), places.max()
    start = x.__sycl_usm_array_interface__["data"][0]
    assert memory._pointer == start + 8 * low
    assert memory.nbytes == 8 * (high - low + 1)
    found = memory.copy_to_host().view("f8")
    np.testing.assert_array_equal(found, values.reshape(-1)[low : high + 1])


def test_functions_take_them_and_run_on_their_queue(queue: Any) -> None:
    values = np.arange(1.0, 7.0).reshape(2, 3)
    d = Array(values, queue)
    for result, expected in (
        (situ.sin(d), np.sin(values)),
        (situ.sum(d, axis=0), values.sum(axis=0)),
        (situ.matmul(d, situ.matrix_transpose(d)), values @ values.T),
        (situ.concat([d, d]), np.concatenate([values, values])),
        (situ.median(d, axis=1), np.median(values, axis=1)),
        (situ.einsum("ij,kj->ik", d, d), values @ values.T),
        (situ.asarray([d, d]), np.stack([values, values])),
    ):
        assert result.queue == situ.Queue(queue)
        np.testing.assert_allclose(result.to_numpy(), expected, rtol=1e-12)


def test_outputs_kernels_and_njit_functions_write_in_place(queue: Any) -> None:
    d, out = Array([1.0, 4.0, 9.0], queue), Array(np.zeros(3), queue)
    assert situ.sqrt(d, out=out) is out
    assert out.host().tolist() == [1.0, 2.0, 3.0]
    scale[3](2.0, out)
    assert out.host().tolist() == [2.0, 4.0, 6.0]
    result = saxpy(2.0, d, out)
    assert result.queue == situ.Queue(queue)
    assert result.to_numpy().tolist() == [4.0, 12.0, 24.0]


def test_they_stand_beside_arrays_of_equivalent_queues(queue: Any) -> None:
    d, indices = Array([1.0, 2.0], queue), Array([1, 0], queue)
    x = situ.asarray(np.array([10.0, 20.0]), queue=d)
    assert x.queue == situ.Queue(queue)
    assert situ.add(d, x).to_numpy().tolist() == [11.0, 22.0]
    assert (x + d).to_numpy().tolist() == [11.0, 22.0]
    x += d
    assert x[indices].to_numpy().tolist() == [22.0, 11.0]
    x[indices] = d
    assert x.to_numpy().tolist() == [2.0, 1.0]
    equivalent = Array([3.0, 4.0], dpctl.SyclQueue(queue.sycl_context, queue.sycl_device))
    assert situ.multiply(d, equivalent).to_numpy().tolist() == [3.0, 8.0]


def test_arrays_of_different_queues_are_refused_with_the_line_that_helps(
    queue: Any, elsewhere: Any
) -> None:
    near, far = Array([1.0], queue), Array([1.0], elsewhere)
    with pytest.raises(situ.PlacementError) as failure:
        situ.add(near, far)
    assert "x2 = situ.asarray(x2, queue=x1)" in str(failure.value)
    assert situ.add(near, situ.asarray(far, queue=near)).to_numpy() == 2.0
    with pytest.raises(situ.PlacementError, match="host and device"):
        situ.add(near, np.ones(1))


def test_nothing_is_left_behind(queue: Any) -> None:
    d = Array(np.arange(1000.0), queue)

    def use() -> None:
        situ.sin(d)
        situ.asarray(d)[::2] += 1
        dpm.as_usm_memory(situ.cos(d)).copy_to_host()
        with pytest.raises(situ.PlacementError):
            situ.add(d, np.ones(1000))

    use()
    gc.collect()
    before = situ.memory.stats("sycl").total.used_bytes
    for _ in range(10):
        use()
    gc.collect()
    assert situ.memory.stats("sycl").total.used_bytes == before


def test_the_names_of_other_libraries_lead_to_dpctls_own_objects(queue: Any) -> None:
    x = situ.ones(3, queue=queue)
    assert x.sycl_queue == queue
    assert x.sycl_device == queue.sycl_device
    assert x.sycl_context == queue.sycl_context
    native = situ.ones(3, device="native")
    assert (native.sycl_queue, native.sycl_device) == (native.queue, native.device)
