# types: int64[:], int64
import situ


@situ.kernel
def loops(out, step):
    i = situ.get_global_id(0)
    total = 0
    for k in range(10, 0, -2):
        if k == 4:
            continue
        total += k
    for k in range(0, i, step):
        total += k
        k = 0
    n = i
    while n > 1 and out[n] != 0:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        if n > 1000:
            break
    while True:
        n += 1
        if n & 7 == 0:
            break
    out[i] = total + n
