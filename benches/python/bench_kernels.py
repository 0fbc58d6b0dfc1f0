"""Measures kernels against Numba: the same functions on the same arrays, in one process.

Prints a Markdown table of ratios, larger is faster, and of what calls and first calls cost;
`benches/README.md` says which question each row answers. Each result is compared with Numba's
before anything is timed. A slow machine is not a bug, so nothing is asserted about times.
"""

import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from bench_spine import NEW_KERNELS, new_kernels_source
from report import Row, best_seconds, print_table, race_apart

import situ

REPEATS = 30


@situ.kernel
def add(a, b, out):  # noqa: ANN001, ANN201 (kernels are untyped Python)
    """Add, so little that only the call is left."""
    i = situ.get_global_id(0)
    out[i] = a[i] + b[i]


def bench_pairs(only: list[str]) -> list[Row]:
    """Time every pair; the last row is their geometric mean."""
    from kernel_pairs import pairs

    rows = []
    ratios = []
    for pair in pairs():
        if only and not any(word in pair.name for word in only):
            continue
        arguments = [situ.asarray(array) for array in pair.inputs]
        output = situ.asarray(pair.output)
        expected = pair.output.copy()
        pair.numba_run(*pair.inputs, expected)
        pair.situ_run(*arguments, output)
        np.testing.assert_allclose(output.to_numpy(), expected, rtol=pair.tolerance, atol=1e-12)

        def run_numba(pair=pair, expected=expected) -> None:  # noqa: ANN001
            pair.numba_run(*pair.inputs, expected)

        def run_situ(pair=pair, arguments=arguments, output=output) -> None:  # noqa: ANN001
            pair.situ_run(*arguments, output)
            output.queue.wait()

        numba_seconds, situ_seconds = race_apart(run_numba, run_situ, REPEATS)
        ratio = numba_seconds / situ_seconds
        ratios.append(ratio)
        details = f"{1e3 * situ_seconds:.2f} ms, Numba {1e3 * numba_seconds:.2f} ms"
        rows.append(Row(pair.name, f"{ratio:.2f} x Numba", "≥ 1.0 x", ratio >= 1, details))
    if ratios:
        mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
        rows.append(
            Row("geometric mean", f"{mean:.2f} x Numba", "≥ 1.5 x", mean >= 1.5, "of the above")
        )
    return rows


def bench_call() -> Row:
    """Time a call with three arrays and almost nothing to do, without waiting for each."""
    a, b, out = (situ.asarray(np.ones(16)) for _ in range(3))

    def run() -> None:
        for _ in range(1000):
            add(a, b, out)
        out.queue.wait()

    (thousand_calls,) = best_seconds(run)
    microseconds = 1e3 * thousand_calls
    return Row(
        "call with 3 arrays",
        f"{microseconds:.2f} µs",
        "≤ 6 µs",
        microseconds <= 6,
        "range inferred",
    )


def bench_first_calls() -> list[Row]:
    """Time first calls of new kernels, and of the same from another process's cache."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "new_kernels.py"
        source.write_text(new_kernels_source(), encoding="utf-8")
        environment = {**os.environ, "SITU_CACHE_DIR": str(Path(folder) / "cache")}
        script = Path(__file__).with_name("bench_spine.py")
        command = [sys.executable, str(script), "--first-calls", str(source)]
        runs = [
            subprocess.run(command, env=environment, check=True, capture_output=True).stdout.split()
            for _ in range(2)
        ]
    (first_new, new), (first_cached, cached) = ([float(ms) for ms in run] for run in runs)
    median = f"median of {NEW_KERNELS}; the first of a process"
    return [
        Row(
            "first call of a small kernel",
            f"{new:.1f} ms",
            "≤ 40 ms",
            new <= 40,
            f"{median} {first_new:.1f} ms",
        ),
        Row(
            "first call, from disk",
            f"{cached:.2f} ms",
            "≤ 3 ms",
            cached <= 3,
            f"{median} {first_cached:.1f} ms",
        ),
    ]


def main() -> None:
    """Run every benchmark, or the pairs whose names contain an argument, and print the table."""
    only = sys.argv[1:]
    rows = []
    try:
        rows += bench_pairs(only)
    except ImportError as error:
        print(f"Kernels are not compared with Numba, which cannot be imported: {error}\n")
    if not only:
        rows += [bench_call(), *bench_first_calls()]
    print_table(rows)


if __name__ == "__main__":
    main()
