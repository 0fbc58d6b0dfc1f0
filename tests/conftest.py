"""Fixtures and settings shared by all tests, and the drivers that each test runs over."""

import os
import zlib

import pytest
from hypothesis import settings
from places import driver_devices

import situ

# SciPy reads it once: whether its functions take arrays of any library (tests/clients).
os.environ["SCIPY_ARRAY_API"] = "1"

# The first call of a kernel compiles it, so examples have no deadline. The CI repeats the same
# examples in every run; elsewhere they are new each time.
settings.register_profile(
    "situ",
    deadline=None,
    derandomize="CI" in os.environ,
    max_examples=int(os.environ.get("SITU_TEST_EXAMPLES", "100")),
    print_blob=True,
)
settings.load_profile("situ")


@pytest.fixture(params=["native", "reference", *driver_devices()])
def device(request: pytest.FixtureRequest) -> situ.Device:
    """Each device of the machine."""
    return situ.Device(request.param)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the choice between one driver per test and all of them."""
    parser.addoption(
        "--all-drivers",
        action="store_true",
        help="run each test over every driver; by default over one of them, whose turn it is",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep one driver for each test that runs over several.

    The tests are dealt out by a hash of their names, so that each driver gets a share of every
    file, and every run the same one. Devices that need no driver keep all of their tests.
    """
    if config.getoption("--all-drivers"):
        return
    drivers = driver_devices()
    variants: dict[str, list[tuple[str, pytest.Item]]] = {}
    for item in items:
        driver = _driver_of(item, drivers)
        if driver is not None:
            variants.setdefault(item.nodeid.replace(driver, "DRIVER"), []).append((driver, item))
    left_out = set()
    for name, choices in variants.items():
        turn = zlib.crc32(name.encode()) % len(choices)
        left_out |= {id(item) for place, (_, item) in enumerate(choices) if place != turn}
    config.hook.pytest_deselected(items=[item for item in items if id(item) in left_out])
    items[:] = [item for item in items if id(item) not in left_out]


def _driver_of(item: pytest.Item, drivers: list[str]) -> str | None:
    """Return the driver's device that a test runs on, by its parameters."""
    callspec = getattr(item, "callspec", None)
    values = callspec.params.values() if callspec is not None else ()
    return next((value for value in values if isinstance(value, str) and value in drivers), None)
