# types: float64[:], float64[:], int64
import situ


kernel = situ.kernel(lambda a, b, n: None)
