# types: float64[:], float64[:], complex128
import situ


@situ.kernel
def kernel(a, b, z):
    print(a)
    x = z + 1
    assert a[0] > 0, f"{z} {z} {z} {z} {z} {x} {x} {x} {x} {x}"
    a[0] = print(1)
