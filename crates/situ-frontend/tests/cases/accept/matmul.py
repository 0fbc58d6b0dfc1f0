# types: float64[:, :], float64[:, :] strided, float64[:, :]
import situ


@situ.kernel
def matmul(a, b, c):
    i = situ.get_global_id(0)
    j = situ.get_global_id(1)
    m, n = c.shape
    if i >= m or j >= n:
        return
    total = 0.0
    for k in range(a.shape[1]):
        total += a[i, k] * b[k, j]
    c[i, j] = total
