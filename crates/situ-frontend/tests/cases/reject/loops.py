# types: float64[:], float64[:], int64
# constant: LONG = (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
import situ


@situ.kernel
def kernel(a, b, n):
    for x in a:
        a[0] = x
    for i in range(0, n, 0):
        a[i] = 1
    for i in range(n / 2):
        a[i] = 1
    for i in range():
        a[i] = 1
    for i, j in range(3):
        a[i] = 1
    for i in 3.5:
        a[i] = 1
    r = range(3)
    for i, x in enumerate(a):
        a[i] = x
    for i, x in zip(range(n), (1, 2)):
        a[i] = x
    for i, x in reversed(enumerate((1, 2))):
        a[i] = x
    for i, x in enumerate((1, 2), b[0]):
        a[i] = x
    for i, x, y in zip((1, 2), (3, 4)):
        a[i] = x + y
    for x in zip((1, 2), (3, 4))[0]:
        a[0] = x
    for each in (a, b):
        each[0] = 1
    each[1] = 2
    for i in LONG:
        for j in LONG:
            a[i] = j
