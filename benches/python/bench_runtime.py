"""Measures the promises of the runtime: launches, dependent chains, allocations, many threads.

Prints a Markdown table with the bar each row should meet; `benches/README.md` says which question
each row answers. It asserts nothing: a slow machine is not a bug.
"""

import resource
import threading
import time
from collections.abc import Callable

import numpy as np
from report import Row, best_seconds, print_table, seconds

import situ

LAUNCHES = 100_000
SIZE_BYTES = 80_000_000


@situ.kernel
def add(a, b, out):  # noqa: ANN001, ANN201 (kernels are untyped Python)
    """Do `out = a + b`."""
    i = situ.get_global_id(0)
    out[i] = a[i] + b[i]


def small_arrays(queue: situ.Queue) -> list[situ.ndarray]:
    """Return three arrays of ten numbers."""
    return [situ.asarray(np.ones(10), queue=queue) for _ in range(3)]


def bench_launch() -> Row:
    """Time a launch over three arrays and the wait, on an idle queue."""
    queue = situ.Queue()
    a, b, out = small_arrays(queue)
    launch, wait = add[10], queue.wait

    def run() -> None:
        for _ in range(1000):
            launch(a, b, out)
            wait()

    (thousand,) = best_seconds(run)
    microseconds = 1e3 * thousand
    measured = f"{microseconds:.2f} µs"
    return Row("launch and wait, 3 arrays of 10", measured, "≤ 4 µs", microseconds <= 4, "")


def bench_operator() -> Row:
    """Time `a + b` of ten elements."""
    a, b, _ = small_arrays(situ.Queue())

    def run() -> None:
        for _ in range(1000):
            a + b

    host = np.ones(10)

    def run_numpy() -> None:
        for _ in range(1000):
            host + host

    thousand, thousand_numpy = best_seconds(run, run_numpy)
    measured = f"{1e3 * thousand:.2f} µs"
    details = f"NumPy {1e3 * thousand_numpy:.2f} µs"
    return Row("`a + b` of 10 elements", measured, "≤ 2 µs", thousand <= 2e-3, details)


def bench_dependent() -> list[Row]:
    """Count dependent launches per second: on an idle queue, and behind work that is pending."""
    rows = []
    for name, is_gated in [("idle queue", False), ("behind pending work", True)]:
        queue = situ.Queue()
        a, b, out = small_arrays(queue)
        launch = add[10]
        for _ in range(100):
            launch(a, b, out)
        queue.wait()
        gate = threading.Event()
        if is_gated:
            queue.host_task(gate.wait)
        start = time.perf_counter()
        for _ in range(LAUNCHES):
            launch(a, b, out)
        submitted = time.perf_counter() - start
        gate.set()
        queue.wait()
        total = time.perf_counter() - start
        rate = LAUNCHES / submitted / 1e3
        details = f"{LAUNCHES / total / 1e3:.0f} k/s with the execution"
        title = f"100 000 dependent launches, {name}"
        rows.append(Row(title, f"{rate:.0f} k/s", "≥ 200 k/s", rate >= 200, details))
    return rows


def bench_allocation() -> Row:
    """Time a pooled allocation and its release, over what an empty Python call costs."""

    def run() -> None:
        for _ in range(1000):
            situ.memory.Allocation(1000)

    class Nothing:
        def __init__(self, size: int) -> None:
            pass

    def run_nothing() -> None:
        for _ in range(1000):
            Nothing(1000)

    thousand, thousand_nothing = best_seconds(run, run_nothing)
    measured = f"{1e3 * thousand:.2f} µs"
    details = f"an empty Python object {1e3 * thousand_nothing:.2f} µs; `queues` bench has Rust's"
    return Row("pooled allocation from Python", measured, "—", True, details)


def bench_page_faults() -> list[Row]:
    """Count page faults of freeing and re-allocating 80 MB, and of temporaries in a loop."""

    def again() -> None:
        memory = situ.memory.Allocation(SIZE_BYTES)
        memory.fill(2)

    # The second time all threads have been started, too.
    again()
    again()
    faults = page_faults(again)
    first = Row("page faults, 80 MB again", str(faults), "0", faults < 20, "after the first time")
    a = situ.ones(SIZE_BYTES // 8)
    b = situ.ones(SIZE_BYTES // 8)

    def loop() -> None:
        c = a + b
        for _ in range(10):
            c = a + b
        c.queue.wait()

    loop()
    faults = page_faults(loop)
    details = "11 results of 80 MB, none waited for"
    return [
        first,
        Row("page faults, `c = a + b` in a loop", str(faults), "0", faults < 20, details),
    ]


def page_faults(function: Callable[[], object]) -> int:
    """Return how many pages had to be made while a function ran."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    function()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def bench_threads() -> Row:
    """Compare 8 threads that submit to 8 queues with one that does the same work alone.

    The kernels are long enough that the GIL is not what is measured.
    """
    length, launches = 20_000, 200

    def work(count: int) -> None:
        queue = situ.Queue()
        a, b, out = (situ.ones(length, queue=queue) for _ in range(3))
        for _ in range(count):
            add(a, b, out)
        queue.wait()

    def alone() -> None:
        work(8 * launches)

    def together() -> None:
        threads = [threading.Thread(target=work, args=(launches,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    one, eight = best_seconds(alone, together, repeats=9)
    ratio = one / eight
    details = f"{1e3 * one:.1f} ms alone, {1e3 * eight:.1f} ms together"
    return Row("8 threads, 8 queues", f"{ratio:.2f} x one thread", "—", True, details)


def bench_chain() -> list[Row]:
    """Compare `z = z * a + b` in a loop, which makes and drops two arrays a step, with NumPy."""
    rows = []
    for length in [1000, 100_000, 1_000_000]:
        steps = 20_000_000 // length

        def run(z: situ.ndarray, steps: int = steps) -> None:
            for _ in range(steps):
                z = z * 1.0001 + 0.5
            z.queue.wait()

        def run_numpy(z: np.ndarray, steps: int = steps) -> None:
            for _ in range(steps):
                z = z * 1.0001 + 0.5

        device, host = situ.ones(length), np.ones(length)
        ours, numpys = best_seconds(
            lambda z=device, f=run: f(z), lambda z=host, f=run_numpy: f(z), repeats=5
        )
        per_step = f"{1e6 * ours / steps:.1f} µs a step, NumPy {1e6 * numpys / steps:.1f} µs"
        title = f"`z = z * a + b` of {length}"
        rows.append(Row(title, f"{numpys / ours:.2f} x NumPy", "—", True, per_step))
    return rows


def bench_async() -> Row:
    """Show that submitting does not wait: the host's share of a long kernel."""
    # A result that is given is computed at once, and does not wait for what follows.
    x, y = situ.ones(10_000_000), situ.ones(10_000_000)
    situ.sin(x, out=y).queue.wait()
    submitted = seconds(lambda: situ.sin(x, out=y))
    x.queue.wait()
    total = seconds(lambda: situ.sin(x, out=y).queue.wait())
    share = submitted / total
    details = f"{1e6 * submitted:.0f} µs of {1e3 * total:.1f} ms"
    return Row("`sin` of 10M returns after", f"{share:.1%}", "—", True, details)


def main() -> None:
    """Run every benchmark and print the table."""
    print_table(
        [
            bench_launch(),
            bench_operator(),
            *bench_dependent(),
            bench_allocation(),
            *bench_page_faults(),
            bench_threads(),
            *bench_chain(),
            bench_async(),
        ]
    )


if __name__ == "__main__":
    main()
