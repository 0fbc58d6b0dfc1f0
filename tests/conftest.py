"""Fixtures shared by all tests."""

import pytest

import situ


@pytest.fixture(params=["native", "reference"])
def device(request: pytest.FixtureRequest) -> situ.Device:
    """Each device that needs no driver."""
    return situ.Device(request.param)
