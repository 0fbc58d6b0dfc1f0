"""Fixtures and settings shared by all tests."""

import os

import pytest
from hypothesis import settings

import situ

# The first call of a kernel compiles it, so examples have no deadline. The CI repeats the same
# examples in every run; elsewhere they are new each time.
settings.register_profile("situ", deadline=None, derandomize="CI" in os.environ, print_blob=True)
settings.load_profile("situ")


@pytest.fixture(params=["native", "reference"])
def device(request: pytest.FixtureRequest) -> situ.Device:
    """Each device that needs no driver."""
    return situ.Device(request.param)
