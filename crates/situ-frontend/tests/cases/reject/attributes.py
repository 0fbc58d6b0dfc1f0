# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    i = situ.get_global_id(0)
    a[i] = a.shap[0]
    a[i] = a.mean()
    a[i] = a[i].upper
    a[i] = a.dtype.kind
    a[i] = math.sine(b[i])
    a[i] = np.fft.fft(b[i])
    a[i] = situ.get_globl_id(0)
    a[i].x = 1
    a[i] = math.factorial(3)
