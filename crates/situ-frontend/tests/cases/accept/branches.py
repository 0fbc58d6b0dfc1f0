# types: int32[:], float64[:], int64
import situ


@situ.kernel
def branches(codes, out, n):
    i = situ.get_global_id(0)
    if not 0 <= i < n:
        return
    code = codes[i]
    if code == 0:
        value = 1.0
    elif code == 1 and i > 2:
        value = out[i - 1] if i % 2 else -1
    elif code < 0 or out[i] > 0.5:
        value = code / 2
    else:
        value = abs(code) ** 2
    out[i] = value
