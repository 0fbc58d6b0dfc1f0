"""Measures the promises of the spine: bandwidth, `sin`, compile time, launch cost, import time.

Prints a Markdown table of ratios and times with the bar each should meet; `benches/README.md` says
which question each row answers. It asserts nothing: a slow machine is not a bug.
"""

import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
from report import Row, best_seconds, print_table, seconds

import situ

LENGTH = 10_000_000
NEW_KERNELS = 20


@situ.kernel
def multiply_add(a, b, c, out):  # noqa: ANN001, ANN201 (kernels are untyped Python)
    """Do `out = a * b + c` in one pass."""
    i = situ.get_global_id(0)
    out[i] = a[i] * b[i] + c[i]


@situ.kernel
def nothing(a):  # noqa: ANN001, ANN201
    """Do nothing, so that only the launch is left."""
    pass


def copy_loop() -> Callable[[np.ndarray, np.ndarray], None]:
    """Return a plain parallel copy loop that owes nothing to situ."""
    import numba

    @numba.njit(parallel=True)
    def copy(source: np.ndarray, target: np.ndarray) -> None:
        for i in numba.prange(source.size):
            target[i] = source[i]

    return copy


def bench_bandwidth() -> Row:
    """Compare `a*b + c` with a copy loop by bytes per second."""
    rng = np.random.default_rng(0)
    host = [rng.random(LENGTH) for _ in range(3)]
    target = np.ones(LENGTH)
    a, b, c = (situ.asarray(values) for values in host)
    out = situ.asarray(target)
    copy = copy_loop()

    def run() -> None:
        multiply_add(a, b, c, out)
        out.queue.wait()

    copy_seconds, run_seconds = best_seconds(lambda: copy(host[0], target), run)
    copy_rate = 2 * 8 * LENGTH / copy_seconds / 1e9
    rate = 4 * 8 * LENGTH / run_seconds / 1e9
    share = rate / copy_rate
    details = f"{rate:.1f} GB/s, copy {copy_rate:.1f} GB/s"
    return Row("`a*b + c`, 10M float64", f"{share:.0%} of copy", "≥ 85 %", share >= 0.85, details)


def bench_sin() -> Row:
    """Compare `sin` with NumPy's."""
    host = np.random.default_rng(1).uniform(-10.0, 10.0, LENGTH)
    target = np.empty_like(host)
    x, y = situ.asarray(host), situ.asarray(target)
    # A result that nobody keeps would not be computed at all; one that is given has to be.
    numpy_seconds, situ_seconds = best_seconds(
        lambda: np.sin(host, out=target), lambda: situ.sin(x, out=y).queue.wait()
    )
    ratio = numpy_seconds / situ_seconds
    details = f"{1e3 * situ_seconds:.1f} ms, NumPy {1e3 * numpy_seconds:.1f} ms"
    return Row("`sin`, 10M float64", f"{ratio:.1f} x NumPy", "≥ 10 x", ratio >= 10, details)


def bench_compile() -> list[Row]:
    """Time first calls of new kernels, without and with another process's cache."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "new_kernels.py"
        source.write_text(new_kernels_source(), encoding="utf-8")
        environment = {**os.environ, "SITU_CACHE_DIR": str(Path(folder) / "cache")}
        command = [sys.executable, __file__, "--first-calls", str(source)]
        runs = [
            subprocess.run(command, env=environment, check=True, capture_output=True).stdout.split()
            for _ in range(2)
        ]
    (first_new, new), (first_cached, cached) = ([float(ms) for ms in run] for run in runs)
    median = f"median of {NEW_KERNELS}; the first of a process"
    return [
        Row("new kernel", f"{new:.2f} ms", "≤ 15 ms", new <= 15, f"{median} {first_new:.1f} ms"),
        Row(
            "kernel from disk",
            f"{cached:.2f} ms",
            "≤ 1.5 ms",
            cached <= 1.5,
            f"{median} {first_cached:.1f} ms",
        ),
    ]


def new_kernels_source() -> str:
    """Write kernels that differ in their constants, so that no two share a cache entry."""
    kernels = (
        "@situ.kernel\n"
        f"def kernel_{k}(a, out):\n"
        "    i = situ.get_global_id(0)\n"
        f"    out[i] = a[i] * {k}.25 + {k}.5\n"
        for k in range(NEW_KERNELS + 1)
    )
    return '"""Kernels made by bench_spine.py."""\nimport situ\n\n' + "\n\n".join(kernels)


def print_first_call_ms(source: Path) -> None:
    """Print what the first kernel costs and what the others do; runs in a child process.

    The cost is that of a first call over a second one. The first kernel of a process also pays for
    starting the compiler and the linker.
    """
    kernels = import_file(source)
    a = situ.asarray(np.ones(16))
    out = situ.asarray(np.ones(16))
    costs = []
    for k in range(NEW_KERNELS + 1):
        kernel = getattr(kernels, f"kernel_{k}")
        first, second = (seconds(lambda f=kernel: (f(a, out), out.queue.wait())) for _ in range(2))
        costs.append(first - second)
    print(1e3 * costs[0], 1e3 * statistics.median(costs[1:]))


def import_file(source: Path) -> ModuleType:
    """Import a module from a file outside the package path."""
    spec = importlib.util.spec_from_file_location(source.stem, source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bench_launch() -> Row:
    """Time a launch that does nothing, from Python, with the wait."""
    x = situ.asarray(np.ones(1))
    launch = nothing[1]
    wait = x.queue.wait

    def run() -> None:
        for _ in range(1000):
            launch(x)
            wait()

    (thousand_launches,) = best_seconds(run)
    microseconds = 1e3 * thousand_launches
    return Row("empty launch and wait", f"{microseconds:.2f} µs", "≤ 5 µs", microseconds <= 5, "")


def bench_import() -> Row:
    """Time `import situ` in new processes that have imported NumPy."""
    code = (
        "import numpy, time; t = time.perf_counter(); import situ; print(time.perf_counter() - t)"
    )
    command = [sys.executable, "-c", code]
    runs = [
        float(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(11)
    ]
    milliseconds = 1e3 * statistics.median(runs)
    return Row(
        "import over NumPy", f"{milliseconds:.1f} ms", "≤ 100 ms", milliseconds <= 100, "median"
    )


def main() -> None:
    """Run every benchmark and print the table."""
    if sys.argv[1:2] == ["--first-calls"]:
        print_first_call_ms(Path(sys.argv[2]))
        return
    print_table([bench_bandwidth(), bench_sin(), *bench_compile(), bench_launch(), bench_import()])


if __name__ == "__main__":
    main()
