"""einops: its module ``einops.array_api`` takes arrays of any library of the standard."""

import numpy as np
import pytest
from agreement import assert_agrees

import situ

einops = pytest.importorskip("einops")
array_api = pytest.importorskip("einops.array_api")

HOST = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize(
    "pattern",
    ["a b c -> c b a", "a b c -> (b c) a", "a b (c d) -> a (b d) c", "a b c -> a () (b c)"],
)
def test_dimensions_are_rearranged(place: situ.Device, pattern: str) -> None:
    sizes = {"d": 2} if "d" in pattern else {}
    x = situ.asarray(HOST, device=place)
    expected = einops.rearrange(HOST, pattern, **sizes)
    assert_agrees(array_api.rearrange(x, pattern, **sizes), expected, place)


def test_lists_of_arrays_are_stacked(place: situ.Device) -> None:
    x, pattern = situ.asarray(HOST, device=place), "k a b c -> a (k b) c"
    expected = einops.rearrange([HOST, HOST], pattern)
    assert_agrees(array_api.rearrange([x, x], pattern), expected, place)


@pytest.mark.parametrize("how", ["sum", "mean", "min", "max", "prod", "any", "all"])
def test_dimensions_are_reduced(place: situ.Device, how: str) -> None:
    host = HOST > 3 if how in {"any", "all"} else HOST
    result = array_api.reduce(situ.asarray(host, device=place), "a (b d) c -> b c", how, d=3)
    assert_agrees(result, einops.reduce(host, "a (b d) c -> b c", how, d=3), place)


def test_elements_are_repeated(place: situ.Device) -> None:
    x, pattern = situ.asarray(HOST, device=place), "a b c -> a (r b) c s"
    expected = einops.repeat(HOST, pattern, r=2, s=3)
    assert_agrees(array_api.repeat(x, pattern, r=2, s=3), expected, place)


def test_arrays_are_packed_and_unpacked(place: situ.Device) -> None:
    x = situ.asarray(HOST, device=place)
    packed, shapes = array_api.pack([x, x[:, 0, :]], "a * c")
    assert_agrees(packed, einops.pack([HOST, HOST[:, 0, :]], "a * c")[0], place)
    whole, part = array_api.unpack(packed, shapes, "a * c")
    assert_agrees(whole, HOST, place)
    assert_agrees(part, HOST[:, 0, :], place)


def test_the_functions_for_libraries_that_it_knows_refuse() -> None:
    with pytest.raises(RuntimeError, match="Tensor type unknown to einops"):
        einops.rearrange(situ.ones((2, 3)), "a b -> b a")
