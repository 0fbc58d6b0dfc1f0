# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    for x in a:
        a[0] = x
    for i in range(0, n, 0):
        a[i] = 1
    for i in range(n / 2):
        a[i] = 1
    for i in range():
        a[i] = 1
    for i, j in range(3):
        a[i] = 1
    for i in (1, 2):
        a[i] = 1
    r = range(3)
