"""Two devices at once without any state: a module bound to each, and data that goes between them.

Run it with ``python examples/bound_modules.py``. The GPUs are virtual, so it works on any machine.
"""

import numpy as np

import situ
from situ.testing import virtual_devices


def whiten(xp, points):
    """Return points with mean 0 and covariance 1, by whatever array namespace `xp` is."""
    centered = points - xp.mean(points, axis=0)
    covariance = centered.T @ centered / points.shape[0]
    values, vectors = xp.linalg.eigh(covariance)
    return centered @ vectors / xp.sqrt(values)


def main():
    """Prepare data on one device, and use it on the other."""
    points = np.random.default_rng(1).normal(size=(1000, 3)) @ np.triu(np.ones((3, 3)))

    with virtual_devices("gpu:2"):
        first, second = situ.offload_to("gpu:0"), situ.offload_to("gpu:1")
        for lib in (first, second):
            print(lib)

        white = whiten(first, first.asarray(points))  # NumPy's array goes to the first device
        print("whitened on", white.device.filter_string)

        # An array knows the functions that belong to it, so library code needs no more than it.
        xp = white.__array_namespace__()
        assert xp is first
        print("covariance is 1:", xp.allclose(white.T @ white / 1000, xp.eye(3)))

        # The second device takes what is on the first, and what is on the host.
        score = second.sum(second.multiply(white, points[:, ::-1]), axis=1)
        print("scored on", score.device.filter_string)

        @second.kernel
        def keep_best(score, kept):
            i = second.get_global_id(0)
            kept[i] = score[i] > 0

        kept = np.zeros(1000, dtype=bool)
        keep_best(score, kept)  # written on the device, and back on the host
        print("kept", int(kept.sum()), "of", kept.size)


if __name__ == "__main__":
    main()
