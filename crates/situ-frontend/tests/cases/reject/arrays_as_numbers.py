# types: float64[:], float64[:], float32[:, :]
import situ


@situ.kernel
def kernel(a, b, m):
    i = situ.get_global_id(0)
    a[i] = a + 1
    if b:
        a[i] = 1
    a[i] = a.shape
    b[i] = situ
    x = situ.barrier()
    m[i, 0] = -m
