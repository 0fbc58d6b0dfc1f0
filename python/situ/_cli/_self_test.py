"""The kernel that ``situ doctor`` runs on every device."""

import time
from typing import Any

import numpy as np

import situ

_LENGTH = 1000


@situ.kernel
def _scale_and_shift(x: situ.ndarray, y: situ.ndarray) -> None:
    i = situ.get_global_id(0)
    y[i] = 2.0 * x[i] + 1.0


def run(device: situ.Device) -> dict[str, Any]:
    """Copy data to a device, run a kernel and an array function, and compare what comes back."""
    start = time.perf_counter()
    problem = None
    try:
        host = np.arange(_LENGTH, dtype=np.float32)
        x = situ.asarray(host, device=device)
        y = situ.empty(_LENGTH, dtype=np.float32, device=device)
        _scale_and_shift(x, y)
        if not np.array_equal((y - x).to_numpy(), host + 1):
            problem = "a kernel computed wrong numbers"
    except Exception as error:
        # Whatever is wrong is what the user wants to know.
        problem = f"{type(error).__name__}: {error}"
    milliseconds = round((time.perf_counter() - start) * 1000, 1)
    return {"device": device.filter_string, "problem": problem, "milliseconds": milliseconds}
