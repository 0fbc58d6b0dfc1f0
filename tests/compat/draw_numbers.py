"""Run by a test with ``python -m situ.compat``: checks the distributions of random numbers."""

import sys


def main() -> None:
    """Draw from every distribution, and check means and bounds."""
    import dpnp
    import numpy as np

    random, n = dpnp.random, 20_000
    random.seed(11)
    means = {
        "uniform": (random.uniform(2.0, 4.0, n), 3.0),
        "rand": (random.rand(n, usm_type="shared"), 0.5),
        "random_sample": (random.random_sample((n,)), 0.5),
        "normal": (random.normal(5.0, 2.0, size=n), 5.0),
        "randn": (random.randn(100, 200), 0.0),
        "standard_normal": (random.standard_normal(n, device="cpu"), 0.0),
        "randint": (random.randint(0, 10, size=n), 4.5),
        "random_integers": (random.random_integers(6, size=n), 3.5),
        "rows": (random.normal(dpnp.asarray([0.0, 10.0]), 1.0, size=(n, 2)), 5.0),
        "exponential": (random.exponential(2.0, n), 2.0),
        "poisson": (random.poisson(3.0, size=n), 3.0),
        "beta": (random.beta(2.0, 2.0, n), 0.5),
        "binomial": (random.binomial(10, 0.5, n), 5.0),
    }
    for name, (drawn, mean) in means.items():
        found = float(dpnp.mean(drawn.astype("f8")))
        assert abs(found - mean) < 0.12, (name, found)
    assert means["rand"][0].usm_type == "shared"
    assert means["randn"][0].shape == (100, 200)
    integers = means["randint"][0]
    assert integers.dtype == np.int64
    assert (int(integers.min()), int(integers.max())) == (0, 9)
    assert int(means["random_integers"][0].max()) == 6

    def sequence():
        dpnp.random.seed(3)
        return [dpnp.random.rand(4).asnumpy(), dpnp.random.rand(4).asnumpy(), random.beta(1, 2, 3)]

    first, second = sequence(), sequence()
    assert all(
        np.array_equal(np.asarray(a), np.asarray(b)) for a, b in zip(first, second, strict=True)
    )
    assert not np.array_equal(first[0], first[1])

    state, other = random.RandomState(1, device="cpu"), random.RandomState(1)
    assert np.array_equal(state.rand(3).asnumpy(), other.rand(3).asnumpy())
    assert state.get_sycl_device().is_cpu
    assert state.normal(size=(2, 3), dtype=dpnp.float32).dtype == np.float32
    assert random.uniform().shape == ()

    x = dpnp.arange(100)
    random.shuffle(x)
    assert not dpnp.array_equal(x, dpnp.arange(100))
    assert dpnp.array_equal(dpnp.sort(x), dpnp.arange(100))
    assert random.permutation(5).size == random.choice(5, 5, replace=False).size == 5
    assert len(random.bytes(7)) == 7
    print("drawn", file=sys.stdout)


if __name__ == "__main__":
    main()
