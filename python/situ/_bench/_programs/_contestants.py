"""How each library runs a program: which of its functions, compiled by what.

NumPy always runs `reference`. Numba compiles `njit` and `parallel`; for kernels, which it does not
have, it stands in with `parallel`. situ compiles the same two functions from the same source, runs
`reference` with its own namespace in the place of NumPy's, and runs `kernel` as it is.
"""

import importlib
import warnings
from typing import Any

import situ
from situ._bench._libraries import NotForThisLibraryError
from situ._bench._programs import _program
from situ._bench._programs._program import Program
from situ._bench._work import Work


def prepared(program: Program, style: str, library: str) -> Work:
    """Return the program in a style as a library runs it; compilers wait for the first call."""
    module = program.load()
    if library == "numpy":
        return module.reference
    if library == "situ" and style == "kernel":
        return module.kernel
    if library == "situ" and style == "array":
        vars(module)["np"] = situ
        return module.reference
    name = "parallel" if style == "kernel" else style
    if style == "array" or not hasattr(module, name):
        message = f"the program has no `{name}` for {library}"
        raise NotForThisLibraryError(message)
    decorate = _decorator(library, is_parallel=name == "parallel")
    if library == "numba":
        vars(module)["prange"] = importlib.import_module("numba").prange
    chosen = getattr(module, name)
    for helper, function in _program.helpers(module).items():
        vars(module)[helper] = decorate(function)
    return decorate(chosen)


def _decorator(library: str, *, is_parallel: bool) -> Any:
    if library == "situ":
        return situ.njit
    numba: Any = importlib.import_module("numba")
    # Advice about layouts and loops that stay serial; the times say so too.
    warnings.simplefilter("ignore", numba.core.errors.NumbaWarning)
    return numba.njit(parallel=is_parallel)


def warm_up(style: str, library: str) -> None:
    """Load the compiler and start its threads, which is no part of a program's first call."""
    if library == "numpy" or (library == "numba" and style == "array"):
        return
    is_parallel = style in {"parallel", "kernel"}
    array = situ.ones(4) if library == "situ" else situ.ones(4).to_numpy()
    _decorator(library, is_parallel=is_parallel)(_plus_one)(array)


def _plus_one(x: Any) -> Any:
    return x + 1.0
