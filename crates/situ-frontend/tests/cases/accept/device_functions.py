# types: float32[:, :], float64
import situ


@situ.device_func
def square(x):
    return x * x


@situ.device_func
def row_sum(a, i):
    total = 0.0
    for j in range(a.shape[1]):
        total += square(a[i, j])
    return total


@situ.device_func
def put(a, i, value):
    if value > 1:
        a[i, 0] = 1
        return
    a[i, 0] = value


@situ.kernel
def device_functions(a, scale):
    i = situ.get_global_id(0)
    put(a, i, row_sum(a, i) * square(scale))
