# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    values = [1, 2]
    table = {1: 2}
    seen = {1, 2}
    squares = [x * x for x in range(3)]
    total = sum(x for x in range(3))
    f = lambda x: x
