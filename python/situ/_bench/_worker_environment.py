"""The environment of the processes in which libraries are measured."""

import os
from pathlib import Path

from situ import _intel_runtime, _opencl_vendors


def environment(library: str, folder: Path) -> dict[str, str]:
    """Return the variables for a library's process, with files of its own in a folder.

    First calls are those of a user's first day: situ's compile cache starts empty. dpnp computes on
    Intel's driver of this Python environment, if there is one and the user has not said otherwise:
    another driver on the processor would be found as well, and not every one works.
    """
    variables = {**os.environ, "SITU_CACHE_DIR": str(folder / "cache")}
    intel = _intel_runtime.find()
    if library == "dpnp" and intel is not None and intel.driver is not None:
        vendors = folder / "vendors"
        _opencl_vendors.write(vendors, {"intel": intel.driver}, [])
        variables.setdefault(_opencl_vendors.VARIABLES[0], str(vendors))
    return variables
