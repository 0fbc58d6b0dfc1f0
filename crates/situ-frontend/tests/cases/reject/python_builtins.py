# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    i = situ.get_global_id(0)
    print(a[i])
    for j, x in enumerate(a):
        a[i] = sum(b)
    if isinstance(n, int):
        a[i] = str(n)
