# types: float32[:], float32[:], float32
import situ


@situ.kernel
def saxpy(y, x, a):
    """Add a times x to y."""
    i = situ.get_global_id(0)
    y[i] = a * x[i] + y[i]
