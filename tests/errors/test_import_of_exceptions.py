"""Exceptions are raised on behalf of any code, however bare its globals are."""

import types

import pytest

import situ


def _refused() -> None:
    situ.asarray([True]) - situ.asarray([True])


def test_globals_without_builtins() -> None:
    """Python imports nothing for such code, so the exceptions have to be there."""
    bare = types.FunctionType(_refused.__code__, {"situ": situ})
    with pytest.raises(situ.exceptions.DTypeError):
        bare()
