# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    i, j = a.shape
    x, y = n
    (p, q), r = (1, 2), 3
    i, a.shape = 1, 2
    t = (a, b)
