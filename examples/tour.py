"""A two-minute tour of situ; `make demo` runs it.

It shows the devices of this machine, an array expression, a kernel, an error that helps, and how
long things take beside NumPy. Times are the best of a few runs, and whatever this machine gives.
"""

import sys
import time

import numpy as np

import situ

SHADES = " .:-=+*#%@"


def heading(text):
    """Start a stop of the tour."""
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}")


def show_devices():
    """List what kernels can run on."""
    heading("1. Devices on this machine")
    for device in situ.devices():
        print(f"   {device.filter_string:<16} {device.name}")


def show_expression():
    """Compute with arrays; the work happens where the arrays are."""
    heading("2. An array expression runs where its arrays live")
    x = situ.asarray(np.linspace(0.0, np.pi, 7))
    y = situ.sin(x) * 2.0 + x
    print(f"   x lives on       {x.device.filter_string}, in {x.usm_type} memory")
    print(f"   sin(x) * 2 + x = {np.round(y.to_numpy(), 3)}")
    print(f"   its sum        = {float(situ.sum(y)):.6f}")
    every_second = y[::2]
    print(f"   every second   = {np.round(every_second.to_numpy(), 3)}  (a view, nothing copied)")


@situ.kernel
def mandelbrot(counts, left, top, step, limit):
    """Count how many steps each point of the plane stays near the origin."""
    row = situ.get_global_id(0)
    column = situ.get_global_id(1)
    real = left + column * step
    imag = top + row * step * 2.0
    x = 0.0
    y = 0.0
    n = 0
    while n < limit and x * x + y * y < 4.0:
        x, y = x * x - y * y + real, 2.0 * x * y + imag
        n += 1
    counts[row, column] = n


def show_kernel():
    """Run a Python function once per point of a two-dimensional range."""
    heading("3. A Python function as a kernel: 24 x 72 work-items, each with its own loop")
    counts = situ.asarray(np.zeros((24, 72), dtype=np.int64))
    mandelbrot[counts.shape](counts, -2.1, -0.97, 0.042, 90)
    for row in counts.to_numpy():
        print("   " + "".join(SHADES[min(int(n) // 9, 9)] for n in row))


@situ.kernel
def mean(values, count):
    """Ask for something a kernel cannot do, to see what situ says."""
    total = 0.0
    for i in range(count):
        total += values[i]
    return total / count


def show_error():
    """Make a mistake on purpose."""
    heading("4. A mistake, and what situ says about it")
    try:
        mean(situ.asarray(np.ones(8)), 8)
    except situ.KernelError as error:
        print("\n".join("   " + line for line in str(error).splitlines()))


@situ.kernel
def multiply_add(a, b, c, out):
    """Do in one pass what an expression does in two."""
    i = situ.get_global_id(0)
    out[i] = a[i] * b[i] + c[i]


def best_time(function, *arguments, repeats=7):
    """Return the shortest of `repeats` runs in milliseconds; the first one warms up."""
    function(*arguments)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function(*arguments)
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def show_times():
    """Compare with NumPy on ten million numbers."""
    heading("5. Ten million float64, best of seven runs")
    rng = np.random.default_rng(0)
    host = [rng.random(10_000_000) for _ in range(3)]
    a, b, c = (situ.asarray(values) for values in host)
    out = situ.asarray(np.empty_like(host[0]))

    def situ_sin():
        result = situ.sin(a)  # what nobody keeps is not computed
        result.queue.wait()

    def situ_multiply_add():
        multiply_add(a, b, c, out)
        out.queue.wait()

    rows = [
        ("sin(a)", best_time(np.sin, host[0]), best_time(situ_sin)),
        (
            "a * b + c",
            best_time(lambda: host[0] * host[1] + host[2]),
            best_time(situ_multiply_add),
        ),
    ]
    print(f"   {'':<12}{'NumPy':>10}{'situ':>10}{'faster':>10}")
    for name, numpy_ms, situ_ms in rows:
        print(f"   {name:<12}{numpy_ms:>7.1f} ms{situ_ms:>7.1f} ms{numpy_ms / situ_ms:>9.1f}x")


def main():
    """Take the tour from start to end."""
    print(f"situ {situ.__version__}: compute where your data lives")
    show_devices()
    show_expression()
    show_kernel()
    show_error()
    show_times()
    if "--quick-build" in sys.argv[1:]:
        print(
            "   (The quick build. In the wheel and `make build`, small calls take 20 % less time.)"
        )
    print("\nNext: README.md for the idea, docs/architecture.md for the house, examples/ for more.")


if __name__ == "__main__":
    main()
