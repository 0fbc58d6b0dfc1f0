"""Distances between all points of two sets: ``pairwise_distance.py [points] [dimensions]``."""

import sys

import dpctl
import dpctl.tensor as dpt
import numba_dpex as ndpx
import numpy as np
from numba_dpex import kernel_api as kapi


@ndpx.device_func
def squared(x):
    return x * x


@ndpx.kernel(debug=False)
def pairwise_distance(item: kapi.Item, x1, x2, d):
    i = item.get_id(0)
    j = item.get_id(1)
    total = x1.dtype.type(0)
    for k in range(x1.shape[1]):
        total += squared(x1[i, k] - x2[j, k])
    d[i, j] = total**0.5


def main() -> None:
    """Compute the distances on a queue of its own, and compare with NumPy."""
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    dimensions = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    rng = np.random.default_rng(7)
    h1, h2 = rng.random((points, dimensions)), rng.random((points + 5, dimensions))

    q = dpctl.SyclQueue("cpu", property="enable_profiling")
    x1 = dpt.asarray(h1, sycl_queue=q)
    x2 = dpt.asarray(h2, sycl_queue=q)
    d = dpt.empty((points, points + 5), dtype=x1.dtype, sycl_queue=q)
    assert q.has_enable_profiling
    ndpx.call_kernel(pairwise_distance, ndpx.Range(*d.shape), x1, x2, d)

    expected = np.linalg.norm(h1[:, None, :] - h2[None, :, :], axis=2)
    np.testing.assert_allclose(dpt.asnumpy(d), expected, rtol=1e-12)
    print(f"{d.size} distances in {dimensions} dimensions, {dpt.max(d):.3f} at most")


if __name__ == "__main__":
    main()
