"""Prices of call and put options; the normal distribution by a polynomial."""

import numpy as np

import situ
from situ import prange

KIND = "finance"
SIZES = {"test": {"n": 20}, "bench": {"n": 200_000}}


def inputs(n):
    rng = np.random.default_rng(74)
    return rng.uniform(10, 50, n), rng.uniform(10, 50, n), rng.uniform(1, 2, n), 0.1, 0.2


def _normal(x):
    k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    poly = k * (
        0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    tail = 0.3989422804014327 * np.exp(-0.5 * x * x) * poly
    return np.where(x > 0.0, 1.0 - tail, tail)


def reference(price, strike, years, rate, volatility):
    root = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / root
    n1, n2 = _normal(d1), _normal(d1 - root)
    discounted = strike * np.exp(-rate * years)
    call = price * n1 - discounted * n2
    return call, call - price + discounted


njit = reference


def parallel(price, strike, years, rate, volatility):
    n = price.shape[0]
    call = np.empty(n)
    put = np.empty(n)
    for i in prange(n):
        root = volatility * np.sqrt(years[i])
        rates = rate + 0.5 * volatility * volatility
        d1 = (np.log(price[i] / strike[i]) + rates * years[i]) / root
        discounted = strike[i] * np.exp(-rate * years[i])
        call[i] = price[i] * _normal_of(d1) - discounted * _normal_of(d1 - root)
        put[i] = call[i] - price[i] + discounted
    return call, put


def _normal_of(x):
    k = 1.0 / (1.0 + 0.2316419 * abs(x))
    poly = k * (
        0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    tail = 0.3989422804014327 * np.exp(-0.5 * x * x) * poly
    return 1.0 - tail if x > 0.0 else tail


normal_on_device = situ.device_func(_normal_of)


@situ.kernel
def option(price, strike, years, rate, volatility, call, put):
    i = situ.get_global_id(0)
    root = volatility * np.sqrt(years[i])
    rates = rate + 0.5 * volatility * volatility
    d1 = (np.log(price[i] / strike[i]) + rates * years[i]) / root
    discounted = strike[i] * np.exp(-rate * years[i])
    call[i] = price[i] * normal_on_device(d1) - discounted * normal_on_device(d1 - root)
    put[i] = call[i] - price[i] + discounted


def kernel(price, strike, years, rate, volatility):
    call, put = situ.empty_like(price), situ.empty_like(price)
    option[price.shape](price, strike, years, rate, volatility, call, put)
    return call, put
