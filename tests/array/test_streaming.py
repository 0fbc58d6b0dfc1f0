"""Results that are written past the cache, by processes that write all of them so."""

import os
import subprocess
import sys

PROGRAM = """
import numpy as np
import situ

rng = np.random.default_rng(7)
# Lengths around the vectors and lines that such stores are made of, and more than one chunk.
for length in (1, 15, 64, 65, 1000, 4097, 300_001):
    for dtype in ("float64", "float32", "complex128", "int8", "uint16", "int64"):
        unit = 1 + 1j if dtype == "complex128" else 1
        host = (rng.integers(1, 11, length) * unit).astype(dtype)
        x = situ.asarray(host)
        # Each with arrays, numbers, gaps, itself as the result, and one call after the other.
        out = situ.empty_like(x)
        situ.multiply(x, x, out=out)
        in_place = x.copy()
        in_place += x
        view = situ.zeros(length + 3, dtype=dtype)[3:]
        view[...] = x
        found = {
            "sum": x + x,
            "number": x - 1,
            "gaps": x[::2] + x[::2],
            "comparison": x > 7 if dtype != "complex128" else x == 7,
            "chain": situ.sqrt(x * x + x),
            "out": out,
            "in place": in_place,
            "view": view,
            "shared": situ.add(x[: length // 2], x[-(length // 2) :]) if length > 1 else x,
            "cast": situ.astype(x, "complex64"),
        }
        half = length // 2
        expected = {
            "sum": host + host,
            "number": host - 1,
            "gaps": host[::2] + host[::2],
            "comparison": host > 7 if dtype != "complex128" else host == 7,
            "chain": np.sqrt(host * host + host),
            "out": host * host,
            "in place": host + host,
            "view": host,
            "shared": host[:half] + host[-half:] if length > 1 else host,
            "cast": host.astype("complex64"),
        }
        for name, want in expected.items():
            got = found[name].to_numpy()
            assert got.dtype == want.dtype, (name, length, dtype, got.dtype)
            exact = name not in ("chain",)
            same = np.array_equal(got, want) if exact else np.allclose(got, want, rtol=1e-3)
            assert same, (name, length, dtype)
        # What was written is there for whoever reads it next.
        assert complex((x + x).sum()) == complex((host + host).sum()), (length, dtype)
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
