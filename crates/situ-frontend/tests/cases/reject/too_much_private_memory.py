# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    big = situ.private.array(1000000, situ.float64)
    big[n] = 1
    a[0] = big[n]
