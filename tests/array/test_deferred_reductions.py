"""Reductions of what waits: it is not written for them, which nobody can tell but by the clock."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import situ
from situ.testing import deferral

EXPRESSIONS: dict[str, Callable[..., Any]] = {
    "one array": lambda xp, a, b: a * 2 - 1,
    "two arrays": lambda xp, a, b: (a - b) ** 2,
    "truths": lambda xp, a, b: a > b,
    "not a number": lambda xp, a, b: xp.where(a > b, a * xp.nan, b),
    "nothing but zeros": lambda xp, a, b: a - a,
    "functions": lambda xp, a, b: xp.exp(a) + xp.sin(b),
    "stretched": lambda xp, a, b: a + b[..., :1],
    "turned": lambda xp, a, b: a[::-1] + b,
    "whole numbers": lambda xp, a, b: xp.floor(a * 100).astype(np.int16) % 7,
}

REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": lambda xp, x, **over: xp.sum(x, **over),
    "sum in float32": lambda xp, x, **over: xp.sum(x, dtype=np.float32, **over),
    "prod": lambda xp, x, **over: xp.prod(x / 2, **over),
    "mean": lambda xp, x, **over: xp.mean(x, **over),
    "max": lambda xp, x, **over: xp.max(x, **over),
    "min": lambda xp, x, **over: xp.min(x, **over),
    "any": lambda xp, x, **over: xp.any(x, **over),
    "all": lambda xp, x, **over: xp.all(x, **over),
    "count": lambda xp, x, **over: xp.count_nonzero(x, **over),
    "nansum": lambda xp, x, **over: xp.nansum(x, **over),
    "nanmax": lambda xp, x, **over: xp.nanmax(x, **over),
    "std": lambda xp, x, **over: xp.std(x, **over),
}


@pytest.fixture(params=[True, False, None], ids=["joined", "one by one", "where it pays"])
def waiting(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let every elementwise function wait, and join reductions to them or not."""
    with deferral(1, fuses=request.param):
        yield


def host(seed: int, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).uniform(1.0, 2.0, shape)


def check(expression: str, reduction: str, device: situ.Device | None, *layouts: Any) -> None:
    """Compare what is joined with one call after the other, and with NumPy."""
    make, reduce = EXPRESSIONS[expression], REDUCTIONS[reduction]
    for shape, over in layouts:
        x, y = host(1, shape), host(2, shape)
        a, b = situ.asarray(x, device=device), situ.asarray(y, device=device)
        with deferral(1, fuses=True):
            found = reduce(situ, make(situ, a, b), **over)
        with deferral(None):
            eager = reduce(situ, make(situ, a, b), **over)
        assert (found.dtype, found.shape) == (eager.dtype, eager.shape)
        assert np.array_equal(found.to_numpy(), eager.to_numpy(), equal_nan=True), (shape, over)
        with np.errstate(all="ignore"):
            expected = reduce(np, make(np, x, y), **over)
        np.testing.assert_allclose(found.to_numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_results_are_those_of_one_call_after_the_other(expression: str, reduction: str) -> None:
    layouts = [
        ((70, 90), {}),
        ((70, 90), {"axis": 0}),
        ((70, 90), {"axis": 1, "keepdims": True}),
        ((3, 50, 40), {"axis": (0, 2)}),
        ((5000,), {}),
    ]
    check(expression, reduction, None, *layouts)


@pytest.mark.parametrize("reduction", ["sum", "mean", "max", "any"])
@pytest.mark.parametrize("expression", ["two arrays", "truths"])
def test_every_device_gives_them(expression: str, reduction: str, device: situ.Device) -> None:
    if not device.has_aspect_fp64:
        pytest.skip("the comparison is in double precision")
    check(expression, reduction, device, ((40, 60), {}), ((40, 60), {"axis": 0}))


@pytest.mark.usefixtures("waiting")
def test_what_was_reduced_can_be_used_afterwards() -> None:
    x = host(3, (300,))
    a = situ.asarray(x)
    squares = (a - 1.5) ** 2
    total = squares.sum()
    largest, mean = squares.max(), squares.mean()
    rest = squares / total
    expected = (x - 1.5) ** 2
    assert float(total) == pytest.approx(expected.sum())
    assert float(largest) == expected.max()
    assert float(mean) == pytest.approx(expected.mean())
    np.testing.assert_allclose(rest.to_numpy(), expected / expected.sum())
    np.testing.assert_array_equal(squares.to_numpy(), expected)


@pytest.mark.usefixtures("waiting")
def test_what_is_read_is_read_before_it_is_written() -> None:
    x = host(4, (300,))
    a = situ.asarray(x)
    doubled = a * 2
    before = doubled.sum()
    a[...] = 0.0
    assert float(before) == pytest.approx(2 * x.sum())
    assert float(doubled.sum()) == pytest.approx(2 * x.sum())
    assert float((a * 2).sum()) == 0.0


@pytest.mark.usefixtures("waiting")
def test_mistakes_are_told_as_always() -> None:
    a = situ.asarray(host(5, (4, 5)))
    with pytest.raises(IndexError, match="axis"):
        (a + 1).sum(axis=2)
    with pytest.raises(ValueError, match="no elements"):
        situ.max(a[:0] + 1)
    assert float(situ.sum(a[:0] + 1)) == 0.0


def test_only_the_reduction_is_launched() -> None:
    """What has no name is never in memory; what has one is written when it is needed once more."""
    program = """
import numpy as np, situ
from situ.testing import deferral
x, y = (situ.asarray(np.full(1 << 20, n, "float64")) for n in (2, 3))
x.queue.wait()
with deferral(1, fuses=True):
    for _ in range(2):
        print("begin", flush=True)
        assert float(situ.sum((x - y) ** 2)) == 1 << 20
        print("end", flush=True)
    print("begin", flush=True)
    named = x - y
    assert float(named.max()) == float(named.min()) == -1.0
    print("end", flush=True)
"""
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "SITU_TRACE": "launch", "SITU_OPENCL": "off"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True,
    )  # fmt: skip
    rounds = [part.split("end")[0] for part in run.stdout.split("begin")[1:]]
    launches = [[line for line in one.splitlines() if "launch" in line] for one in rounds]
    over_elements = [
        [line for line in one if "[1048576]" in line or "subtract" in line] for one in launches
    ]
    assert [len(one) for one in over_elements] == [0, 0, 1], run.stdout
