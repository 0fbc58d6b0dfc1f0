# types: float32[:], float32[:], int32[:]
# constant: SIZE = 64
import numpy as np
import situ


@situ.kernel
def groups(x, sums, counts):
    tile = situ.local.array(SIZE, np.float32)
    mine = situ.private.array((2, 2), dtype=x.dtype)
    i = situ.get_local_id(0)
    tile[i] = x[situ.get_global_id(0)]
    mine[1, -1] = tile[i]
    situ.barrier()
    stride = SIZE // 2
    while stride > 0:
        if i < stride:
            tile[i] += tile[i + stride]
        situ.barrier()
        stride //= 2
    if i == 0:
        sums[situ.get_group_id(0)] = tile[0] + mine[1, 1]
        old = situ.atomic.add(counts, 0, 1)
        situ.atomic.max(counts, 1, old)
