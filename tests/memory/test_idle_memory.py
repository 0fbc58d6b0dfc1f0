"""Memory that no array uses goes back to the system: after a while, and when something needs it."""

import subprocess
import sys
from pathlib import Path

import pytest

# Two GiB in several sizes, all of them written.
FREED = """
import situ, time
from situ.memory import stats
arrays = [situ.ones(size * 2**20, dtype=situ.uint8) for size in (1024, 512, 256, 128, 64, 32, 32)]
for array in arrays:
    array.queue.wait()
del arrays, array
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
"""

AFTER_A_WHILE = """
deadline = time.monotonic() + 60
while stats().total.idle_bytes > 2**20 and time.monotonic() < deadline:
    time.sleep(0.1)
print(stats().total.idle_bytes <= 2**20, resident() < 2**30)
x = situ.ones(1000)
print(float((x + x).sum()))
"""

KEPT = """
time.sleep(1.5)
print(stats().total.idle_bytes >= 2 * 2**30, resident() >= 2 * 2**30)
"""

# A loop that takes its temporaries again and again while the thread looks.
REUSED = """
x = situ.ones(2**20)
for _ in range(3):
    ((x + x) * x).queue.wait()
before = stats().total.system_requests
end = time.monotonic() + 2
while time.monotonic() < end:
    ((x + x) * x).queue.wait()
print(stats().total.system_requests - before <= 2)
"""

# Leaves less address space than a thread needs; memory of the pools is all there is.
UNDER_PRESSURE = """
import resource, threading
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + 4 * 2**20, resource.RLIM_INFINITY))
@situ.kernel
def fresh(a):
    i = situ.get_global_id(0)
    a[i] = a[i] * 3 + 1
"""

COMPILE = """
x = situ.ones(1000)
fresh(x)
print(float(x[0]), stats().total.idle_bytes < 2**30)
"""

ALLOCATE = """
x = situ.ones(1536 * 2**20, dtype=situ.uint8)
print(int(x[5]), stats().total.idle_bytes < 2**29)
"""

HOST_TASK = """
queue = situ.Queue()
queue.host_task(lambda: print("ran")).wait()
print(True)
"""


def run(folder: Path, *parts: str, seconds: str = "never") -> list[str]:
    """Return the lines that a program prints that ends well."""
    file = folder / "program.py"
    file.write_text("\n".join(parts))
    command = [sys.executable, str(file)]
    environment = {"SITU_IDLE_MEMORY_SECONDS": seconds, "SITU_OPENCL": "off"}
    environment |= {"SITU_SYCL_LIBRARY": "off", "PATH": ""}
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=300, env=environment
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return done.stdout.splitlines()


def test_idle_memory_goes_back_after_a_while(tmp_path: Path) -> None:
    assert run(tmp_path, FREED, AFTER_A_WHILE, seconds="0.5") == ["True True", "2000.0"]


def test_idle_memory_can_be_kept(tmp_path: Path) -> None:
    assert run(tmp_path, FREED, KEPT, seconds="never") == ["True True"]


def test_temporaries_of_a_loop_are_kept(tmp_path: Path) -> None:
    imports = "import situ, time\nfrom situ.memory import stats"
    assert run(tmp_path, imports, REUSED, seconds="0.5") == ["True"]


@pytest.mark.parametrize(
    ("then", "expected"),
    [(ALLOCATE, ["1 True"]), (HOST_TASK, ["ran", "True"]), (COMPILE, ["4.0 True"])],
    ids=["allocation", "host task", "compiler"],
)
def test_idle_memory_goes_back_under_pressure(
    tmp_path: Path, then: str, expected: list[str]
) -> None:
    assert run(tmp_path, FREED, UNDER_PRESSURE, then) == expected
