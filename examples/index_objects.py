"""Kernels that are told their place by an index object, with memory of a group sized at launch.

Sums the rows of a matrix: each work-group adds up one row in local memory.
"""

import numpy as np

import situ
from situ.kernel_api import LocalAccessor, NdItem, group_barrier


@situ.kernel
def row_sums(item: NdItem, matrix, sums, partial):
    """Add up one row in each work-group."""
    group = item.get_group()
    row, own = group.get_group_id(0), item.get_local_id(0)
    width = item.get_local_range(0)

    total = matrix.dtype.type(0)
    for column in range(own, matrix.shape[1], width):
        total += matrix[row, column]
    partial[own] = total
    group_barrier(group)

    half = width // 2
    while half > 0:
        if own < half:
            partial[own] += partial[own + half]
        group_barrier(group)
        half //= 2
    if group.leader:
        sums[row] = partial[0]


values = np.random.default_rng(1).random((6, 1000), dtype=np.float32)
matrix = situ.asarray(values)
sums = situ.zeros(6, dtype=situ.float32)

for group_size in (16, 64):
    partial = LocalAccessor(group_size, matrix.dtype)
    situ.call_kernel(row_sums, situ.NdRange(6 * group_size, group_size), matrix, sums, partial)
    np.testing.assert_allclose(sums.to_numpy(), values.sum(axis=1), rtol=1e-5)

print(f"row sums: {sums}")
