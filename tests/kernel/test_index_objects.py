"""Kernels that take an index object: items, groups, atomic references, local accessors."""

import pickle

import numpy as np
import pytest

import situ
from situ import kernel_api
from situ.kernel_api import (
    AtomicRef,
    Group,
    Item,
    LocalAccessor,
    MemoryOrder,
    MemoryScope,
    NdItem,
    PrivateArray,
    group_barrier,
)


@situ.kernel
def tell_item(item: Item, out):
    i, j = item.get_id(0), item.get_id(1)
    out[i, j, 0] = item.get_linear_id()
    out[i, j, 1] = item.get_range(0)
    out[i, j, 2] = item.get_range(1)
    out[i, j, 3] = item.get_linear_range()
    out[i, j, 4] = item.dimensions


def run(kernel, range, device, *arrays, simulated=False):
    """Launch a kernel on copies of host arrays; give them as they are afterwards."""
    sent = [
        situ.asarray(array, device=device) if isinstance(array, np.ndarray) else array
        for array in arrays
    ]
    if simulated:
        kernel[range].simulate(*sent)
    else:
        situ.call_kernel(kernel, range, *sent)
    return [array.to_numpy() for array in sent if isinstance(array, situ.ndarray)]


@pytest.mark.parametrize("simulated", [False, True])
def test_an_item_knows_its_place_in_the_range(device, simulated):
    (out,) = run(
        tell_item, situ.Range(3, 4), device, np.zeros((3, 4, 5), "int64"), simulated=simulated
    )
    np.testing.assert_array_equal(out[:, :, 0], np.arange(12).reshape(3, 4))
    assert (out[:, :, 1:] == [3, 4, 12, 2]).all()


@situ.kernel
def tell_nd_item(item: NdItem, out):
    row = item.get_global_linear_id()
    group = item.get_group()
    out[row, 0] = item.get_global_id(0)
    out[row, 1] = item.get_global_id(1)
    out[row, 2] = item.get_local_id(0)
    out[row, 3] = item.get_local_id(1)
    out[row, 4] = item.get_local_linear_id()
    out[row, 5] = item.get_global_range(1)
    out[row, 6] = item.get_local_range(1)
    out[row, 7] = item.get_global_linear_range()
    out[row, 8] = item.get_local_linear_range()
    out[row, 9] = group.get_group_id(0)
    out[row, 10] = group.get_group_id(1)
    out[row, 11] = group.get_group_linear_id()
    out[row, 12] = group.get_group_range(0)
    out[row, 13] = group.get_group_linear_range()
    out[row, 14] = group.get_local_range(0)
    out[row, 15] = group.get_local_linear_range()
    out[row, 16] = group.leader
    out[row, 17] = group.dimensions + item.dimensions


def expected_of_nd_item(global_size, local_size):
    """Say what `tell_nd_item` should tell."""
    rows = []
    for i, j in np.ndindex(*global_size):
        li, lj = i % local_size[0], j % local_size[1]
        gi, gj = i // local_size[0], j // local_size[1]
        groups = (global_size[0] // local_size[0], global_size[1] // local_size[1])
        local_linear = li * local_size[1] + lj
        local_count = local_size[0] * local_size[1]
        of_item = [i, j, li, lj, local_linear, global_size[1], local_size[1]]
        of_group = [gi, gj, gi * groups[1] + gj, groups[0], groups[0] * groups[1]]
        sizes = [np.prod(global_size), local_count]
        leader = local_linear == 0
        rows.append([*of_item, *sizes, *of_group, local_size[0], local_count, leader, 4])
    return np.array(rows, dtype="int64")


@pytest.mark.parametrize("simulated", [False, True])
def test_an_nd_item_knows_its_group(device, simulated):
    (out,) = run(
        tell_nd_item,
        situ.NdRange((4, 6), (2, 3)),
        device,
        np.zeros((24, 18), "int64"),
        simulated=simulated,
    )
    np.testing.assert_array_equal(out, expected_of_nd_item((4, 6), (2, 3)))


def test_the_function_style_tells_the_same(device):
    @situ.kernel
    def tell(out):
        row = situ.get_global_linear_id()
        out[row, 0] = situ.get_local_linear_id()
        out[row, 1] = situ.get_group_linear_id()
        out[row, 2] = situ.get_global_linear_size()
        out[row, 3] = situ.get_local_linear_size()
        out[row, 4] = situ.get_work_dim()

    (out,) = run(tell, situ.NdRange((4, 6), (2, 3)), device, np.zeros((24, 5), "int64"))
    full = expected_of_nd_item((4, 6), (2, 3))
    np.testing.assert_array_equal(out[:, :4], full[:, [4, 11, 7, 8]])
    assert (out[:, 4] == 2).all()
    (flat,) = run(tell, situ.Range(24), device, np.zeros((24, 5), "int64"))
    assert (flat[:, 4] == 1).all()


def test_an_item_needs_no_annotation_where_it_is_used_as_one(device):
    @situ.kernel
    def double(it, a):
        i = it.get_id(0)
        a[i] = 2 * a[i]

    (a,) = run(double, situ.Range(4), device, np.arange(4.0))
    np.testing.assert_array_equal(a, 2 * np.arange(4.0))
    b = situ.asarray(np.arange(4.0), device=device)
    double(b)
    double[4](b)
    np.testing.assert_array_equal(b.to_numpy(), 4 * np.arange(4.0))


def test_a_device_function_takes_items_and_groups(device):
    @situ.device_func
    def place(item, group):
        return item.get_global_id(0) * 10 + group.get_group_id(0)

    @situ.kernel
    def kernel(item: NdItem, out):
        out[item.get_global_id(0)] = place(item, item.get_group())

    (out,) = run(kernel, situ.NdRange(6, 3), device, np.zeros(6, "int64"))
    np.testing.assert_array_equal(out, [0, 10, 20, 31, 41, 51])


@pytest.mark.parametrize("simulated", [False, True])
def test_local_accessors_are_sized_at_launch(device, simulated):
    @situ.kernel
    def reverse(item: NdItem, x, tile):
        i = item.get_local_id(0)
        tile[i, 0] = x[item.get_global_id(0)]
        group_barrier(item.get_group())
        x[item.get_global_id(0)] = tile[tile.shape[0] - 1 - i, 0] + tile.shape[1]

    for size in (2, 4):
        tile = LocalAccessor((size, 2), np.float32)
        values = np.arange(8, dtype="float32")
        (x,) = run(reverse, situ.NdRange(8, size), device, values, tile, simulated=simulated)
        np.testing.assert_array_equal(x, values.reshape(-1, size)[:, ::-1].ravel() + 2)
    assert len(reverse.specializations) <= 1


def test_a_local_accessor_that_is_too_large_is_refused():
    @situ.kernel
    def kernel(item: NdItem, x, tile):
        tile[0] = x[0]
        x[0] = tile[0]

    x = situ.asarray(np.zeros(4))
    with pytest.raises(situ.SituError, match="local memory"):
        situ.call_kernel(kernel, situ.NdRange(4, 4), x, LocalAccessor(1 << 27, np.float64))
    with pytest.raises(situ.ShapeError):
        LocalAccessor((), np.float32)
    with pytest.raises(situ.KernelTypeError):
        LocalAccessor("8", np.float32)
    accessor = LocalAccessor(8, "float32")
    assert accessor.shape == (8,)
    assert accessor.dtype == np.float32
    assert repr(accessor) == "LocalAccessor((8,), dtype=float32)"
    with pytest.raises(situ.KernelError, match="outside of a kernel"):
        accessor[0]


@situ.kernel
def all_operations(item: Item, a, old):
    i = item.get_id(0)
    old[i, 0] = AtomicRef(a, 0).fetch_add(i)
    old[i, 1] = AtomicRef(a, 1, MemoryOrder.ACQ_REL).fetch_sub(1)
    old[i, 2] = AtomicRef(a, 2, MemoryOrder.SEQ_CST, MemoryScope.SYSTEM).fetch_min(i)
    old[i, 3] = AtomicRef(a, 3, memory_scope=MemoryScope.DEVICE).fetch_max(i)
    AtomicRef(a, 4).store(7)
    old[i, 4] = AtomicRef(a, 4).load()
    old[i, 5] = AtomicRef(a, 5).exchange(9)


@pytest.mark.parametrize("simulated", [False, True])
@pytest.mark.parametrize("dtype", ["int32", "uint32", "float32", "int64"])
def test_atomic_references_have_all_operations(device, dtype, simulated):
    start = np.full(6, 5, dtype)
    start[1] = 40
    a, old = run(
        all_operations,
        situ.Range(10),
        device,
        start,
        np.zeros((10, 6), dtype),
        simulated=simulated,
    )
    np.testing.assert_array_equal(a, np.array([50, 30, 0, 9, 7, 9], dtype))
    assert sorted(old[:, 1]) == list(range(31, 41))
    assert (old[:, 4] == 7).all()
    assert sorted(old[:, 5]) == [5, *[9] * 9]


@pytest.mark.parametrize("simulated", [False, True])
def test_atomic_references_have_bitwise_operations(device, simulated):
    @situ.kernel
    def kernel(item: Item, a):
        i = item.get_id(0)
        AtomicRef(a, 0).fetch_or(1 << i)
        AtomicRef(a, 1).fetch_and(~(1 << i))
        AtomicRef(a, 2).fetch_xor(1 << i)

    (a,) = run(kernel, situ.Range(8), device, np.array([0, 255, 15], "int32"), simulated=simulated)
    np.testing.assert_array_equal(a, [255, 0, 240])


@pytest.mark.parametrize("simulated", [False, True])
def test_compare_exchange_tells_whether_it_did_and_what_it_found(device, simulated):
    @situ.kernel
    def increment(item: Item, a, out):
        expected = PrivateArray(2, np.float32, fill_zeros=True)
        ref = AtomicRef(a, 0)
        expected[1] = ref.load()
        while not ref.compare_exchange(expected, expected[1] + 1, expected_idx=1):
            pass
        out[item.get_id(0)] = expected[0]

    a, out = run(
        increment,
        situ.Range(20),
        device,
        np.zeros(1, "float32"),
        np.ones(20, "float32"),
        simulated=simulated,
    )
    assert a[0] == 20
    assert (out == 0).all()


def test_the_index_of_a_reference_is_that_of_its_making(device):
    @situ.kernel
    def kernel(item: Item, a):
        i = 1
        ref = AtomicRef(a, (i, i + 1))
        i = 0
        ref.fetch_add(5)
        a[0, 0] = ref.memory_order * 10 + ref.memory_scope + ref.ref.shape[1] + i

    (a,) = run(kernel, situ.Range(1), device, np.zeros((2, 3), "int32"))
    np.testing.assert_array_equal(a, [[6, 0, 0], [0, 0, 5]])


def test_fences_are_taken(device):
    @situ.kernel
    def kernel(item: NdItem, a):
        a[item.get_global_id(0)] = 1
        kernel_api.atomic_fence(MemoryOrder.SEQ_CST, kernel_api.MemoryScope.DEVICE)
        situ.mem_fence()
        situ.mem_fence(situ.LOCAL_MEM_FENCE)
        situ.barrier(situ.LOCAL_MEM_FENCE | situ.GLOBAL_MEM_FENCE)
        group_barrier(item.get_group(), fence_scope=MemoryScope.DEVICE)

    (a,) = run(kernel, situ.NdRange(8, 4), device, np.zeros(8, "int32"))
    assert (a == 1).all()


def test_ranges_are_tuples_with_names():
    r = situ.Range(4, 6)
    assert (r.dim0, r.dim1, r.dim2, r.ndim, r.size(), r.get(1)) == (4, 6, None, 2, 24, 6)
    assert r == (4, 6)
    assert pickle.loads(pickle.dumps(r)) == r
    assert repr(r) == "Range(4, 6)"
    nd = situ.NdRange(r, (2, 3))
    assert (nd.global_range, nd.local_range) == ((4, 6), (2, 3))
    assert nd.get_global_range() is nd.global_range
    assert nd.get_local_range() == situ.Range(2, 3)
    assert nd == situ.NdRange((4, 6), situ.Range(2, 3))
    assert pickle.loads(pickle.dumps(nd)) == nd
    for bad in (lambda: situ.Range(-1), lambda: situ.Range(1, None, 2)):
        with pytest.raises(situ.ShapeError):
            bad()
    with pytest.raises(situ.KernelTypeError, match="float"):
        situ.Range(1.5)
    with pytest.raises(situ.ShapeError, match="groups of 4"):
        situ.NdRange(6, 4)
    with pytest.raises(situ.ShapeError, match="dimensions"):
        situ.NdRange((4, 4), 2)


def test_the_wrong_range_is_explained():
    a = situ.asarray(np.zeros((3, 4, 5), "int64"))
    with pytest.raises(situ.KernelTypeError, match="annotated as `Item`"):
        situ.call_kernel(tell_item, situ.NdRange((2, 2), (1, 1)), a)
    with pytest.raises(situ.KernelTypeError, match="annotated as `NdItem`"):
        situ.call_kernel(tell_nd_item, situ.Range(4), a)
    with pytest.raises(situ.KernelError, match="K070"):
        situ.call_kernel(tell_item, situ.Range(4), a)


def test_the_wrong_number_of_arguments_names_the_item():
    a = situ.asarray(np.zeros(4))
    with pytest.raises(situ.KernelTypeError, match="takes 1 argument, but 2 were given") as caught:
        tell_item(a, a)
    assert "after the index object `item`" in str(caught.value)

    @situ.kernel
    def plain(a, b):
        a[0] = b[0]

    with pytest.raises(situ.KernelTypeError, match="takes 2 arguments, but 1 was given") as caught:
        plain(a)
    assert "write `a: situ.kernel_api.Item`" in str(caught.value)


def test_index_objects_can_be_made_by_hand():
    extent = situ.Range(2, 3)
    item = Item(extent, (1, 2))
    assert (item.get_id(0), item.get_linear_id(), item.get_linear_range()) == (1, 5, 6)
    group = Group(extent, situ.Range(1, 3), situ.Range(2, 1), (1, 0))
    nd_item = NdItem(item, Item(situ.Range(1, 3), (0, 2)), group)
    assert nd_item.get_group().get_group_linear_id() == 1
    with pytest.raises(situ.KernelError, match="outside of a kernel"):
        group.leader
    with pytest.raises(situ.KernelError, match="outside of a kernel"):
        AtomicRef(np.zeros(1), 0)
