"""Philox: known answers, and distributions."""

import numpy as np
import pytest

import situ

# From the authors' test vectors: counter, key, result.
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def test_known_answers(device):
    @situ.kernel
    def kernel(counters, keys, out):
        i = situ.get_global_id(0)
        counter = (counters[i, 0], counters[i, 1], counters[i, 2], counters[i, 3])
        words = situ.random.philox4x32(counter, (keys[i, 0], keys[i, 1]))
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = words

    counters, keys, expected = (np.array(each, "uint32") for each in zip(*KNOWN, strict=True))
    out = situ.asarray(np.zeros((3, 4), "uint32"), device=device)
    kernel[3](situ.asarray(counters, device=device), situ.asarray(keys, device=device), out)
    np.testing.assert_array_equal(out.to_numpy(), expected)


@pytest.mark.parametrize("case", KNOWN)
def test_known_answers_in_python(case):
    counter, key, expected = case
    words = situ.random.philox4x32(tuple(map(np.uint32, counter)), tuple(map(np.uint32, key)))
    assert tuple(map(int, words)) == expected


@situ.kernel
def draw(seed, singles, doubles, bits):
    i = situ.get_global_id(0)
    singles[i, 0] = situ.random.uniform32(seed, i)
    singles[i, 1] = situ.random.normal32(seed, i)
    doubles[i, 0] = situ.random.uniform64(seed, i)
    doubles[i, 1] = situ.random.normal64(seed, i)
    bits[i] = situ.random.bits64(seed, i) ^ situ.random.bits32(seed, i)


def drawn(seed, count, device):
    arrays = [
        situ.asarray(np.zeros((count, 2), "float32"), device=device),
        situ.asarray(np.zeros((count, 2)), device=device),
        situ.asarray(np.zeros(count, "uint64"), device=device),
    ]
    draw[count](seed, *arrays)
    return [array.to_numpy() for array in arrays]


def test_numbers_are_those_of_plain_python(device):
    singles, doubles, bits = drawn(5, 50, device)
    for i in range(50):
        assert singles[i, 0] == situ.random.uniform32(5, i)
        assert doubles[i, 0] == situ.random.uniform64(5, i)
        np.testing.assert_allclose(singles[i, 1], situ.random.normal32(5, i), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(doubles[i, 1], situ.random.normal64(5, i), rtol=1e-12)
        both = int(situ.random.bits64(5, i)) ^ int(situ.random.bits32(5, i))
        assert int(bits[i]) == both


def test_distributions_are_the_ones_that_are_named():
    singles, doubles, _ = drawn(2**40 + 3, 100_000, "native")
    for values in (singles, doubles):
        uniform, normal = values[:, 0], values[:, 1]
        assert 0 <= uniform.min() < 1e-3
        assert 1 - 1e-3 < uniform.max() < 1
        counts, _ = np.histogram(uniform, bins=20, range=(0, 1))
        # 20 bins of 5000: six standard deviations are 420.
        assert abs(counts - 5000).max() < 420
        assert abs(normal.mean()) < 0.02
        assert abs(normal.std() - 1) < 0.02
        assert abs((normal**4).mean() - 3) < 0.2
        assert abs(np.corrcoef(uniform[:-1], uniform[1:])[0, 1]) < 0.02


def test_seeds_and_counters_give_other_numbers():
    first, second = drawn(1, 100, "native")[0][:, 0], drawn(2, 100, "native")[0][:, 0]
    assert len(np.intersect1d(first, second)) < 5
    assert len(np.unique(first)) == 100
