"""Random kernels: what the compiler makes of a text gives the numbers that Python gives to it."""

import warnings

import numpy as np
import pytest
from differential.kernel_programs import (
    ARGUMENTS,
    SIZE,
    compiled_from,
    inputs,
    inputs_with_odd_bools,
    kernel_programs,
)
from hypothesis import HealthCheck, given, note, settings
from places import driver_devices

import situ


def simulated(kernel) -> list[np.ndarray]:
    outputs = [np.zeros(SIZE, dtype) for dtype in ARGUMENTS]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kernel[SIZE].simulate(*inputs(), *outputs)
    return outputs


def computed(kernel, device) -> list[np.ndarray]:
    arrays = [situ.asarray(values, device=device) for values in inputs_with_odd_bools()]
    outputs = [situ.asarray(np.zeros(SIZE, dtype), device=device) for dtype in ARGUMENTS]
    kernel[SIZE](*arrays, *outputs)
    return [output.to_numpy() for output in outputs]


def check(text: str, devices: list[str]) -> None:
    note(text)
    kernel = compiled_from(text)
    expected = simulated(kernel)
    for device in devices:
        for dtype, found, wanted in zip(ARGUMENTS, computed(kernel, device), expected, strict=True):
            np.testing.assert_array_equal(found, wanted, f"{dtype} on {device}")
            if dtype == "bool":
                bytes_written = found.view(np.uint8)
                np.testing.assert_array_equal(bytes_written, wanted.view(np.uint8))


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(kernel_programs())
def test_without_a_driver(text):
    check(text, ["native", "reference"])


@pytest.mark.slow
@pytest.mark.parametrize("device", driver_devices())
def test_on_drivers(device):
    # Compilers of drivers are slow; each sees other programs.
    @settings(
        max_examples=12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
    )
    @given(kernel_programs())
    def run(text):
        check(text, [device])

    run()
