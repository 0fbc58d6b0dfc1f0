"""Bools that are true by another byte than 1, as masks of other libraries may be."""

import numpy as np
import pytest

import situ


def odd(truth: np.ndarray) -> np.ndarray:
    """Return the same bools with bytes from 1 to 255 for those that are true."""
    rng = np.random.default_rng(1)
    return np.where(truth, rng.integers(1, 256, truth.shape), 0).astype(np.uint8).view(bool)


CALLS = {
    "sum": lambda m, x: situ.sum(m),
    "sum of rows": lambda m, x: situ.sum(m, axis=-1),
    "sum of columns": lambda m, x: situ.sum(m, axis=0),
    "uint64": lambda m, x: situ.sum(m, dtype="uint64"),
    "float32": lambda m, x: situ.sum(m, dtype="float32"),
    "mean": lambda m, x: situ.mean(m, axis=0),
    "var": lambda m, x: situ.var(m),
    "count": lambda m, x: situ.count_nonzero(m),
    "count of rows": lambda m, x: situ.count_nonzero(m, axis=0),
    "nonzero": lambda m, x: situ.nonzero(m)[0],
    "cumulative": lambda m, x: situ.cumulative_sum(m, axis=0),
    "chosen": lambda m, x: x[m],
    "rows": lambda m, x: x[m.reshape(-1)[: x.shape[0]]],
    "where": lambda m, x: situ.where(m, x, -x),
    "and": lambda m, x: (m & m) + 0,
    "not": lambda m, x: ~m + 0,
    "equal": lambda m, x: m == (x > 0.5),
    "sorted": lambda m, x: situ.sort(m, axis=-1) + 0,
    "order": lambda m, x: situ.argsort(m, axis=-1, stable=True),
    "unique": lambda m, x: situ.unique(m) + 0,
    "greatest": lambda m, x: situ.max(m, axis=0) + 0,
    "first": lambda m, x: situ.argmax(m, axis=0),
    "number": lambda m, x: m.astype("int8"),
    "product": lambda m, x: situ.sum(m * x),
    "matrices": lambda m, x: m @ m.T,
    "repeated": lambda m, x: situ.repeat(x.reshape(-1), m.reshape(-1)),
    "searched": lambda m, x: situ.searchsorted(situ.sort(m.reshape(-1)), m.reshape(-1)),
    "any": lambda m, x: situ.any(m, axis=0) + 0,
    "all": lambda m, x: situ.all(m, axis=0) + 0,
    "masked sum": lambda m, x: situ.sum(x, where=m),
    "weights": lambda m, x: situ.bincount(m.reshape(-1)),
    "packed": lambda m, x: situ.packbits(m),
}


def check(call: str, shape: tuple[int, int], device: str | situ.Device) -> None:
    host = np.random.default_rng(0).random(shape)
    x = situ.asarray(host.astype("float32"), device=device)
    results = [
        CALLS[call](situ.asarray(mask, device=device), x) for mask in (odd(host > 0.5), host > 0.5)
    ]
    found, expected = (result.to_numpy() for result in results)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", [(5, 4), (700, 90)])
@pytest.mark.parametrize("call", CALLS)
def test_every_byte_but_zero_is_true(call, shape):
    check(call, shape, "native")


def test_every_byte_but_zero_is_true_on_each_device(device):
    for call in ("sum", "mean", "chosen", "order", "greatest", "and"):
        check(call, (5, 4), device)


def test_a_mask_with_odd_bytes_chooses_as_many_as_are_true():
    mask = odd(np.arange(40_000) % 3 == 0)
    x = situ.arange(40_000)
    assert x[situ.asarray(mask)].shape == (int(np.count_nonzero(mask)),)
    x[situ.asarray(mask)] = -1
    assert int(situ.sum(x == -1)) == np.count_nonzero(mask)


def test_results_are_written_as_zero_or_one():
    mask = situ.asarray(odd(np.arange(1000) % 2 == 0))
    for result in (mask & mask, ~mask, mask == mask, situ.logical_or(mask, mask)):
        assert result.to_numpy().view(np.uint8).max() == 1


def test_kernels_read_odd_bytes_as_true(device):
    @situ.kernel
    def count(item, mask, out):
        i = item.get_id(0)
        out[i] = mask[i] + (10 if mask[i] else 20)

    mask = odd(np.arange(64) % 3 == 0)
    out = situ.zeros(64, dtype="int64", device=device)
    count[situ.Range(64)](situ.asarray(mask, device=device), out)
    np.testing.assert_array_equal(out.to_numpy(), np.where(mask, 11, 20))


def test_the_host_reads_odd_bytes_as_true():
    x = situ.asarray(np.asarray([0, 2, 255], np.uint8).view(bool))
    assert [bool(each) for each in x] == x.tolist() == [False, True, True]
    assert (int(x[1]), x[2].item()) == (1, True)


def test_njit_functions_read_odd_bytes_as_true():
    @situ.njit
    def count(mask):
        total = 0
        for i in range(mask.shape[0]):
            if mask[i]:
                total += 1
            total += 100 * mask[i]
        return total

    assert count(situ.asarray(odd(np.arange(9) % 3 == 0))) == 303


def test_memory_of_others_is_used_in_place():
    mask = odd(np.arange(100) % 2 == 0)
    x = situ.from_dlpack(mask)
    assert int(situ.sum(x)) == 50
    assert int(situ.count_nonzero(x)) == 50
    np.testing.assert_array_equal(x.to_numpy().view(np.uint8), mask.view(np.uint8))
