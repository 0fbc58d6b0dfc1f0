# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    a[0] = a @ b
    if n is 3:
        a[1] = 1
    if n in a:
        a[2] = 1
    if 0 < n in (1, 2):
        a[2] = 1
    a[3] = 123456789012345678901234567890
