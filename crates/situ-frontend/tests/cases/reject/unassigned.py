# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    i = situ.get_global_id(0)
    if i > 3:
        x = 1.0
    a[i] = x
    for k in range(n):
        last = k
    b[i] = last
    y += 1
