# types: float64[:], float64[:], int64
import situ


@situ.kernel
async def kernel(a, b, n):
    async for i in b:
        a[i] = 1
    async with b:
        pass
