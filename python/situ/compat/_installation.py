"""Putting the peers' modules where `import` finds them, and taking them away."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import situ
from situ import _native
from situ.compat import (
    _attributes,
    _dpctl,
    _dpctl_memory,
    _dpctl_order,
    _dpctl_program,
    _dpnp,
    _dpnp_linalg,
    _dpnp_random,
    _dpnp_tensor,
    _numba_dpex,
    _numba_dppy,
    _special,
)
from situ.compat._peer_module import CompatError, PeerModule

__all__ = ["PEERS", "install", "uninstall"]

PEERS = ("dpctl", "dpnp", "numba_dpex", "numba_dppy")

# Every module, and its names. Packages come before what is inside of them.
_MODULES: dict[str, dict[str, object]] = {
    "dpctl": _dpctl.NAMES,
    "dpctl.enum_types": {
        name: _dpctl.NAMES[name] for name in ("backend_type", "device_type", "event_status_type")
    },
    "dpctl.memory": _dpctl_memory.NAMES,
    "dpctl.program": _dpctl_program.NAMES,
    "dpctl.tensor": _dpnp_tensor.NAMES,
    "dpctl.utils": _dpctl_order.NAMES,
    "dpnp": _dpnp.NAMES,
    "dpnp.dpnp_array": {"dpnp_array": _dpnp.NAMES["ndarray"]},
    "dpnp.exceptions": _dpnp.EXCEPTIONS,
    "dpnp.fft": _dpnp_linalg.FFT_NAMES,
    "dpnp.linalg": _dpnp_linalg.NAMES,
    "dpnp.memory": _dpctl_memory.DPNP_NAMES,
    "dpnp.random": _dpnp_random.NAMES,
    "dpnp.scipy": {},
    "dpnp.scipy.linalg": _dpnp_linalg.SCIPY_LINALG_NAMES,
    "dpnp.scipy.special": _special.NAMES,
    "dpnp.tensor": _dpnp_tensor.NAMES,
    "dpnp.tensor._compute_follows_data": _dpctl_order.PLACEMENT_NAMES,
    "numba_dpex": _numba_dpex.NAMES,
    "numba_dpex.core": {},
    "numba_dpex.core.config": _numba_dpex.CONFIG,
    "numba_dpex.core.exceptions": _numba_dpex.EXCEPTIONS,
    "numba_dpex.core.types": _numba_dpex.TYPES,
    "numba_dpex.core.types.kernel_api": {},
    "numba_dpex.core.types.kernel_api.index_space_ids": _numba_dpex.INDEX_TYPES,
    "numba_dpex.experimental": _numba_dpex.NAMES,
    "numba_dpex.kernel_api": _numba_dpex.KERNEL_API,
    "numba_dppy": _numba_dppy.NAMES,
    "numba_dppy.local": _numba_dppy.LOCAL,
}

# What was there before, by name; nothing while the modules are not installed.
_replaced: dict[str, ModuleType] | None = None
_queue: situ.Queue | None = None


def install(*, replace: bool = False) -> None:
    """Provide ``dpctl``, ``dpnp``, ``numba_dpex`` and ``numba_dppy`` over situ.

    Imports that follow find modules whose names are situ's functions and classes, and situ's own
    classes have the peers' attributes as well. If there is a graphics processor, new arrays go
    there unless something else is said, as they do in the peers. Doing it twice changes nothing.

    Parameters
    ----------
    replace : bool, default False
        Whether to go on if a real peer has been imported: it is put aside until `uninstall`. Code
        that has imported it already keeps using it.

    Raises
    ------
    CompatError
        A real peer has been imported, and ``replace`` is not given.

    Examples
    --------
    >>> import situ.compat
    >>> situ.compat.install(replace=True)
    >>> import dpnp
    >>> dpnp.arange(3, usm_type="shared").asnumpy()
    array([0, 1, 2])
    >>> situ.compat.uninstall()
    """
    global _replaced, _queue
    if _replaced is not None:
        return
    found = [name for name in PEERS if name in sys.modules]
    if found and not replace:
        raise CompatError(_conflict(found))
    # Drivers are looked for while the real packages can be found: one of them has SYCL's.
    gpus = _native.devices("gpu")
    _replaced = {name: sys.modules.pop(name) for name in list(sys.modules) if _is_of_peer(name)}
    for name, table in _MODULES.items():
        _add(name, table)
    _attributes.attach()
    if gpus and situ.global_queue() is None:
        situ.set_global_queue(gpus[0])
        _queue = situ.global_queue()


def uninstall() -> None:
    """Take the peers' modules away again, and give back those that were put aside.

    Programs that have imported them keep them, but attributes that situ's objects had for them are
    gone.
    """
    global _replaced, _queue
    if _replaced is None:
        return
    for name in list(sys.modules):
        if _is_of_peer(name):
            del sys.modules[name]
    sys.modules.update(_replaced)
    _replaced = None
    _attributes.detach()
    if _queue is not None and situ.global_queue() == _queue:
        situ.reset_global_queue()
    _queue = None


def _add(name: str, table: dict[str, object]) -> None:
    """Make a module, as `import` would have."""
    doc = f"The names of `{name}`, as situ's: see `situ.compat`."
    module = PeerModule(name, doc, table)
    module.__spec__ = ModuleSpec(name, None, origin="situ.compat", is_package=True)
    sys.modules[name] = module
    package, _, own = name.rpartition(".")
    if package:
        setattr(sys.modules[package], own, module)


def _is_of_peer(name: str) -> bool:
    return name.partition(".")[0] in PEERS


def _conflict(found: list[str]) -> str:
    names = " and ".join(f"`{name}`" for name in found)
    verb = "is" if len(found) == 1 else "are"
    return (
        f"{names} {verb} imported already\n"
        "  why:  code that has it would pass its objects to code that gets situ's, and neither "
        "would know\n"
        "  help: install before anything imports it, e.g. by `python -m situ.compat script.py`; "
        "`situ.compat.install(replace=True)` puts it aside"
    )
