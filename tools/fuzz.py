"""Search for wrong results by random programs, for as long as asked (`make fuzz MINUTES=60`).

The random tests of `make test` run for seconds. Here they run in turns, each time with new seeds,
until the time is over or one of them fails; its output then has the example. The last lines say
how many examples each of them tried.
"""

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field

EXAMPLES = re.compile(r"(\d+) passing\b")
CALLS = re.compile(r"(\d+) random calls")


@dataclass
class Search:
    """One kind of random program."""

    title: str
    test: str
    variables: dict[str, str] = field(default_factory=dict[str, str])
    rounds: int = 0
    examples: int = 0

    def run(self) -> bool:
        """Try new examples; return whether all of them passed."""
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-s",
            "-n0",
            "--hypothesis-show-statistics",
        ]
        # `CI` would fix the seeds.
        environment = {name: value for name, value in os.environ.items() if name != "CI"}
        environment |= self.variables
        done = subprocess.run(
            [*command, self.test], capture_output=True, text=True, env=environment, check=False
        )
        self.rounds += 1
        for pattern in (EXAMPLES, CALLS):
            self.examples += sum(int(number) for number in pattern.findall(done.stdout))
        if done.returncode != 0:
            print(done.stdout, done.stderr, sep="\n", flush=True)
        return done.returncode == 0


SEARCHES = [
    Search(
        "operands of njit expressions",
        "tests/njit/test_random_operands.py",
        {"SITU_TEST_EXAMPLES": "1000"},
    ),
    Search("random njit functions", "tests/njit/test_random_functions.py"),
    Search(
        "loops over array statements",
        "tests/njit/test_array_loops.py",
        {"SITU_TEST_EXAMPLES": "300"},
    ),
    Search(
        "decompositions at all scales",
        "tests/differential/test_linalg_scales.py",
        {"SITU_TEST_EXAMPLES": "400"},
    ),
    Search(
        "dtypes and bools of results",
        "tests/differential/test_result_dtypes.py",
        {"SITU_TEST_SECONDS": "120"},
    ),
    Search("random kernels", "tests/differential/test_kernel_programs.py"),
]


def main(minutes: float) -> int:
    """Search in turns; return 1 if something was found."""
    end = time.monotonic() + 60 * minutes
    failed = False
    while time.monotonic() < end and not failed:
        for search in SEARCHES:
            failed = not search.run() or failed
            left = max(0.0, end - time.monotonic()) / 60
            print(
                f"{search.title}: {search.examples} examples, {left:.0f} minutes left", flush=True
            )
    for search in SEARCHES:
        print(f"{search.title:30} {search.rounds:5} rounds {search.examples:9} examples")
    print("a wrong result was found" if failed else "no wrong result was found")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0))
