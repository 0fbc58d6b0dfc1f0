"""What a new user does first; run by test_wheel.py inside an environment with the wheel only."""

import numpy as np

import situ


@situ.kernel
def multiply_add(a, b, out):
    """Do `out = a * b + a`."""
    i = situ.get_global_id(0)
    out[i] = a[i] * b[i] + a[i]


def main() -> None:
    """Compile and run a kernel and an expression, and say so."""
    assert situ.__version__.count(".") == 2, situ.__version__
    a = np.arange(1000.0)
    b = np.linspace(-1.0, 1.0, 1000)
    out = situ.asarray(np.zeros(1000))
    multiply_add(situ.asarray(a), situ.asarray(b), out)
    np.testing.assert_array_equal(out.to_numpy(), a * b + a)
    np.testing.assert_allclose(situ.sin(situ.asarray(a)).to_numpy(), np.sin(a), rtol=1e-15)
    print("first steps: ok")


if __name__ == "__main__":
    main()
