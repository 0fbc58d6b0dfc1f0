# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    if (m := n) > 3:
        a[0] = m
