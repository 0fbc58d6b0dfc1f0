# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    i = situ.get_global_id(n)
    j = situ.get_global_id(3)
    k = situ.get_global_id()
    l = situ.get_local_id(-1)
