# types: float32[:], float64[:], int64
# default: polar = 1
import situ


@situ.device_func
def polar(x, y, scale=1):
    radius = math.sqrt(x * x + y * y)
    if radius == 0:
        return 0, 0
    return radius * scale, math.atan2(y, x)


@situ.device_func
def apply(f, pair, dtype):
    return dtype(f(pair[0]) + pair[1])


@situ.kernel
def kernel(a, b, n):
    factor = 2.0

    def scaled(x):
        return x * factor + n

    @situ.device_func
    def both(x):
        return scaled(x), -scaled(x)

    i = situ.get_global_id(0)
    radius, angle = polar(a[i], 1.5)
    pair = polar(a[i], y=1, scale=n)
    factor = 3.0
    a[i] = polar(a[i], 0)[1] + scaled(radius) + both(angle)[1]
    b[i] = apply(lambda x: x + 1, pair, b.dtype.type)
    x = a[i].view(np.int32) & 0x7FFFFFFF
    b[i] += x.view(np.float32)
    z = cmath.sqrt(a[i])
    b[i] += z.imag + math.hypot(1, 2, b[i])
