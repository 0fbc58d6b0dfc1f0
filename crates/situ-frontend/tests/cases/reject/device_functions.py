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
    if x < 0:
        return x
    return x, x


@situ.device_func
def with_array(x, a):
    return x, a


@situ.device_func
def split(x):
    return x, -x


@situ.device_func
def calls(f, x):
    return f(x)


@situ.device_func
def forever(n):
    return forever(n - 1)


@situ.device_func
def nothing(n):
    pass


@situ.device_func
def waits(n):
    if n > 3:
        return
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
    a[i] = with_array(b[i], a)[0]
    a[i] = split(b[i])
    a[i] = calls(split, b[i])[2]
    a[i] = clamp(split(b[i]), 0, 1)
    a[i] = calls(lambda x: x + n, b[i])
    a[i] = forever(n)
    a[i] = nothing(n)
    waits(n)
    broken(a, i)
    clamp(a, 1, 2)
    a[i] = clamp(b[i], 0, 1)

    def later(x, k=n):
        return x * k

    a[i] = later(b[i])
