"""Results that are written past the cache, by processes that write all of them so."""

import os
import subprocess
import sys

PROGRAM = """
import numpy as np
import situ


def results(xp, x):
    # With arrays, numbers, gaps, itself as the result, and one call after the other.
    half = x.size // 2
    out = xp.empty_like(x)
    xp.multiply(x, x, out=out)
    in_place = x.copy()
    in_place += x
    view = xp.zeros(x.size + 3, dtype=x.dtype)[3:]
    view[...] = x
    return {
        "sum": x + x,
        "number": x - 1,
        "gaps": x[::2] + x[::2],
        "comparison": x == 7,
        "chain": xp.sqrt(x * x + x),
        "out": out,
        "in place": in_place,
        "view": view,
        "shared": x[:half] + x[half : 2 * half],
        "cast": xp.astype(x, xp.complex64),
        # What was written is there for whoever reads it next.
        "read again": (x + x).sum(),
    }


rng = np.random.default_rng(7)
# Lengths around the vectors and lines that such stores are made of, and more than one chunk.
for length in (1, 15, 64, 65, 1000, 4097, 300_001):
    for dtype in ("float64", "float32", "complex128", "int8", "uint16", "int64"):
        unit = 1 + 1j if dtype == "complex128" else 1
        host = (rng.integers(1, 11, length) * unit).astype(dtype)
        found, expected = results(situ, situ.asarray(host)), results(np, host)
        for name, want in expected.items():
            got = found[name].to_numpy()
            assert got.dtype == want.dtype, (name, length, dtype, got.dtype)
            # Small whole numbers are exact; roots are not.
            is_exact = name != "chain"
            same = np.array_equal(got, want) if is_exact else np.allclose(got, want, rtol=1e-3)
            assert same, (name, length, dtype)
print("all agree")
"""


def _run(size: str, eager: str) -> str:
    environment = os.environ | {"SITU_STREAM": size, "SITU_EAGER": eager}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment
    )
    return done.stdout + done.stderr


def test_results_are_numpys() -> None:
    """Whether functions wait for those that follow them or not."""
    assert _run("1", "0") == "all agree\n"
    assert _run("1", "1") == "all agree\n"


def test_a_size_that_is_none_is_reported() -> None:
    """The warning says what the variable takes."""
    assert "SITU_STREAM" in _run("much", "0")
    assert "auto, never, or a number of bytes" in _run("much", "0")
