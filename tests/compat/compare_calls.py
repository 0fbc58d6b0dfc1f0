"""Run by a test with ``python -m situ.compat``: prints which calls of dpnp disagree with NumPy."""

import io
import json
import math
import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from calls import CALLS, inputs


def on_host(value: object) -> object:
    """Return arrays of a device, and those in tuples and lists, as NumPy's."""
    if hasattr(value, "asnumpy"):
        return value.asnumpy()
    if isinstance(value, tuple | list):
        return [on_host(one) for one in value]
    return value


def evaluate(expression: str, xp: object, arrays: dict[str, object]) -> object:
    """Return the value of an expression."""
    names = {"xp": xp, "np": np, "math": math, "io": io, "h": inputs()["h"]}
    return on_host(eval(expression, arrays | names))


def agree(found: object, expected: object) -> bool:
    """Whether two values are the same up to rounding."""
    if isinstance(expected, list):
        same_length = isinstance(found, list) and len(found) == len(expected)
        return same_length and all(agree(*pair) for pair in zip(found, expected, strict=True))
    if expected is None or isinstance(expected, str | bytes | np.dtype):
        return found == expected
    found, expected = np.asarray(found), np.asarray(expected)
    return found.shape == expected.shape and np.allclose(
        found, expected, rtol=1e-6, atol=1e-9, equal_nan=True
    )


def main() -> None:
    """Compare every call."""
    import dpnp

    warnings.simplefilter("ignore", DeprecationWarning)
    host = inputs()
    device = {name: dpnp.asarray(value) for name, value in host.items()}
    problems = {}
    for call in CALLS:
        own, other = call if isinstance(call, tuple) else (call, call)
        try:
            found = evaluate(own, dpnp, device)
            expected = evaluate(other, np, host)
            if not agree(found, expected):
                problems[own] = f"{found!r} is not {expected!r}"
        except Exception as error:
            problems[own] = f"{type(error).__name__}: {error}"
    print(json.dumps(problems))


if __name__ == "__main__":
    main()
