"""Prices of options by the formula of Black and Scholes: in a kernel, and as array expressions."""

import math

import dpctl
import dpnp
import numba_dpex as ndpx
import numpy as np
from numba_dpex import kernel_api as kapi

RATE = 0.1
VOLATILITY = 0.2


@ndpx.kernel
def black_scholes(item: kapi.Item, price, strike, time, call, put):
    i = item.get_id(0)
    spread = VOLATILITY * math.sqrt(time[i])
    d1 = (math.log(price[i] / strike[i]) + (RATE + VOLATILITY**2 / 2) * time[i]) / spread
    d2 = d1 - spread
    discounted = strike[i] * math.exp(-RATE * time[i])
    n1 = 0.5 + 0.5 * math.erf(d1 / math.sqrt(2.0))
    n2 = 0.5 + 0.5 * math.erf(d2 / math.sqrt(2.0))
    call[i] = price[i] * n1 - discounted * n2
    put[i] = call[i] - price[i] + discounted


@ndpx.dpjit
def parity(price, strike, time, call):
    """Return what puts cost, by the parity of puts and calls."""
    return call - price + strike * dpnp.exp(-RATE * time)


def expected_calls(price, strike, time):
    """Return the prices of calls by NumPy."""
    spread = VOLATILITY * np.sqrt(time)
    d1 = (np.log(price / strike) + (RATE + VOLATILITY**2 / 2) * time) / spread
    normal = np.vectorize(lambda x: 0.5 + 0.5 * math.erf(x / math.sqrt(2.0)))
    return price * normal(d1) - strike * np.exp(-RATE * time) * normal(d1 - spread)


def main() -> None:
    """Price options on the default device, and compare with NumPy."""
    n = 2000
    device = dpctl.select_default_device()
    dpnp.random.seed(42)
    price = dpnp.random.uniform(10.0, 50.0, n, device=device)
    strike = dpnp.random.uniform(10.0, 50.0, size=n, device=device)
    time = dpnp.random.uniform(1.0, 2.0, size=n, device=device)
    call, put = dpnp.empty(n, device=device), dpnp.empty(n, device=device)

    ndpx.call_kernel(black_scholes, ndpx.Range(n), price, strike, time, call, put)

    expected = expected_calls(price.asnumpy(), strike.asnumpy(), time.asnumpy())
    np.testing.assert_allclose(call.asnumpy(), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        parity(price, strike, time, call).asnumpy(), put.asnumpy(), rtol=1e-9, atol=1e-9
    )
    print(f"{n} options; a call costs {float(dpnp.mean(call)):.2f} on average")


if __name__ == "__main__":
    main()
