# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    x = situ.local.array(n, situ.float32)
    y = situ.local.array((4, 0), situ.float32)
    z = situ.private.array(4, n)
    w = situ.private.array(4)
    v = situ.private.array(4, dtyp=situ.float32)
