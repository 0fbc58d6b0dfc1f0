"""Clusters of points, by k-means: local memory holds the centres, atomics add up the points."""

import dpnp
import numba_dpex as ndpx
import numpy as np
from numba_dpex import kernel_api as kapi

POINTS, DIMENSIONS, CLUSTERS, GROUP = 1024, 2, 8, 64


@ndpx.kernel
def assign(nd_item: kapi.NdItem, points, centres, labels, sums, counts, tile):
    """Find the nearest centre of a point, and add the point to what belongs to it."""
    i = nd_item.get_global_id(0)
    local = nd_item.get_local_id(0)
    group = nd_item.get_group()
    for k in range(local, CLUSTERS, group.get_local_range(0)):
        for d in range(DIMENSIONS):
            tile[k, d] = centres[k, d]
    kapi.group_barrier(group)

    nearest = 0
    least = np.inf
    for k in range(CLUSTERS):
        distance = 0.0
        for d in range(DIMENSIONS):
            distance += (points[i, d] - tile[k, d]) ** 2
        if distance < least:
            least = distance
            nearest = k
    labels[i] = nearest

    count = kapi.AtomicRef(
        counts,
        nearest,
        memory_order=kapi.MemoryOrder.RELAXED,
        memory_scope=kapi.MemoryScope.DEVICE,
        address_space=kapi.AddressSpace.GLOBAL,
    )
    count.fetch_add(1)
    for d in range(DIMENSIONS):
        kapi.AtomicRef(sums, (nearest, d)).fetch_add(points[i, d])


@ndpx.kernel
def update(item: kapi.Item, centres, sums, counts):
    """Move each centre to the middle of its points."""
    k = item.get_id(0)
    if counts[k] > 0:
        for d in range(DIMENSIONS):
            centres[k, d] = sums[k, d] / counts[k]


def expected_centres(points, centres, rounds):
    """Return the same by NumPy."""
    for _ in range(rounds):
        distances = ((points[:, None, :] - centres[None]) ** 2).sum(axis=2)
        labels = distances.argmin(axis=1)
        centres = np.stack(
            [
                points[labels == k].mean(axis=0) if (labels == k).any() else centres[k]
                for k in range(CLUSTERS)
            ]
        )
    return centres, labels


def main() -> None:
    """Run some rounds, and compare with NumPy."""
    rounds = 10
    rng = np.random.default_rng(3)
    host = rng.normal(size=(POINTS, DIMENSIONS)) + rng.integers(0, 4, size=(POINTS, 1)) * 4.0
    points = dpnp.asarray(host)
    centres = dpnp.asarray(host[:CLUSTERS])
    labels = dpnp.empty(POINTS, dtype=dpnp.int32)
    tile = kapi.LocalAccessor((CLUSTERS, DIMENSIONS), centres.dtype)
    for _ in range(rounds):
        sums = dpnp.zeros((CLUSTERS, DIMENSIONS))
        counts = dpnp.zeros(CLUSTERS, dtype=dpnp.int32)
        ndpx.call_kernel(
            assign, ndpx.NdRange(POINTS, GROUP), points, centres, labels, sums, counts, tile
        )
        ndpx.call_kernel(update, ndpx.Range(CLUSTERS), centres, sums, counts)

    expected, nearest = expected_centres(host, host[:CLUSTERS], rounds)
    np.testing.assert_allclose(dpnp.asnumpy(centres), expected, rtol=1e-9)
    assert np.array_equal(labels.asnumpy(), nearest)
    print(f"{POINTS} points in {CLUSTERS} clusters of {counts} points")


if __name__ == "__main__":
    main()
