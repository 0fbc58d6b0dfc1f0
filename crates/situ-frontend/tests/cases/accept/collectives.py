# types: NdItem[1], float32[:], int32[:]
import situ
from situ import kernel_api
from situ.kernel_api import NdItem


@situ.kernel
def kernel(item: NdItem, x, counts):
    group = item.get_group()
    i = item.get_global_id(0)
    total = kernel_api.reduce_over_group(group, x[i], np.add)
    before = kernel_api.exclusive_scan_over_group(group, counts[i])
    best = kernel_api.inclusive_scan_over_group(item.get_sub_group(), x[i], max)
    first = kernel_api.group_broadcast(group, x[i], local_id=0)
    if kernel_api.all_of_group(group, x[i] > 0) or kernel_api.none_of_group(group, counts[i]):
        x[i] = total + before + best + first
