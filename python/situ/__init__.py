"""Compute where your data lives: devices, arrays and kernels for Python.

The names users type are listed in ``_public_names.py`` and loaded on first use (PEP 562); each is
defined in the module that owns its subject. Only this happens at import: arrays get their methods,
Numba is told about them once it is loaded, and OpenCL loaders find the registered drivers.
"""

from importlib import import_module

from situ import _array_methods, _at_exit, _native, _numba_hook, _opencl_vendors
from situ._public_names import MODULE_OF, REACHABLE_SUBMODULES, RENAMED, SUBMODULES

# An index for a new dimension.
newaxis = None
__version__: str = _native.version()
# The literal list for static tools is in the stub.
__all__ = sorted(  # pyright: ignore[reportUnsupportedDunderAll]
    [*MODULE_OF, *RENAMED, *SUBMODULES, "__version__", "newaxis"]
)


def __getattr__(name: str) -> object:
    """Load a public name on first use."""
    if name in SUBMODULES or name in REACHABLE_SUBMODULES:
        # The import system makes it an attribute of the package.
        return import_module(f"situ.{name}")
    module, attribute = RENAMED.get(name, (MODULE_OF.get(name), name))
    if module is None:
        msg = f"module 'situ' has no attribute {name!r}"
        raise AttributeError(msg, name=name, obj=import_module("situ"))
    found = getattr(import_module(module), attribute)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__, *REACHABLE_SUBMODULES})


_at_exit.register()
_numba_hook.init_when_loaded()
_array_methods.attach()
_opencl_vendors.use_own_directory()
_opencl_vendors.keep_pocl_alive()
