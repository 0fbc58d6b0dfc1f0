# types: float64[:], float64[:]
import situ


@situ.kernel
def kernel(a, a):
    a[0] = 1
    if a[0] > 0:
        break
    continue
