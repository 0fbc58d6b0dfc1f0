"""The names of ``dpctl.memory``: USM memory, which is `situ.memory.Allocation`."""

from collections.abc import Callable
from typing import Any

import situ
from situ._native import Allocation
from situ.compat._peer_class import peer_class

__all__ = ["DPNP_NAMES", "NAMES"]


def _maker(usm_type: str) -> Callable[..., Allocation]:
    def make(arg: Any, alignment: int = 0, queue: Any = None, **_rest: object) -> Allocation:  # noqa: ANN401
        """Allocate bytes, or use the memory of an object."""
        # Alignment is that of the largest vector, always.
        del alignment
        if not hasattr(arg, "__index__"):
            memory = situ.memory.as_allocation(arg)
            if memory.usm_type != usm_type:
                msg = (
                    f"the memory is of the kind {memory.usm_type!r}, not {usm_type!r}\n"
                    "  help: `situ.memory.as_allocation(obj)` takes memory of any kind"
                )
                raise ValueError(msg)
            return memory
        if arg <= 0:
            msg = f"memory has at least one byte, not {arg}"
            raise ValueError(msg)
        return Allocation(arg, usm_type, queue=queue)

    return make


def _class(name: str, usm_type: str) -> type:
    return peer_class(
        name,
        "dpctl.memory",
        Allocation,
        _maker(usm_type),
        lambda memory: memory.usm_type == usm_type,
    )


_CLASSES: dict[str, object] = {
    "MemoryUSMDevice": _class("MemoryUSMDevice", "device"),
    "MemoryUSMHost": _class("MemoryUSMHost", "host"),
    "MemoryUSMShared": _class("MemoryUSMShared", "shared"),
}

NAMES: dict[str, object] = {
    **_CLASSES,
    "USMAllocationError": situ.OutOfMemoryError,
    "as_usm_memory": situ.memory.as_allocation,
}

DPNP_NAMES: dict[str, object] = {**_CLASSES, "create_data": situ.memory.as_allocation}
