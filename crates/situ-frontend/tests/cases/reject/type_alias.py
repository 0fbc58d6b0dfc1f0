# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    type Number = int
