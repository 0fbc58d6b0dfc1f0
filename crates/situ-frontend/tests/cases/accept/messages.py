# types: float32[:], int64
import situ


@situ.kernel
def kernel(x, limit):
    i = situ.get_global_id(0)
    assert x[i] < limit, f"x[{i}] is {x[i]:.3f}"
    print("item", i, x[i])
