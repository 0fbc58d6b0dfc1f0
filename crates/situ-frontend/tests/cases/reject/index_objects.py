# types: Item[1], int32[:], int16[:]
import situ
from situ import kernel_api


@situ.kernel
def kernel(item, a, b):
    i = item.get_id(1)
    j = item.get_local_id(0)
    k = item.get_idx(0)
    item[0] = 1
    kernel_api.group_barrier(item)
    situ.barrier(7)
    kernel_api.atomic_fence(2, kernel_api.MemoryScope.DEVICE)
    ref = kernel_api.AtomicRef(a, 0, address_space=kernel_api.AddressSpace.LOCAL)
    kernel_api.AtomicRef(a, 0).compare_exchange(1, 2)
    kernel_api.AtomicRef(a, 0).fetch_mul(1)
    kernel_api.AtomicRef(b, 0).fetch_add(1)
    p = situ.private.array(4, a.dtype, fill_zeros=a[0])
    a[0] = item
