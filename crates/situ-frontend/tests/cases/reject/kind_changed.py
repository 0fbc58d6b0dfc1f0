# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    x = 1
    x = a
    y = a.shape
    y = 3
    t = situ.private.array(4, situ.float32)
    t = situ.private.array(8, situ.float32)
