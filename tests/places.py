"""The devices that tests run over."""

from situ._native import driver_reports


def driver_devices() -> list[str]:
    """Return the filter string of every device that a driver gives and situ accepts.

    Compiling a kernel takes some 200 ms on PoCL and 60 ms on Intel's runtime, so tests of many
    kernels choose a few of them for these devices.
    """
    found = [
        device["filter_string"]
        for report in driver_reports()
        for driver in report["drivers"]
        for device in driver["devices"]
    ]
    return [name for name in found if name is not None]
