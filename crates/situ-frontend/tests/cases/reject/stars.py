# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    first, *rest = a.shape
    situ.get_global_id(*rest)
    situ.get_global_id(**rest)
