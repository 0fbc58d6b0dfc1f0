# types: uint8[:]
import situ


@situ.kernel
def kernel(a):
    i = situ.get_global_id(0)
    a[i] = a[i] + 300
    a[i] = -1
    a[i] = 1 // 0
    a[i] = int(situ.inf)
    a[i] = 1 << 200
