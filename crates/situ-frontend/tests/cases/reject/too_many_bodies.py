# types: float64[:]
import situ


@situ.device_func
def once(x):
    situ.barrier()
    return x + 1


@situ.device_func
def fourfold(x):
    return once(once(x)) + once(once(x))


@situ.device_func
def sixteenfold(x):
    return fourfold(fourfold(x)) + fourfold(fourfold(x))


@situ.device_func
def many(x):
    return sixteenfold(sixteenfold(x)) + sixteenfold(sixteenfold(x))


@situ.device_func
def more(x):
    return many(many(x)) + many(many(x))


@situ.kernel
def kernel(x):
    x[0] = more(more(more(x[0])))
