"""What `import situ` loads: counted, because times depend on the machine."""

import json
import subprocess
import sys

import pytest

import situ
from situ import _public_names

# A module costs a third of a millisecond at least. NumPy's own modules do not count.
MOST_MODULES = 20

COUNT = """
import json, sys
import numpy
before = set(sys.modules)
import situ
print(json.dumps(sorted(set(sys.modules) - before)))
"""


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    run = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, check=True, text=True)
    return set(json.loads(run.stdout))


def test_importing_loads_few_modules(loaded) -> None:
    assert "situ._native" in loaded
    assert len(loaded) <= MOST_MODULES, loaded


def test_importing_loads_nothing_that_is_slow(loaded) -> None:
    slow = {"dataclasses", "importlib.abc", "importlib.metadata", "numba", "tempfile", "threading"}
    assert not loaded & slow


def test_every_public_name_loads() -> None:
    missing = [name for name in situ.__all__ if not hasattr(situ, name)]
    assert missing == []
    assert set(dir(situ)) >= {*situ.__all__, *_public_names.REACHABLE_SUBMODULES}


@pytest.mark.parametrize("name", [*_public_names.SUBMODULES, *_public_names.REACHABLE_SUBMODULES])
def test_submodules_need_no_import_of_their_own(name) -> None:
    code = f"import situ; print(situ.{name}.__name__)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert run.stdout.strip() == f"situ.{name}"


def test_unknown_names_are_attribute_errors_with_a_suggestion() -> None:
    code = "import situ; situ.asaray"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)
    assert "module 'situ' has no attribute 'asaray'" in run.stderr
    assert "Did you mean: 'asarray'?" in run.stderr
    assert not hasattr(situ, "_no_such_module")


def test_methods_of_arrays_load_when_they_are_used() -> None:
    code = """
import numpy as np
import situ
x = situ.ones(3)
held = vars(situ.ndarray)["sum"]
assert type(held).__name__ == "_LazyMethod"
assert held(x) == 3.0
assert vars(situ.ndarray)["sum"] is situ.sum is situ.ndarray.sum
assert [float(v) for v in x] == [1.0, 1.0, 1.0]
assert 1.0 in x
assert isinstance(np.sin(x), situ.ndarray)
assert isinstance(np.concatenate([x, x]), situ.ndarray)
assert f"{x.mean():.1f}" == "1.0"
"""
    subprocess.run([sys.executable, "-c", code], check=True)
