# types: int64[:], int64
import situ


@situ.kernel
def short_circuit(a, n):
    i = situ.get_global_id(0)
    inside = i > 0 and i < n
    guarded = i < n and a[i] > 0
    value = a[i] or n
    a[i] = inside + guarded + (value and 3)
    if 0 < a[i] < n <= 10:
        a[i] = 0
