# types: float64[:]
# constant: DEBUG = False
# constant: WIDTH = 3
import numpy as np
import situ


@situ.kernel
def constant_branches(a):
    i = situ.get_global_id(2)
    if DEBUG:
        print(undefined)
    elif WIDTH > 2:
        a[i] = WIDTH * 2 + 1
    a[i] *= 2 if DEBUG else 3
    for k in range(3):
        if a.dtype == np.float64:
            break
        a[i] = undefined
    if a.ndim == 1:
        return
    a[i, i] = undefined
