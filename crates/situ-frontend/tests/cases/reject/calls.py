# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    i = situ.get_global_id(0)
    a[i] = a(i)
    a[i] = n(3)
    a[i] = math.sin(1, 2)
    a[i] = abs()
    a[i] = min(b)
    a[i] = round(b[i], n)
    a[i] = round(b[i], 2, 3)
    a[i] = math.sin(x=1)
    a[i] = len(n)
    a[i] = math.atan2(1j, 2)
    a[i] = float(1j)
