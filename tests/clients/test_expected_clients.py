"""The packages that must be there: one that is missing is not one that works.

``make test`` installs them and sets ``EXPECTED_CLIENTS``. Without the variable, tests run over
whatever packages there are.
"""

import importlib
import os

import pytest


def test_every_package_that_is_expected_is_there() -> None:
    for name in os.environ.get("EXPECTED_CLIENTS", "").split():
        importlib.import_module(name)


def test_scipy_takes_arrays_of_any_kind() -> None:
    pytest.importorskip("scipy")
    from scipy._lib._array_api import SCIPY_ARRAY_API

    assert SCIPY_ARRAY_API, "the variable was set after SciPy was imported"
