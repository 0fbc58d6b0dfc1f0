"""The drivers that must be there: a device that is missing is not a device that passes.

``tools/with_drivers.py`` sets ``EXPECTED_DRIVERS`` and says what is in it. Without the variable,
tests run over whatever devices there are.
"""

import os

import pytest

import situ
from situ._native import driver_reports


def problem_with(expected, reports):
    """Return what is wrong with a driver: ``backend/name`` or ``backend/name=refused``."""
    driver, _, outcome = expected.partition("=")
    backend, _, name = driver.partition("/")
    found = [
        one
        for report in reports
        if report["backend"] == backend
        for one in report["drivers"]
        if name in f"{one['name']} {one['file']}".lower()
    ]
    if not found:
        return "is not there"
    accepted = [device["filter_string"] is not None for device in found[0]["devices"]]
    if outcome == "refused":
        return "has no device that is refused" if all(accepted) else None
    if outcome != "":
        return "is neither accepted nor refused: mistyped"
    return None if any(accepted) else "has no device that can be used"


def test_every_driver_that_is_expected_is_there():
    reports = driver_reports()
    problems = [
        f"{driver} {problem}"
        for driver in os.environ.get("EXPECTED_DRIVERS", "").split()
        if (problem := problem_with(driver, reports)) is not None
    ]
    assert not problems, "`make test-python` installs and registers all drivers; " + str(reports)


@pytest.mark.parametrize(
    ("expected", "is_fine"),
    [
        ("opencl/works", True),
        ("opencl/libworks", True),
        ("opencl/poor=refused", True),
        ("opencl/other", False),
        ("sycl/works", False),
        ("opencl/poor", False),
        ("opencl/works=refused", False),
        ("opencl/works=fine", False),
    ],
)
def test_a_driver_that_is_missing_refused_or_mistyped_is_a_problem(expected, is_fine):
    drivers = [
        {"name": "Works", "file": "libworks.so", "devices": [{"filter_string": "opencl:cpu:0"}]},
        {"name": "Poor", "file": None, "devices": [{"filter_string": None}]},
    ]
    reports = [{"backend": "opencl", "drivers": drivers}]
    assert (problem_with(expected, reports) is None) is is_fine


def test_every_device_of_a_driver_is_listed_or_refused_with_a_reason():
    listed = {device.filter_string: device for device in situ.devices()}
    for report in driver_reports():
        assert (report["loader"] is None) is (report["problem"] is not None)
        for driver in report["drivers"]:
            assert driver["name"]
            assert driver["version"]
            for device in driver["devices"]:
                if device["filter_string"] is None:
                    assert device["problem"]
                    assert device["help"]
                else:
                    assert device["problem"] is None
                    assert listed[device["filter_string"]].name == device["name"]
