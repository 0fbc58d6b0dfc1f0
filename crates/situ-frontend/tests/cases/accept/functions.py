# types: float64[:], float32[:], int32[:]
# constant: sin = math.sin
import math
from math import sin

import numpy as np
import situ


@situ.kernel
def functions(x, y, n):
    i = situ.get_global_id(0)
    x[i] = sin(x[i]) + math.hypot(x[i], 2) + math.log(x[i], 10)
    y[i] = np.sqrt(y[i]) + np.minimum(y[i], 1) + math.pi
    y[i] = min(y[i], 0.5, n[i]) + max(x[i], 0)
    n[i] = math.floor(x[i]) + round(x[i]) + int(x[i]) + len(n)
    q, r = divmod(n[i], 7)
    n[i] = q * r + pow(n[i], 3)
    x[i] = np.where(x[i] > 0, x[i], -x[i]) + np.sign(x[i]) + np.clip(x[i], 0, 1)
    x[i] = float(math.isnan(x[i])) + np.degrees(x[i]) + situ.exp(x[i])
