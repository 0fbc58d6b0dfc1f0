"""Results of packages that work with any array, compared with those that they have for NumPy's."""

from typing import Any

import numpy as np

import situ

__all__ = ["assert_agrees"]


def assert_agrees(result: Any, expected: Any, device: situ.Device, *, rtol: float = 1e-9) -> None:
    """Assert that a result is on a device, and has the values of NumPy's.

    Where the result for NumPy arrays is an array, so is this one; numbers are numbers or arrays
    without dimensions.
    """
    if isinstance(expected, tuple):
        assert isinstance(result, tuple)
        for one, other in zip(result, expected, strict=True):
            assert_agrees(one, other, device, rtol=rtol)
    elif isinstance(result, situ.ndarray):
        assert result.device == device
        assert result.shape == np.shape(expected)
        np.testing.assert_allclose(result.to_numpy(), expected, rtol=rtol, atol=1e-12)
    else:
        assert np.ndim(expected) == 0, "the result is in memory of the host"
        assert not isinstance(result, np.ndarray)
        np.testing.assert_allclose(result, expected, rtol=rtol)
