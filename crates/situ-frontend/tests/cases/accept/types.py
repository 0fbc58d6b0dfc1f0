# types: float32[:], int8[:], uint64[:], complex64[:], bool[:]
# constant: SCALE = 2.5
# constant: HALF = float32(0.5)
# constant: OFFSET = (1, 2.0)
import numpy as np
import situ


@situ.kernel
def types(f, b, u, z, flags):
    i = situ.get_global_id(0)
    f[i] = f[i] * 2 + SCALE
    f[i] += HALF * f[i]
    b[i] = b[i] + 1
    u[i] = u[i] << 3
    z[i] = z[i] * 1j + f[i]
    z[i] = z[i].conjugate() * z[i].real
    flags[i] = u[i] > b[i]
    x = 0
    x = x + 0.5
    y = np.float32(x) + f.dtype.type(2)
    f[i] = y + OFFSET[0] + OFFSET[1]
    f[i] = i / 3
    f[i] = flags[i] + flags[i]
