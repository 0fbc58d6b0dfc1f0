# types: float64[:], int16[:]
import situ


@situ.kernel
def kernel(a, s):
    i = situ.get_global_id(0)
    situ.atomic.add(a[i], 1)
    situ.atomic.add(a[i], 0, 1)
    situ.atomic.or_(a, i, 1)
    situ.atomic.add(s, i, 1)
    p = situ.private.array(4, situ.int32)
    situ.atomic.add(p, 0, 1)
    situ.atomic.add(a, 0.5, 1)
    x = situ.atomic.store(a, 0, 1)
    situ.atomic.increment(a, 0)
