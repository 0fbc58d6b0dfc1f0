# types: float32[:], float64[:], int64
# constant: WEIGHTS = (1, 2, 1)
import situ


@situ.kernel
def kernel(a, b, n):
    i = situ.get_global_id(0)
    total = 0.0
    for k, weight in enumerate(WEIGHTS, -1):
        total += weight * b[i + k]
    for x in (a, b):
        total += x[i]
    for low, high in zip((0, n), reversed((n, 2 * n))):
        if total < low:
            continue
        if total > high:
            break
        total *= 2
    for k in reversed(range(n)):
        total = total * 0.5 + k
    b[i] = total
