"""What arrays look like."""

import numpy as np

import situ


def test_repr_shows_elements_dtype_and_device():
    assert repr(situ.asarray([1.0, 2.5])) == "situ.ndarray([1. , 2.5], device='native:cpu:0')"
    short = situ.asarray([1, 2], dtype="int8")
    assert repr(short) == "situ.ndarray([1, 2], dtype=int8, device='native:cpu:0')"
    assert "shape=(0, 3)" in repr(situ.zeros((0, 3)))
    assert str(situ.asarray([[1, 2], [3, 4]])) == str(np.asarray([[1, 2], [3, 4]]))


def test_large_arrays_are_summarised_like_numpy():
    host = np.arange(3_000_000).reshape(1000, 3000)
    shown = str(situ.asarray(host))
    first = [part.strip("[] ") for part in shown.split("\n")[0].split("...")]
    assert first == ["0       1       2", "2997    2998    2999"]
    assert shown.count("...") == 7
    assert len(shown) < 1000
