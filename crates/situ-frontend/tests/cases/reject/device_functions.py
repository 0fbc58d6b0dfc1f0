# types: float64[:], float64[:], int64
import situ


@situ.device_func
def clamp(x, low, high):
    return min(max(x, low), high)


@situ.device_func
def sometimes(x):
    if x > 0:
        return x


@situ.device_func
def pair(x):
    return x, x


@situ.device_func
def forever(n):
    return forever(n - 1)


@situ.device_func
def nothing(n):
    pass


@situ.device_func
def waits():
    tile = situ.local.array(4, situ.float32)
    situ.barrier()


@situ.device_func
def broken(a, i):
    a[i] = undefined + [1]


@situ.kernel
def kernel(a, b, n):
    i = situ.get_global_id(0)
    a[i] = clamp(b[i])
    a[i] = sometimes(b[i])
    a[i] = pair(b[i])
    a[i] = forever(n)
    a[i] = nothing(n)
    waits()
    broken(a, i)
    clamp(a, 1, 2)
    a[i] = clamp(b[i], 0, 1)
