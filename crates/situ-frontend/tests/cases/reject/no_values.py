# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    a[0] = None
    a[...] = 1
    a[1:3] = 2
