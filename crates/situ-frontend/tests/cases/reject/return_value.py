# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    i = situ.get_global_id(0)
    total = a[i] + b[i]
    return total / n
