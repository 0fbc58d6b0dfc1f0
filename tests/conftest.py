"""Fixtures and settings shared by all tests."""

import os

import pytest
from hypothesis import settings
from places import driver_devices

import situ

# SciPy reads it once: whether its functions take arrays of any library (tests/clients).
os.environ["SCIPY_ARRAY_API"] = "1"

# The first call of a kernel compiles it, so examples have no deadline. The CI repeats the same
# examples in every run; elsewhere they are new each time.
settings.register_profile("situ", deadline=None, derandomize="CI" in os.environ, print_blob=True)
settings.load_profile("situ")


@pytest.fixture(params=["native", "reference", *driver_devices()])
def device(request: pytest.FixtureRequest) -> situ.Device:
    """Each device of the machine."""
    return situ.Device(request.param)
