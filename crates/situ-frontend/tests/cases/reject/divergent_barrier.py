# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    i = situ.get_local_id(0)
    if i < 3:
        situ.barrier()
    a[i] = 1
