# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel(a, b, n):
    import math
    global counter
    try:
        a[0] = 1
        a[1] = [2]
    except ValueError:
        pass
    with situ.current("cpu"):
        a[2] = 3
    match n:
        case 1:
            pass
    class Point:
        pass
    @staticmethod
    def inner(x):
        return x
    del b
    raise ValueError("no")
