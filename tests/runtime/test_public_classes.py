"""Every public class says where it is, so that it can be pickled, documented and found."""

import importlib
import pickle

import pytest

import situ

MODULES = [
    *("situ", "situ._native", "situ.exceptions", "situ.memory", "situ.kernel_api"),
    *("situ.fft", "situ.linalg", "situ.random", "situ.testing"),
]


def public_classes():
    """Return every class in the public modules."""
    found = {}
    for name in MODULES:
        for value in vars(importlib.import_module(name)).values():
            if isinstance(value, type) and "situ" in str(value.__module__):
                found[value.__qualname__] = value
    return sorted(found.values(), key=lambda kind: kind.__qualname__)


@situ.kernel
def shift(x):
    """Add one."""
    i = situ.get_global_id(0)
    x[i] = x[i] + 1


@situ.device_func
def twice(x):
    """Double."""
    return 2 * x


@situ.njit
def total(x):
    """Add up."""
    return x.sum()


@pytest.mark.parametrize("kind", public_classes(), ids=lambda kind: kind.__qualname__)
def test_classes_are_where_they_say(kind):
    for attribute in ("__module__", "__name__", "__qualname__", "__doc__"):
        assert isinstance(getattr(kind, attribute), str), attribute
    assert getattr(importlib.import_module(kind.__module__), kind.__qualname__) is kind
    assert pickle.loads(pickle.dumps(kind)) is kind


@pytest.mark.parametrize("made", [shift, twice, total], ids=lambda made: made.__name__)
def test_functions_keep_the_module_and_docstring_of_what_they_wrap(made):
    assert made.__module__ == __name__
    assert made.__qualname__ == made.__name__
    assert made.__doc__ == made.__wrapped__.__doc__
    assert type(made).__module__ == "situ"
    assert type(made).__doc__ != made.__doc__
