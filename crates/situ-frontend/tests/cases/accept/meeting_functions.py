# types: float64[:], float64[:]
import situ


@situ.device_func
def total(values, x, n):
    """Sum x over the work-group."""
    tile = situ.local.array(8, situ.float64)
    i = situ.get_local_id(0)
    tile[i] = x
    situ.barrier()
    result = 0.0
    for k in range(n):
        result += tile[k]
    situ.barrier()
    if result > 100:
        return result, 1
    else:
        return result, 0


@situ.device_func
def twice(values, x):
    first, is_large = total(values, x, 4)
    second, is_large = total(values, x + is_large, 4)
    return first + second


@situ.kernel
def kernel(a, out):
    i = situ.get_global_id(0)
    out[i] = twice(a[::2], a[i]) + twice(a, 1.0)
