"""The packages that must be there: one that is missing is not one that works.

``make test`` installs them and sets ``EXPECTED_CLIENTS``. Without the variable, tests run over
whatever packages there are.
"""

import importlib.util
import os

import pytest


def test_every_package_that_is_expected_is_there() -> None:
    for name in os.environ.get("EXPECTED_CLIENTS", "").split():
        assert importlib.util.find_spec(name) is not None, name


def test_scipy_takes_arrays_of_any_kind() -> None:
    pytest.importorskip("scipy")
    from scipy._lib._array_api import SCIPY_ARRAY_API

    assert SCIPY_ARRAY_API, "the variable was set after SciPy was imported"
