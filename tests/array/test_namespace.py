"""What the array namespace says about itself."""

import math

import pytest

import situ
from situ.testing import virtual_devices

INFO = situ.__array_namespace_info__()


def test_version_and_constants() -> None:
    assert situ.__array_api_version__ == "2025.12"
    assert (situ.e, situ.pi, situ.inf) == (math.e, math.pi, math.inf)
    assert math.isnan(situ.nan)
    assert situ.newaxis is None


def test_arrays_know_their_namespace() -> None:
    x = situ.ones(2)
    assert x.__array_namespace__() is situ
    assert x.__array_namespace__(api_version="2022.12") is situ
    assert x.__array_namespace__(api_version=situ.__array_api_version__) is situ


def test_unknown_versions_are_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'2031.12'(?s:.*)2021.12, .*2025.12"):
        situ.ones(2).__array_namespace__(api_version="2031.12")


def test_capabilities() -> None:
    assert INFO.capabilities() == {
        "boolean indexing": True,
        "data-dependent shapes": True,
        "max dimensions": 64,
    }


def test_default_device_follows_the_default_queue() -> None:
    assert INFO.default_device() == situ.ones(1).device
    with situ.current("reference"):
        assert INFO.default_device() == situ.Device("reference") == situ.ones(1).device


def test_devices_are_those_of_situ() -> None:
    assert INFO.devices() == tuple(situ.devices())


def test_default_dtypes_follow_the_device() -> None:
    assert INFO.default_dtypes() == {
        "real floating": situ.float64,
        "complex floating": situ.complex128,
        "integral": situ.int64,
        "indexing": situ.int64,
    }
    with virtual_devices("gpu", without=["fp64"]) as (device,):
        there = INFO.default_dtypes(device=device)
        assert there["real floating"] == situ.ones(1, device=device).dtype == situ.float32
        assert there["complex floating"] == situ.complex64
        assert "float64" not in INFO.dtypes(device=device)
        assert "complex64" in INFO.dtypes(device=device)


def test_dtypes_by_kind() -> None:
    assert set(INFO.dtypes(kind="bool")) == {"bool"}
    assert set(INFO.dtypes(kind=("real floating", "complex floating"))) == {
        "float32",
        "float64",
        "complex64",
        "complex128",
    }
    assert len(INFO.dtypes()) == 13
    assert INFO.dtypes(kind="integral")["int8"] == situ.int8
    with pytest.raises(ValueError, match='"integral"'):
        INFO.dtypes(kind="integer")
