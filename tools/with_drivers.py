#!/usr/bin/env python3
"""Run a command so that it sees exactly the drivers that the tests are for.

    .venv/bin/python tools/with_drivers.py COMMAND [ARGUMENT...]

These are PoCL and rusticl of the Debian packages, and Intel's OpenCL runtime and dpctl of the
dependency group ``drivers``. They are registered in a directory of their own inside .venv, so that
neither the drivers of the machine nor what the user registered make a difference.
``EXPECTED_DRIVERS`` tells the tests to fail when one of them is missing; without it, tests run over
whatever there is. CONTRIBUTING.md says how to read it.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# They import nothing of the package, which need not be built yet. The folder comes last, because
# situ's `random` is not Python's.
sys.path.append(str(ROOT / "python" / "situ"))

import _intel_runtime  # noqa: E402
import _opencl_vendors  # noqa: E402

DIRECTORY = Path(sys.prefix, "share", "situ-tests", "vendors")
SYSTEM_DRIVERS = ("pocl.icd", "rusticl.icd")


def expected_drivers() -> str:
    """Return the drivers that have to be there, in the words of CONTRIBUTING.md."""
    has_intel = _intel_runtime.is_for_this_machine()
    intel = ["opencl/intel", "sycl/intel"] if has_intel else []
    return " ".join(["opencl/pocl", "opencl/rusticl=refused", *intel])


def environment() -> dict[str, str]:
    """Register the drivers and return the variables that make a process use them."""
    links = [_opencl_vendors.SYSTEM_DIRECTORY / name for name in SYSTEM_DRIVERS]
    intel = _intel_runtime.find()
    libraries = {"intel": intel.driver} if intel is not None and intel.driver is not None else {}
    _opencl_vendors.write(DIRECTORY, libraries, [link for link in links if link.exists()])
    variables = {
        "OCL_ICD_VENDORS": str(DIRECTORY),
        # rusticl offers no device unless it is told to.
        "RUSTICL_ENABLE": "llvmpipe",
        "EXPECTED_DRIVERS": expected_drivers(),
        # What `import situ` sets, for tests of Rust.
        **dict([_opencl_vendors.POCL_METHOD]),
    }
    sycl = _intel_runtime.file_of("dpctl", "libDPCTLSyclInterface.so")
    return variables if sycl is None else {**variables, "SITU_SYCL_LIBRARY": str(sycl)}


def main() -> int:
    """Become the command."""
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    os.execvpe(sys.argv[1], sys.argv[1:], {**os.environ, **environment()})


if __name__ == "__main__":
    sys.exit(main())
