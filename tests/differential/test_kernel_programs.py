"""Random kernels: what the compiler makes of a text gives the numbers that Python gives to it."""

import warnings

import numpy as np
import pytest
from differential.kernel_programs import DTYPES, SIZE, compiled_from, inputs, kernel_programs
from hypothesis import HealthCheck, given, note, settings
from places import driver_devices

import situ


def simulated(kernel) -> list[np.ndarray]:
    outputs = [np.zeros(SIZE, dtype) for dtype in DTYPES]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kernel[SIZE].simulate(*inputs(), *outputs)
    return outputs


def computed(kernel, device) -> list[np.ndarray]:
    arrays = [situ.asarray(values, device=device) for values in inputs()]
    outputs = [situ.asarray(np.zeros(SIZE, dtype), device=device) for dtype in DTYPES]
    kernel[SIZE](*arrays, *outputs)
    return [output.to_numpy() for output in outputs]


def check(text: str, devices: list[str]) -> None:
    note(text)
    kernel = compiled_from(text)
    expected = simulated(kernel)
    for device in devices:
        for dtype, found, wanted in zip(DTYPES, computed(kernel, device), expected, strict=True):
            np.testing.assert_array_equal(found, wanted, f"{dtype} on {device}")


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
