# types: float64[:]
import situ


@situ.kernel
def kernel(a, b, n):
    pass
