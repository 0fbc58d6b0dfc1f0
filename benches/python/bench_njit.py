"""Measures njit functions against Numba, on the same functions in the same run.

Fused expressions against `numba.njit(parallel=True)`, loops of the host against `numba.njit`, and
what a call and a first call cost. `benches/README.md` says what the lines answer. It asserts
nothing: a slow machine is not a bug.
"""

import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from report import Row, best_seconds, print_table, race_apart, seconds

import situ

SIZE = 4_000_000


def chain(a, b, c, d):
    return a * b + c - d


def black_scholes(price, strike, years, rate, volatility):
    root = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / root
    d2 = d1 - root
    n1 = 1.0 / (1.0 + np.exp(-1.702 * d1))
    n2 = 1.0 / (1.0 + np.exp(-1.702 * d2))
    return price * n1 - strike * np.exp(-rate * years) * n2


def softmax(x):
    e = np.exp(x - np.max(x, axis=1)[:, None])
    return e / np.sum(e, axis=1)[:, None]


def softmax_for_numba(x):
    out = np.empty_like(x)
    for i in numba.prange(x.shape[0]):
        row = np.exp(x[i] - np.max(x[i]))
        out[i] = row / np.sum(row)
    return out


def distance(x, y):
    return np.sqrt(np.sum((x - y) ** 2))


def collatz(limit):
    longest = 0
    for start in range(1, limit):
        n = start
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        longest = max(longest, steps)
    return longest


def newton(count):
    total = 0.0
    for i in range(count):
        target = 1.0 + i
        x = target
        for _ in range(20):
            x = 0.5 * (x + target / x)
        total += x
    return total


def integer_work(count):
    state = 1
    for i in range(count):
        state = (state * 1103515245 + 12345 + i) & 0x7FFFFFFF
    return state


def three_arrays(a, b, c):
    return a * b + c


def finished(function: Callable[..., Any], arguments: Sequence[object]) -> None:
    """Call a function, and wait for what it gives."""
    value = function(*arguments)
    if isinstance(value, situ.ndarray):
        value.queue.wait()


def fused_cases() -> list[tuple[str, Callable[..., Any], Callable[..., Any], tuple[Any, ...]]]:
    generator = np.random.default_rng(0)
    arrays = [generator.uniform(0.5, 2.0, SIZE) for _ in range(4)]
    matrix = generator.uniform(0.5, 2.0, (2000, 2000))
    return [
        ("`a*b+c-d`", chain, chain, tuple(arrays)),
        ("Black-Scholes", black_scholes, black_scholes, (*arrays[:3], 0.05, 0.2)),
        ("softmax over rows", softmax, softmax_for_numba, (matrix,)),
        ("`sqrt(sum((x-y)**2))`", distance, distance, tuple(arrays[:2])),
    ]


def main() -> None:
    """Print the table."""
    global numba
    import numba

    rows = []
    ratios = []
    for name, ours, theirs, host in fused_cases():
        mine = situ.njit(ours)
        other = numba.njit(parallel=True)(theirs)
        arguments = [situ.asarray(x) if isinstance(x, np.ndarray) else x for x in host]
        calls = partial(finished, mine, arguments), partial(other, *host)
        situ_seconds, numba_seconds = race_apart(*calls, 20)
        ratio = numba_seconds / situ_seconds
        ratios.append(ratio)
        details = f"{situ_seconds * 1e3:.2f} ms, Numba {numba_seconds * 1e3:.2f} ms"
        rows.append(ratio_row(name, ratio, 1.0, details))
    rows.append(ratio_row("geometric mean", statistics.geometric_mean(ratios), 1.5, "of the above"))
    rows.extend(share_rows())
    for name, function, argument in [
        ("Collatz, 300k starts", collatz, 300_000),
        ("Newton, 1M roots", newton, 1_000_000),
        ("integer work, 10^8 rounds", integer_work, 100_000_000),
    ]:
        mine, other = situ.njit(function), numba.njit(function)
        calls = partial(mine, argument), partial(other, argument)
        situ_seconds, numba_seconds = best_seconds(*calls, repeats=3)
        details = f"{situ_seconds * 1e3:.1f} ms, Numba {numba_seconds * 1e3:.1f} ms"
        rows.append(ratio_row(name, numba_seconds / situ_seconds, 0.9, details))
    rows.extend(overhead_rows())
    print_table(rows)


@situ.kernel
def chain_kernel(a, b, c, d, out):
    """Do what `chain` does, written by hand."""
    i = situ.get_global_id(0)
    out[i] = a[i] * b[i] + c[i] - d[i]


@situ.kernel
def black_scholes_kernel(price, strike, years, rate, volatility, out):
    """Do what `black_scholes` does, written by hand."""
    i = situ.get_global_id(0)
    root = volatility * math.sqrt(years[i])
    d1 = (math.log(price[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / root
    d2 = d1 - root
    n1 = 1.0 / (1.0 + math.exp(-1.702 * d1))
    n2 = 1.0 / (1.0 + math.exp(-1.702 * d2))
    out[i] = price[i] * n1 - strike[i] * math.exp(-rate * years[i]) * n2


def with_result(kernel: Callable[..., object], arguments: Sequence[object]) -> None:
    """Call a kernel with a new array for its result, and wait for it."""
    out = situ.empty_like(arguments[0])
    kernel(*arguments, out)
    out.queue.wait()


def share_rows() -> list[Row]:
    """Return how much of the speed of kernels written by hand functions reach."""
    by_hand = {chain: chain_kernel, black_scholes: black_scholes_kernel}
    rows = []
    for name, function, _, host in fused_cases():
        if function not in by_hand:
            continue
        arguments = [situ.asarray(x) if isinstance(x, np.ndarray) else x for x in host]
        ranged = by_hand[function][SIZE]

        calls = (
            partial(finished, situ.njit(function), arguments),
            partial(with_result, ranged, arguments),
        )
        own_seconds, kernel_seconds = best_seconds(*calls, repeats=40)
        share = kernel_seconds / own_seconds
        details = f"{own_seconds * 1e3:.2f} ms, kernel {kernel_seconds * 1e3:.2f} ms"
        measured = f"{100 * share:.0f} %"
        rows.append(Row(f"{name} of a kernel", measured, "≥ 90 %", share >= 0.9, details))
    return rows


def overhead_rows() -> list[Row]:
    """Return what a call costs, and a first call."""
    small = [situ.ones(10) for _ in range(3)]
    function = situ.njit(three_arrays)
    calls = 1000

    def many() -> None:
        for _ in range(calls):
            function(*small)

    many()
    call = min(seconds(many) for _ in range(7)) / calls
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = first_call(cache), first_call(cache)
    return [
        cost_row("call with 3 arrays", call * 1e6, "µs", 10, "`a*b+c` of 10 elements"),
        cost_row("first call of Black-Scholes", cold * 1e3, "ms", 150, "of a process, empty cache"),
        cost_row("first call, from disk", warm * 1e3, "ms", 5, "of the next process"),
    ]


def ratio_row(name: str, ratio: float, bar: float, details: str) -> Row:
    """Return a line about how much faster than Numba something is."""
    return Row(name, f"{ratio:.2f} x Numba", f"≥ {bar} x", ratio >= bar, details)


def cost_row(name: str, cost: float, unit: str, bar: float, details: str) -> Row:
    """Return a line about what something costs."""
    return Row(name, f"{cost:.2f} {unit}", f"≤ {bar} {unit}", cost <= bar, details)


def first_call(cache: str) -> float:
    """Return the seconds of the first call of Black-Scholes in a new process."""
    environment = {**os.environ, "SITU_CACHE_DIR": cache}
    command = [sys.executable, __file__, "--first-call"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(run.stdout)


def print_first_call() -> None:
    """Print the seconds of the first call of Black-Scholes in this process."""
    generator = np.random.default_rng(0)
    arrays = [situ.asarray(generator.uniform(0.5, 2.0, 1000)) for _ in range(3)]
    function = situ.njit(black_scholes)
    print(seconds(lambda: finished(function, [*arrays, 0.05, 0.2])))


if __name__ == "__main__":
    if "--first-call" in sys.argv:
        print_first_call()
    else:
        main()
