# types: float32[:, :, :], float64[:] strided, int64
import situ


@situ.device_func
def total(row):
    sum = row.dtype.type(0)
    for k in range(len(row)):
        sum += row[k]
    return sum


@situ.kernel
def kernel(a, b, n):
    WIDTH = 8
    tile = situ.local.array((4, WIDTH), np.float32)
    i = situ.get_global_id(0)
    row = tile[i % 4]
    row[0] = total(row)
    row[1] = total(tile[1, 2:-1]) + total(tile[n, ::2])
    row[2] = total(a[i, 0]) + total(a[i][1]) + total(a[i, :, n])
    b[i] = total(b[1:n]) + a[i, 1:].shape[0] + a.strides[1] + b.strides[0]
    a.shape[1:]
