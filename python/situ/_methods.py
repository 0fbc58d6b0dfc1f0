"""The methods of arrays that are functions of the namespace as well.

The compiled class has what needs the interpreter's slots: operators, indices, buffers. Everything
else is a function that takes the array first, attached here, so that it is written and documented
once. A new method is a line of the table, and a line in ``_native.pyi``.
"""

from collections.abc import Mapping

from situ import _namespace
from situ._native import ndarray

__all__ = ["attach"]

_METHODS: Mapping[str, object] = {
    "__array_namespace__": _namespace.namespace_of,
}


def attach() -> None:
    """Give arrays their methods."""
    for name, method in _METHODS.items():
        setattr(ndarray, name, method)
