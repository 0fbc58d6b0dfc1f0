# types: NdItem[1], complex64[:], float32[:]
import situ
from situ import kernel_api


@situ.device_func
def total(group, x):
    if x < 0:
        return x
    return kernel_api.reduce_over_group(group, x)


@situ.kernel
def kernel(item, z, x):
    group = item.get_group()
    i = item.get_global_id(0)
    a = kernel_api.reduce_over_group(item, 1)
    b = kernel_api.reduce_over_group(group, z[i], np.multiply)
    c = kernel_api.reduce_over_group(group, x[i], np.bitwise_or)
    d = kernel_api.inclusive_scan_over_group(group, x[i], np.subtract)
    e = kernel_api.exclusive_scan_over_group(group, x[i], 1)
    f = kernel_api.group_broadcast(group, x[i], 0.5)
    g = kernel_api.any_of_group(group)
    h = total(group, x[i])
