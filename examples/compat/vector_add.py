"""Add two vectors with a kernel, and tell where it ran."""

import dpnp
import numba_dpex as ndpx
import numpy as np
from numba_dpex import kernel_api as kapi


@ndpx.kernel
def vector_add(item: kapi.Item, a, b, c):
    i = item.get_id(0)
    c[i] = a[i] + b[i]


def main() -> None:
    """Run the kernel, and compare with NumPy."""
    n = 1024
    a = dpnp.arange(n, dtype=dpnp.float32)
    b = dpnp.full(n, 2.5, dtype=dpnp.float32, sycl_queue=a.sycl_queue)
    c = dpnp.empty_like(a)
    ndpx.call_kernel(vector_add, ndpx.Range(n), a, b, c)

    expected = np.arange(n, dtype=np.float32) + np.float32(2.5)
    assert np.array_equal(dpnp.asnumpy(c), expected)
    print(f"added {n} numbers on {c.sycl_device.name} ({c.sycl_device.filter_string})")


if __name__ == "__main__":
    main()
