"""The names of ``numba_dppy``, from which ``numba_dpex`` came, and what each is in situ."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import FunctionType
from typing import Any, SupportsIndex, cast

import situ
from situ._native import Kernel, Queue
from situ.compat._dpctl import on
from situ.compat._numba_dpex import OLDER
from situ.compat._peer_module import PeerModule

__all__ = ["LOCAL", "NAMES", "LaunchedKernel"]

Sizes = SupportsIndex | Sequence[SupportsIndex]


class LaunchedKernel:
    """A kernel of situ that is launched by ``kernel[global_size, local_size](...)``.

    The two sizes are numbers or lists; the second may be empty or left out. Situ itself reads two
    numbers as a range of two dimensions.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.__doc__ = kernel.__doc__
        self.__name__ = kernel.__name__

    def __call__(self, *arguments: Any, **keywords: Any) -> None:  # noqa: ANN401
        """Run over the common shape of the arrays."""
        self.kernel(*arguments, **keywords)

    def __getitem__(self, sizes: Sizes | tuple[Sizes, Sizes]) -> Callable[..., None]:
        """Return the kernel with a range."""
        if not isinstance(sizes, tuple):
            return self.kernel[sizes]
        total, group = (*sizes, ())[:2] if len(sizes) < 2 else sizes
        total, group = _listed(cast("Sizes", total)), _listed(cast("Sizes", group))
        return self.kernel[(total, group)] if group else self.kernel[total]

    def __getattr__(self, name: str) -> object:
        return getattr(self.kernel, name)


def _listed(sizes: Sizes) -> tuple[SupportsIndex, ...]:
    return tuple(sizes) if isinstance(sizes, Sequence) else (sizes,)


def kernel(function: object = None, **_options: object) -> Any:  # noqa: ANN401
    """Make a kernel that is launched by global and local size."""

    def make(function: FunctionType) -> LaunchedKernel:
        return LaunchedKernel(situ.kernel(function))

    return make(function) if isinstance(function, FunctionType) else make


def offload_to_sycl_device(dev: object) -> AbstractContextManager[Queue]:
    """Let kernels in a block take NumPy arrays, and run on a queue."""
    return on(dev)


LOCAL: dict[str, object] = {"array": situ.local.array, "static_alloc": situ.local.array}

NAMES: dict[str, object] = {
    **OLDER,
    "DEFAULT_LOCAL_SIZE": [],
    "__version__": "0.19.0",
    "asarray": situ.asarray,
    "autojit": kernel,
    "kernel": kernel,
    "local": PeerModule("numba_dppy.local", "Memory of a work-group.", LOCAL),
    "offload_to_sycl_device": offload_to_sycl_device,
}
