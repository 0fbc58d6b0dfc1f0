# types: float64[:], float64[:], int64
# unsupported: table = a dict
# unsupported: helper = a Python function
# unsupported: weights = a NumPy array
import situ


@situ.kernel
def kernel(a, b, n):
    i = situ.get_global_id(0)
    a[i] = table[i] + helper(a[i]) + weights[i]
