"""Tools for testing programs that use situ, on machines that need not have the devices.

`situ.testing.strategies` has strategies for Hypothesis; it is there if the package ``hypothesis``
is.
"""

from situ.testing._assertions import (
    assert_allclose,
    assert_array_almost_equal,
    assert_array_equal,
    assert_array_less,
)
from situ.testing._deferral import deferral
from situ.testing._virtual import virtual_devices

__all__ = [
    "assert_allclose",
    "assert_array_almost_equal",
    "assert_array_equal",
    "assert_array_less",
    "deferral",
    "virtual_devices",
]
