"""Exceptions that travel between processes: pickles, copies, and the ways of dask and tblib."""

import copy
import pickle

import pytest

import situ
from situ import exceptions

CLASSES = [
    found
    for found in vars(exceptions).values()
    if isinstance(found, type) and issubclass(found, BaseException)
]


def numba_errors():
    """Return errors of the classes that exist only together with Numba."""
    pytest.importorskip("numba")
    from situ._numba import numba_error

    plain = [
        kind("bad\n  help: good") for kind in CLASSES if issubclass(kind, exceptions.KernelError)
    ]
    return [numba_error(error) for error in plain]


@pytest.mark.parametrize("kind", CLASSES)
def test_every_class_can_be_made_without_calling_it(kind):
    assert type(kind.__new__(kind)) is kind
    assert kind.__new__(kind, "bad", 3).args == ("bad", 3)
    # tblib: make it, then fill in what it had.
    error = kind.__new__(kind)
    error.args = ("bad",)
    error.__dict__.update({"note": 1})
    assert (str(error), error.note) == ("bad", 1)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_message_and_fields_survive(kind, protocol):
    error = kind("bad\n  why:  it is", 7)
    error.add_note("seen in a worker")
    error.detail = {"axis": 1}
    for other in (
        pickle.loads(pickle.dumps(error, protocol)),
        copy.copy(error),
        copy.deepcopy(error),
    ):
        assert type(other) is kind
        assert (other.args, other.__dict__) == (error.args, error.__dict__)
        assert str(other) == str(error)


def test_out_of_memory_keeps_both_bases():
    assert issubclass(situ.OutOfMemoryError, situ.SituError)
    assert issubclass(situ.OutOfMemoryError, MemoryError)
    with pytest.raises(situ.OutOfMemoryError) as caught:
        situ.empty(2**50, dtype="float64")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)


def test_errors_of_numba_survive():
    for error in numba_errors():
        assert type(type(error).__new__(type(error))) is type(error)
        for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
            assert type(other) is type(error)
            assert str(other) == str(error)
