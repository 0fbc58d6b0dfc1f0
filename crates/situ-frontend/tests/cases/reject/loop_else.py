# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    for i in range(n):
        a[i] = 1
    else:
        a[0] = 2
    while n > 0:
        n -= 1
    else:
        a[1] = 2
