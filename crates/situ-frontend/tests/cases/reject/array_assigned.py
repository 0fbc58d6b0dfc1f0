# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    a = b
    b = 1.0
    a += 1
