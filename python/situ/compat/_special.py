"""The names of ``dpnp.scipy.special``: functions that situ has in kernels, applied to arrays."""

# Kernels are untyped Python.
# ruff: noqa: ANN001, ANN202
# pyright: basic

import math
from collections.abc import Callable

import situ
from situ._native import Kernel, default_float, ndarray
from situ.compat._peer_module import Refusal

__all__ = ["NAMES"]


@situ.kernel
def _erf(x, out):
    i = situ.get_global_id(0)
    out[i] = math.erf(x[i])


@situ.kernel
def _erfc(x, out):
    i = situ.get_global_id(0)
    out[i] = math.erfc(x[i])


def _applied(kernel: Kernel, name: str) -> Callable[..., ndarray]:
    def apply(x: ndarray, /, out: ndarray | None = None) -> ndarray:
        floats = x if x.dtype.kind == "f" else x.astype(default_float(device=x))
        result = situ.empty(x.size, dtype=floats.dtype, queue=x.queue, usm_type=x.usm_type)
        if x.size:
            kernel(floats.reshape(-1), result)
        if out is None:
            return result.reshape(x.shape)
        out[...] = result.reshape(x.shape)
        return out

    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = f"Apply `math.{name}` to each element."
    return apply


NAMES: dict[str, object] = {
    "erf": _applied(_erf, "erf"),
    "erfc": _applied(_erfc, "erfc"),
    **{
        name: Refusal(
            f"dpnp.scipy.special.{name}",
            f"SciPy has it for the host: `situ.asarray(scipy.special.{name}(x.to_numpy()))`",
        )
        for name in ("erfcinv", "erfcx", "erfinv")
    },
}
