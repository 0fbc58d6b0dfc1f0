# types: float64[:], float32[:, :], int64
import situ


@situ.kernel
def kernel(a, m, n):
    i = situ.get_global_id(0)
    a[i, 0] = 1
    m[i] = 2
    a[i / 2] = 3
    half = i
    half = half / 2
    a[half] = 4
    a[n > 0] = 5
    a[1.5] = 6
    n[0] = 7
    tile = situ.private.array((2, 3), situ.float32)
    tile[2, 0] = 8
    tile[-4, 0] = 9
    a.shape[0] = 1
    a[i] = a.shape[i]
    a[i] = a.shape[1]
