# types: float64[:], float64[:], int64
import situ


@situ.device_func
def broken(a, i):
    return a[i]


@situ.kernel
def kernel(a, b, n):
    i = situ.get_global_id(0)
    a[i] = broken(a, b[i])
    n = broken(b, n)
