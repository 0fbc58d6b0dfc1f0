"""Measures what situ adds to drivers: launches, memory, kernels beside hand-written ones.

For every device of an OpenCL driver the same is done without situ, in the same process and in
turns; see `bare_opencl.py`. Prints a Markdown table like the other benchmarks;
`benches/README.md` says which question each row answers.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from bare_opencl import BareDevice, BareKernel
from report import Row, best_seconds, print_table

import situ

LAUNCHES = 200
# Each pair of functions takes turns for about this long.
TURNS_SECONDS = 2.0
LENGTH = 4_000_000


@situ.kernel
def nothing(out):  # noqa: ANN001, ANN201 (kernels are untyped Python)
    """Do nothing, so that only the launch is left."""
    pass


@situ.kernel
def multiply_add(a, b, c, out):  # noqa: ANN001, ANN201
    """Do `out = a * b + c`."""
    i = situ.get_global_id(0)
    out[i] = a[i] * b[i] + c[i]


@situ.kernel
def sine(a, out):  # noqa: ANN001, ANN201
    """Do `out = sin(a)`."""
    i = situ.get_global_id(0)
    out[i] = situ.sin(a[i])


@situ.kernel
def strided_sum(a, out):  # noqa: ANN001, ANN201
    """Add up 64 elements that are far apart for each work-item."""
    i = situ.get_global_id(0)
    total = a[i]
    for k in range(1, 64):
        total += a[i + k * out.size]
    out[i] = total


MULTIPLY_ADD = """
#pragma OPENCL FP_CONTRACT OFF
__kernel void bare(__global const {t} *a, __global const {t} *b, __global const {t} *c,
                   __global {t} *out) {{
    size_t i = get_global_id(0);
    out[i] = a[i] * b[i] + c[i];
}}
"""

SINE = """
__kernel void bare(__global const {t} *a, __global {t} *out) {{
    size_t i = get_global_id(0);
    out[i] = sin(a[i]);
}}
"""

STRIDED_SUM = """
__kernel void bare(__global const {t} *a, __global {t} *out) {{
    size_t i = get_global_id(0), n = get_global_size(0);
    {t} total = a[i];
    for (int k = 1; k < 64; k++)
        total += a[i + k * n];
    out[i] = total;
}}
"""


def in_turns(first: Callable[[], object], second: Callable[[], object]) -> list[float]:
    """Return the shortest of many runs of each of two functions, which take turns."""
    one_turn = sum(best_seconds(first, second, repeats=2))
    repeats = max(20, min(500, int(TURNS_SECONDS / one_turn)))
    return best_seconds(first, second, repeats=repeats)


def processor_ratio(run: Callable[[], object], by_hand: BareKernel) -> float:
    """Compare time of all processors, on which other programs have less influence."""

    def processor_seconds(function: Callable[[], object]) -> float:
        start = time.process_time()
        function()
        return time.process_time() - start

    functions = (run, by_hand.launch_and_wait)
    rounds = [[processor_seconds(function) for function in functions] for _ in range(21)]
    ours, bares = (statistics.median(times) for times in zip(*rounds, strict=True))
    return ours / bares


def bench_launch(device: situ.Device, bare_loop: Callable[[int], None]) -> Row:
    """Time a launch that does nothing, with the wait: from Python, and from a compiled loop."""
    queue = situ.Queue(device)
    x = situ.zeros(1, queue=queue)
    launch, wait = nothing[1], queue.wait

    def run() -> None:
        for _ in range(LAUNCHES):
            launch(x)
            wait()

    ours, bares = in_turns(run, lambda: bare_loop(LAUNCHES))
    ours, bares = 1e6 * ours / LAUNCHES, 1e6 * bares / LAUNCHES
    details = f"{ours:.2f} µs, bare {bares:.2f} µs"
    return Row(
        f"{device.filter_string}: empty launch and wait, over a bare one",
        f"{ours - bares:+.2f} µs",
        "≤ 4 µs",
        ours - bares <= 4,
        details,
    )


def bench_allocation(device: situ.Device) -> Row:
    """Time a pooled MiB, made and dropped from Python."""
    queue = situ.Queue(device)
    allocate = situ.memory.Allocation

    def pooled() -> None:
        for _ in range(LAUNCHES):
            allocate(1 << 20, queue=queue)

    (many,) = best_seconds(pooled, repeats=100)
    microseconds = 1e6 * many / LAUNCHES
    name = f"{device.filter_string}: pooled MiB"
    return Row(name, f"{microseconds:.2f} µs", "≤ 1 µs", microseconds <= 1, "")


def bench_kernels(device: situ.Device, bare: BareDevice) -> list[Row]:
    """Compare elementwise kernels with the same ones written by hand."""
    rng = np.random.default_rng(0)
    queue = situ.Queue(device)
    rows = []
    cases = [
        ("`a*b + c`", multiply_add, MULTIPLY_ADD, 3, 1),
        ("`sin`", sine, SINE, 1, 1),
        ("sum of 64, strided", strided_sum, STRIDED_SUM, 1, 64),
    ]
    for title, kernel, text, inputs, repeats in cases:
        for dtype, name in [("float32", "float"), ("float64", "double")]:
            length = LENGTH // repeats
            host = [rng.uniform(-10, 10, LENGTH).astype(dtype) for _ in range(inputs)]
            arrays = [situ.asarray(values, queue=queue) for values in host]
            out = situ.empty(length, dtype=dtype, queue=queue)
            launch = kernel[length]

            def run(launch: Callable = launch, arguments: tuple = (*arrays, out)) -> None:
                launch(*arguments)
                queue.wait()

            by_hand = bare.kernel(text.format(t=name), [*host, np.empty(length, dtype)], length)
            ours, bares = in_turns(run, by_hand.launch_and_wait)
            times = f"{1e3 * ours:.2f} ms, by hand {1e3 * bares:.2f} ms"
            details = f"{times}; processor time {processor_ratio(run, by_hand):.2f} x"
            ratio = ours / bares
            title_row = f"{device.filter_string}: {title}, {LENGTH // 10**6}M {dtype}"
            rows.append(Row(title_row, f"{ratio:.2f} x by hand", "≤ 1.1 x", ratio <= 1.1, details))
    return rows


def bench_cache(device: situ.Device) -> Row:
    """Time the first call of a kernel in a second process, and count what it added to the cache."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "SITU_CACHE_DIR": folder}
        command = [sys.executable, __file__, "--first-call", device.filter_string]
        times, files = [], []
        for _ in range(2):
            done = subprocess.run(command, env=environment, check=True, capture_output=True)
            times.append(float(done.stdout))
            found = [path for path in Path(folder).rglob("*") if path.is_file()]
            files.append({path: path.stat().st_mtime_ns for path in found})
    built = len(set(files[1].items()) - set(files[0].items()))
    details = f"first call {1e3 * times[1]:.1f} ms, in the first process {1e3 * times[0]:.1f} ms"
    name = f"{device.filter_string}: programs built by a second process"
    return Row(name, str(built), "0", built == 0 and bool(files[0]), details)


def print_first_call_seconds(filter_string: str) -> None:
    """Print what a kernel's first call costs over its second; runs in a child process."""
    queue = situ.Queue(filter_string)
    a, out = (situ.zeros(16, queue=queue) for _ in range(2))
    times = []
    for _ in range(2):
        start = time.perf_counter()
        sine[16](a, out)
        queue.wait()
        times.append(time.perf_counter() - start)
    print(times[0] - times[1])


def main() -> None:
    """Run every benchmark for every device of a driver and print the table."""
    if sys.argv[1:2] == ["--first-call"]:
        print_first_call_seconds(sys.argv[2])
        return
    rows = []
    for device in situ.devices():
        if device.backend == "opencl":
            bare = BareDevice(device.platform.name)
            text = "__kernel void bare(__global double *out) {}"
            rows.append(bench_launch(device, bare.kernel(text, [np.zeros(1)], 1).launch_and_wait))
            rows += bench_kernels(device, bare)
        if device.backend == "sycl":
            # The library is not there to be loaded unless such a device is.
            from bare_sycl import BareSyclKernel

            kernel = BareSyclKernel(device.name, device.driver_version)
            rows.append(bench_launch(device, kernel.launch_and_wait))
        if device.backend in ("opencl", "sycl"):
            rows += [bench_allocation(device), bench_cache(device)]
    print_table(rows)


if __name__ == "__main__":
    main()
