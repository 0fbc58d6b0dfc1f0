# types: float64[:], float64[:], int64, complex128[:], uint64[:]
import situ


@situ.kernel
def kernel(a, b, n, z, u):
    i = situ.get_global_id(0)
    a[i] = a[i] << 1
    a[i] = ~b[i]
    a[i] = z[i] // 2
    if z[i] < 1:
        a[i] = 1
    a[i] = n | u[i]
    a[i] = z[i]
    a[i] = situ.floor(z[i])
    a[i] = max(z[i], 2)
    a[i] = a.shape < b.shape
