"""The same call on NumPy and on a device, compared: values, dtypes, shapes, signs of zeros."""

import numpy as np

import situ

__all__ = ["compare", "on_device"]


def on_device(value, device=None):
    """Bring arrays to a device, also those in lists and tuples."""
    if isinstance(value, list | tuple) and any(
        isinstance(each, np.ndarray | list) for each in value
    ):
        return type(value)(on_device(item, device) for item in value)
    is_array = isinstance(value, np.ndarray | np.float64)
    return situ.asarray(value, device=device) if is_array else value


def compare(found, expected, *, ulps=4):
    """Compare results, or each of several."""
    if isinstance(expected, tuple | list) and not isinstance(found, situ.ndarray):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            compare(one, other, ulps=ulps)
        return
    if not isinstance(found, situ.ndarray):
        assert found == expected
        return
    expected = np.asarray(expected)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    rounding = ulps * np.finfo(expected.dtype).eps if expected.dtype.kind in "fc" else 0
    result = found.to_numpy()
    np.testing.assert_allclose(result, expected, rtol=rounding, atol=rounding, equal_nan=True)
    if expected.dtype.kind == "f":
        zeros = (expected == 0) & (result == 0)
        np.testing.assert_array_equal(np.signbit(result[zeros]), np.signbit(expected[zeros]))
