"""Refusals of arguments that once led to endless loops, or to errors about Python's own types."""

import numpy as np
import pytest

import situ


@pytest.mark.parametrize("copy", [True, False, None])
def test_only_arrays_are_reshaped(copy):
    for call in (lambda: situ.reshape("x", (1,), copy=copy), lambda: situ.reshape(None, 1)):
        with pytest.raises(TypeError, match="expected a situ array, not"):
            call()


def test_a_reshaped_copy_is_one():
    x = situ.arange(6)
    for source in (x, x[::2], situ.zeros((2, 3)).T):
        copied = situ.reshape(source, (-1,), copy=True)
        np.testing.assert_array_equal(copied.to_numpy(), source.to_numpy().reshape(-1))
        copied[:] = 7
        assert not (source.to_numpy() == 7).any()


@pytest.mark.parametrize("sections", [2**63 - 1, 2**64, 2**200])
def test_arrays_are_not_cut_into_more_parts_than_fit_into_memory(sections):
    for name in ("split", "array_split", "hsplit"):
        for size in (0, 4):
            with pytest.raises(ValueError, match=f"into {sections} parts"):
                getattr(situ, name)(situ.zeros(size), sections)


def test_the_ends_to_trim_are_text():
    for trim in (None, 3, "x", ""):
        with pytest.raises(ValueError, match="does not know the ends"):
            situ.trim_zeros(situ.arange(3), trim)


@pytest.mark.parametrize("size", [2, 300])
def test_a_singular_matrix_is_refused_without_right_sides_too(size):
    singular, regular = situ.ones((size, size)), situ.eye(size)
    for matrices in (singular, situ.stack([regular, singular])):
        for shape in ((size, 0), (*matrices.shape[:-1], 0)):
            with pytest.raises(situ.LinAlgError, match="singular"):
                situ.linalg.solve(matrices, situ.zeros(shape))
    for matrices in (regular, situ.stack([regular, 2 * regular])):
        expected = np.linalg.solve(matrices.to_numpy(), np.zeros((size, 0)))
        assert situ.linalg.solve(matrices, situ.zeros((size, 0))).shape == expected.shape
    none = situ.zeros((0, size, size))
    assert situ.linalg.solve(none, situ.zeros((size, 0))).shape == (0, size, 0)
