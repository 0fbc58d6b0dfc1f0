"""``situ devices``: what kernels can run on."""

import argparse
import sys
from typing import Any

from situ._cli import _text
from situ._native import Device, device_facts, devices
from situ.exceptions import DeviceError

HELP = "list the devices"
DESCRIPTION = """\
List the devices kernels can run on; a star marks the default.

The first column is the selector of each device. With SELECTOR only devices that fit are listed, in
its order: `gpu`, `native:cpu:0`, `gpu+fp64,cpu`.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("selector", nargs="?", metavar="SELECTOR", help="which devices to list")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="everything that is known about each device"
    )
    parser.add_argument("--json", action="store_true", help="the same as JSON, always in full")


def record(device: Device) -> dict[str, Any]:
    """Return everything that is known about a device as plain data."""
    return {
        **device.info,
        "aspects": sorted(device.aspects),
        "is_default": device == Device(),
    }


def summary(found: list[Device]) -> str:
    """Return a line for each device."""
    rows = (
        (
            "*" if device == Device() else " ",
            device.filter_string,
            device.name,
            _text.counted(device.compute_units, "compute unit"),
            _text.size(device.memory_bytes),
        )
        for device in found
    )
    return _text.table(rows, indent="")


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    try:
        found = devices(options.selector)
    except DeviceError as error:
        print(f"situ devices: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(_text.as_json([record(device) for device in found]))
    elif options.verbose:
        print("\n\n".join(_describe(device) for device in found))
    elif found:
        print(summary(found))
    else:
        print(f"no device fits `{options.selector}`")
    return 0 if found else 1


def _describe(device: Device) -> str:
    """Return everything that is known about a device, for people to read."""
    facts = record(device)
    rows: list[tuple[str, str]] = []
    for name, unit, _ in device_facts():
        if name in facts:
            rows.append((name, _value(facts[name], unit)))
    rows.append(("aspects", ", ".join(facts["aspects"])))
    star = "* " if facts["is_default"] else ""
    return f"{star}{device.filter_string}\n{_text.table(rows[1:])}"


def _value(value: object, unit: str | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        items = [str(item) for item in value]  # type: ignore[reportUnknownVariableType]
        text = ", ".join(items) or "none"
    else:
        text = str(value)
    if unit == "bytes" and isinstance(value, int) and value >= 1000:
        return f"{_text.size(value)} ({value} bytes)"
    return f"{text} {unit}" if unit is not None else text
