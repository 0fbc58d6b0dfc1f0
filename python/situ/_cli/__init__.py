"""The command ``situ``: what there is, whether it works, and what is kept on disk.

Each command is a module: ``HELP`` and ``DESCRIPTION``, `add_arguments` and `run`. A command first
gathers plain data, which ``--json`` prints, and then writes it for people.
"""

import argparse
import sys
from collections.abc import Sequence

from situ._cli import _bench, _cache, _devices, _doctor, _drivers
from situ._native import version

_DESCRIPTION = """\
Compute where your data lives: look at devices and drivers, check the installation, manage compiled
kernels, measure speed.
"""
_EXIT_STATUS = """\
exit status: 0 if all is well, 1 if something does not work, 2 if the command makes no sense
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    Parameters
    ----------
    arguments
        What follows the name of the command; that of the process if left out.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.run is None:
        parser.print_help()
        return 0
    try:
        return options.run(options)
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough.
        sys.stdout = None
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="situ",
        description=_DESCRIPTION,
        epilog=_EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"situ {version()}")
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    modules = {
        "devices": _devices,
        "doctor": _doctor,
        "drivers": _drivers,
        "cache": _cache,
        "bench": _bench,
    }
    for name, module in modules.items():
        command = commands.add_parser(
            name,
            help=module.HELP,
            description=module.DESCRIPTION,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser
