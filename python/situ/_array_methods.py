"""The methods of arrays that are written in Python, loaded on first use.

The compiled class has what needs speed or the interpreter's own slots: operators, indices,
buffers. The rest are functions that take the array first, so that each is written and documented
once. A new method is a word of this table, and a line in ``_native.pyi``.
"""

from importlib import import_module
from typing import Any

from situ import _native

__all__ = ["attach"]

# Functions of the namespace that are methods of the same name.
_FUNCTIONS = {
    "situ._dtypes": "astype",
    "situ._elementwise": "clip conj conjugate",
    "situ._indexing": "put take",
    "situ._linear_algebra": "diagonal trace",
    "situ._manipulation": "ravel repeat squeeze swapaxes",
    "situ._numbers": "round",
    "situ._searching": "argmax argmin nonzero",
    "situ._sorting": "argsort",
    "situ._statistical": "all any cumprod cumsum max mean min prod std sum var",
    "situ._methods": (
        "copy_to dot fill flatten item reshape searchsorted sort tobytes tofile tolist transpose"
    ),
}

# Methods that their module calls differently.
_RENAMED = {
    "__array_function__": ("situ._numpy_protocols", "array_function"),
    "__array_namespace__": ("situ._namespace", "namespace_of"),
    "__array_ufunc__": ("situ._numpy_protocols", "array_ufunc"),
    "__contains__": ("situ._methods", "contains"),
    "__format__": ("situ._methods", "format_array"),
    "__iter__": ("situ._methods", "iterate"),
    "__repr__": ("situ._display", "array_repr"),
    "__str__": ("situ._display", "array_str"),
    "_repr_html_": ("situ._display", "array_html"),
}

# More than that of NumPy's arrays (0), less than that of arrays of arrays, such as dask's (11).
# NumPy does not ask for it where there is `__array_ufunc__`, but other libraries do, to find out
# whose function to call.
_ARRAY_PRIORITY = 10.0


class _LazyMethod:
    """Stands for a method until it is first used, then puts the function in its place."""

    def __init__(self, name: str, module: str, attribute: str) -> None:
        self._name = name
        self._module = module
        self._attribute = attribute

    def load(self) -> Any:  # noqa: ANN401
        """Make the function an attribute of the class."""
        function = getattr(import_module(self._module), self._attribute)
        setattr(_native.ndarray, self._name, function)
        return function

    def __get__(self, instance: object, owner: type | None = None) -> Any:  # noqa: ANN401
        return self.load().__get__(instance, owner)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401
        """Call the function, for those who look into the class without binding."""
        return self.load()(*arguments, **keywords)


def _array_module(x: _native.ndarray) -> Any:  # noqa: ANN401
    return import_module("situ._namespace").module_of(x)


def attach() -> None:
    """Give arrays their methods."""
    for module, names in _FUNCTIONS.items():
        for name in names.split():
            setattr(_native.ndarray, name, _LazyMethod(name, module, name))
    for name, (module, attribute) in _RENAMED.items():
        setattr(_native.ndarray, name, _LazyMethod(name, module, attribute))
    setattr(_native.ndarray, "__array_module__", property(_array_module))  # noqa: B010
    setattr(_native.ndarray, "__array_priority__", _ARRAY_PRIORITY)  # noqa: B010
