"""How much memory `a + b` needs at its peak, as the system counts the process's pages.

Linux only: the peak is reset and read in /proc.
"""

from pathlib import Path
from typing import Any

from situ._bench import _work
from situ._bench._libraries import Library
from situ._bench._lines import floats

_COUNT = 10_000_000
# Not smaller: up to 32 MB, what was freed before may be used again and would not be seen to grow.
_QUICK_COUNT = 5_000_000
# Writing it resets the peak of the process.
_RESET_PEAK = "5"


def peak_ratio(library: Library, *, is_quick: bool) -> float:
    """Return the peak of `a + b` over the bytes of its inputs and its result.

    The process should be a new one: memory that a library keeps for later would not be seen to
    grow.
    """
    # Code, threads and pools are there before anything counts.
    _add(library, 1000)
    a, b = (library.asarray(host) for host in floats(_count(is_quick), "float64", "float64"))
    inputs: int = a.nbytes + b.nbytes
    Path("/proc/self/clear_refs").write_text(_RESET_PEAK)
    before = _kib("VmRSS")
    work = library.prepared(_work.add, is_data_dependent=False)
    result = work(a, b)
    library.finish(result)
    grown = (_kib("VmHWM") - before) * 1024
    return (inputs + grown) / (inputs + result.nbytes)


def _count(is_quick: bool) -> int:
    return _QUICK_COUNT if is_quick else _COUNT


def _add(library: Library, count: int) -> Any:
    work = library.prepared(_work.add, is_data_dependent=False)
    result = work(*(library.asarray(host) for host in floats(count, "float64", "float64")))
    library.finish(result)
    return result


def _kib(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    message = f"/proc/self/status has no {name}"
    raise OSError(message)
