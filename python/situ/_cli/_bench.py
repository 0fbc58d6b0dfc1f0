"""``situ bench``: how fast situ is here, beside the libraries that are installed.

What it does is in `situ._bench`, which other commands need not import.
"""

import argparse
from pathlib import Path

HELP = "measure how fast situ is, beside NumPy and other libraries"
DESCRIPTION = """\
Do the same work with situ and with other libraries, side by side, and compare times and results.

NumPy is always measured; of numba, dpnp and jax, those that are installed. Each library runs in a
process of its own, the shortest of many calls counts, and first calls (which compile) are shown
apart. `--quick` uses tiny arrays: it tells whether everything works, not how fast it is. Ctrl-C
ends it with what was measured so far.

`--programs` compares whole programs instead, in the styles in which users write them: functions
that NumPy, Numba and situ compile or run from the same source, and kernels.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "--device",
        action="append",
        metavar="SELECTOR",
        help="the device to measure, such as `gpu`; more than once to compare devices",
    )
    parser.add_argument(
        "--against",
        metavar="LIBRARIES",
        help="which of numba, dpnp and jax to compare with, separated by commas (default: all that "
        "are installed); NumPy always is",
    )
    parser.add_argument(
        "--lines",
        metavar="WORDS",
        help="only lines whose names contain one of these words, separated by commas",
    )
    parser.add_argument(
        "--scaling",
        action="store_true",
        help="also sizes from 10 to 10 million, four layouts, one thread and all",
    )
    parser.add_argument(
        "--programs",
        nargs="*",
        metavar="NAME",
        help="measure programs instead: these, or all (files of benches/programs)",
    )
    parser.add_argument(
        "--programs-from", metavar="FOLDER", type=Path, help="the folder of the programs"
    )
    parser.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=float,
        default=60.0,
        help="end a program that does not answer for so long (default: 60)",
    )
    parser.add_argument("--quick", action="store_true", help="tiny arrays, within seconds")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write everything to a file")
    parser.add_argument(
        "--svg",
        metavar="FILE",
        type=Path,
        help="draw a chart; with --scaling another one, whose name ends in -scaling",
    )


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from situ._bench import _command

    return _command.run(options)
