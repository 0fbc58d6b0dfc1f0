# types: NdItem[2], int32[:], float32[:, :], local float32[:]
import situ
from situ import kernel_api


@situ.device_func
def place(item, group):
    return item.get_global_linear_id() + group.get_group_linear_range()


@situ.kernel
def kernel(item, counts, a, tile):
    i, j = item.get_global_id(0), item.get_global_id(1)
    group = item.get_group()
    local = item.get_local_linear_id()
    tile[local] = a[i, j]
    kernel_api.group_barrier(group)
    if group.leader:
        a[i, j] = tile[item.get_local_linear_range() - 1] + item.dimensions
    kernel_api.group_barrier(group, fence_scope=kernel_api.MemoryScope.DEVICE)
    first = kernel_api.AtomicRef(counts, 0, kernel_api.MemoryOrder.ACQ_REL)
    old = first.fetch_add(place(item, group))
    first.store(old)
    kernel_api.atomic_fence(kernel_api.MemoryOrder.SEQ_CST, kernel_api.MemoryScope.SYSTEM)
    expected = kernel_api.PrivateArray(2, np.int32, fill_zeros=True)
    while not first.compare_exchange(expected, 7, expected_idx=1):
        pass
