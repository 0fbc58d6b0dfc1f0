# types: float64[:], float64[:], int64
import situ


@situ.kernel
def kernel[T](a: T, b=1, *args, n, **options):
    pass
