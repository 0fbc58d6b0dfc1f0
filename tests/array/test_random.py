"""Arrays of random numbers: what the device functions return, everywhere the same."""

import numpy as np
import pytest

import situ
from situ.testing import virtual_devices


@pytest.mark.parametrize(
    ("make", "one", "dtype"),
    [
        (situ.random.uniform, situ.random.uniform32, "float32"),
        (situ.random.uniform, situ.random.uniform64, "float64"),
        (situ.random.normal, situ.random.normal32, "float32"),
        (situ.random.normal, situ.random.normal64, "float64"),
    ],
)
def test_elements_are_what_device_functions_return(make, one, dtype, device):
    x = make((2, 3), seed=7, offset=10, dtype=dtype, device=device)
    assert (x.shape, x.dtype, x.device) == ((2, 3), dtype, device)
    expected = [one(7, 10 + i) for i in range(6)]
    np.testing.assert_allclose(x.to_numpy().ravel(), expected, rtol=1e-5)


def test_a_part_can_be_made_by_itself():
    whole = situ.random.uniform(100, seed=3).to_numpy()
    part = situ.random.uniform(20, seed=3, offset=50).to_numpy()
    np.testing.assert_array_equal(part, whole[50:70])
    assert not np.array_equal(whole, situ.random.uniform(100, seed=4).to_numpy())


def test_parameters_stretch_and_shift():
    plain = situ.random.uniform(1000, seed=3).to_numpy()
    wide = situ.random.uniform(1000, seed=3, low=-1.0, high=3.0).to_numpy()
    np.testing.assert_allclose(wide, 4 * plain - 1, atol=1e-12)
    plain = situ.random.normal(1000, seed=3).to_numpy()
    wide = situ.random.normal(1000, seed=3, mean=5.0, std=2.0).to_numpy()
    np.testing.assert_allclose(wide, 2 * plain + 5, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_distributions(dtype):
    # The seed is fixed, so these bounds either hold or do not.
    count = 100_000
    uniform = situ.random.uniform(count, seed=11, dtype=dtype).to_numpy()
    assert uniform.min() >= 0
    assert uniform.max() < 1
    counts = np.histogram(uniform, bins=20, range=(0, 1))[0]
    assert abs(counts - count / 20).max() < 5 * np.sqrt(count / 20)
    normal = situ.random.normal(count, seed=11, dtype=dtype).to_numpy()
    assert abs(normal.mean()) < 5 / np.sqrt(count)
    assert abs(normal.std() - 1) < 5 / np.sqrt(2 * count)


@pytest.mark.parametrize("name", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_integers_of_every_width(name, device):
    info = np.iinfo(name)
    x = situ.random.integers(500, seed=5, low=3, high=9, dtype=name, device=device)
    assert x.dtype == name
    assert set(x.to_numpy().tolist()) == {3, 4, 5, 6, 7, 8}
    whole = situ.random.integers(
        500, seed=5, low=int(info.min), high=int(info.max) + 1, dtype=name, device=device
    ).to_numpy()
    upper = whole > (int(info.min) + int(info.max)) // 2
    assert 200 < upper.sum() < 300
    # All bits are asked for: the highest of the 64 that the generator gives.
    bits = [int(situ.random.bits64(5, i)) >> (64 - info.bits) for i in range(500)]
    assert [number - int(info.min) for number in whole.tolist()] == bits


def test_integers_below_zero_and_few():
    x = situ.random.integers((10, 10), seed=1, low=-3, high=-1)
    assert set(x.to_numpy().ravel().tolist()) == {-3, -2}
    assert situ.random.integers(5, seed=1, low=4, high=5).to_numpy().tolist() == [4] * 5


def test_they_are_made_where_other_arrays_are():
    queue = situ.Queue("reference")
    for make in (
        situ.random.uniform,
        situ.random.normal,
        lambda *shape, **options: situ.random.integers(*shape, high=3, **options),
    ):
        assert make(3, seed=1, queue=queue).queue == queue
        assert make(3, seed=1, device="reference", usm_type="shared").usm_type == "shared"
        with situ.current("reference"):
            assert make(3, seed=1).device == situ.Device("reference")
        assert make((2, 0), seed=1).shape == (2, 0)
        assert make((), seed=1).shape == ()


def test_default_dtypes_follow_the_device():
    assert situ.random.uniform(1, seed=1).dtype == "float64"
    with virtual_devices("gpu", without=["fp64"]) as (gpu,):
        for make in (situ.random.uniform, situ.random.normal):
            x = make(3, seed=1, device=gpu)
            assert x.dtype == "float32"
            assert np.isfinite(x.to_numpy()).all()


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: situ.random.uniform(3, seed=-1), ValueError, "`seed` is -1.*64 bits"),
        (lambda: situ.random.uniform(3, seed=2**64), ValueError, "`seed` is .*64 bits"),
        (lambda: situ.random.normal(3, seed=1, offset=-1), ValueError, "`offset` is -1"),
        (lambda: situ.random.uniform(3, seed=1.5), TypeError, "integer"),
        (lambda: situ.random.uniform(3, seed=1, dtype="float16"), situ.DTypeError, "float16"),
        (lambda: situ.random.normal(3, seed=1, dtype="int8"), situ.DTypeError, "not as int8"),
        (lambda: situ.random.uniform(-3, seed=1), ValueError, "not negative"),
        (lambda: situ.random.integers(3, seed=1, high=0), ValueError, "no integers of int64"),
        (
            lambda: situ.random.integers(3, seed=1, high=300, dtype="uint8"),
            ValueError,
            "uint8 has 0 to 255",
        ),
        (
            lambda: situ.random.integers(3, seed=1, high=3, dtype="float32"),
            situ.DTypeError,
            "arrays of integers, not of float32",
        ),
        (lambda: situ.random.uniform(3), TypeError, "seed"),
    ],
)
def test_bad_arguments_are_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()
