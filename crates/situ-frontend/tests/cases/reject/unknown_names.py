# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    idx = situ.get_global_id(0)
    a[idx] = b[indx] + totl
    total = 1
    a[idx] = undefined_thing
