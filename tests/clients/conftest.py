"""Where the packages that work with any array are tried."""

from collections.abc import Iterator

import pytest

import situ
from situ.testing import virtual_devices


@pytest.fixture(params=["native", "virtual"])
def place(request: pytest.FixtureRequest) -> Iterator[situ.Device]:
    """Return the device of the host, and one whose memory the host cannot reach.

    On the latter, a package that copies to the host without saying so gets an error.
    """
    if request.param == "native":
        yield situ.Device("native")
    else:
        with virtual_devices("gpu") as (device,):
            yield device
