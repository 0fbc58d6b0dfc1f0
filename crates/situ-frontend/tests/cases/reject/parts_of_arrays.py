# types: float32[:, :], int64
import situ


@situ.kernel
def kernel(a, n):
    tile = situ.local.array((4, 8), np.float32)
    tile[0:2] = 0
    tile[1] = 0
    part = tile[::n]
    part = tile[::0]
    row = tile[0, n / 2 :]
    x = tile[0, 0, 0]
    a[0, 0] = tile[2]
    a[0, 0] = a[1:3] + 1
    y = tile[3:4][1, 0]
    z = (1, 2, 3)[n:]
