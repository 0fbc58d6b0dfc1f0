"""Run by a test with ``python -m situ.compat``: looks up every public name of the peers.

Prints the names that are not there, also on objects of the classes, and for those that situ has
nothing for what they say when they are called.
"""

import importlib
import json
import sys
import warnings
from pathlib import Path

from situ.compat import NotInSituError
from situ.compat._peer_module import Refusal

# An object of this class is an array, in a kernel; it has no attributes outside of one.
IN_KERNELS = ("numba_dpex.kernel_api.PrivateArray.",)


def samples() -> dict[str, object]:
    """Return an object of each class whose attributes can be read."""
    import dpctl.memory
    import dpnp.tensor
    import numba_dpex.kernel_api as kapi

    x = dpnp.ones((2, 3))
    event = dpctl.SyclQueue(property="enable_profiling").submit_barrier()
    event.wait()
    classes = ("SyclContext", "SyclDevice", "SyclPlatform", "SyclQueue", "SyclTimer")
    kinds = ("Device", "Host", "Shared")
    memory = {f"MemoryUSM{kind}": getattr(dpctl.memory, f"MemoryUSM{kind}")(16) for kind in kinds}
    return {
        **{f"dpctl.{name}": getattr(dpctl, name)() for name in classes},
        **{f"dpctl.memory.{name}": made for name, made in memory.items()},
        **{f"dpnp.memory.{name}": made for name, made in memory.items()},
        "dpctl.SyclEvent": event,
        "dpnp.flatiter": x.flat,
        "dpnp.ndarray": x,
        "dpnp.random.RandomState": dpnp.random.RandomState(1),
        "dpnp.tensor.Device": x.device,
        "dpnp.tensor.usm_ndarray": x,
        "numba_dpex.kernel_api.NdRange": kapi.NdRange(4, 2),
        "numba_dpex.kernel_api.Range": kapi.Range(4, 2, 2),
        "numba_dpex.NdRange": kapi.NdRange(4, 2),
        "numba_dpex.Range": kapi.Range(4),
    }


def find(name: str) -> object:
    """Return what a dotted name means."""
    parts = name.split(".")
    found: object = importlib.import_module(parts[0])
    for count, part in enumerate(parts[1:], 2):
        try:
            found = getattr(found, part)
        except AttributeError:
            found = importlib.import_module(".".join(parts[:count]))
    return found


def main(folder: Path) -> None:
    """Look up the names in the files of a folder."""
    objects = samples()
    missing, values, refused, count = [], [], {}, 0
    for file in sorted(folder.glob("*.txt")):
        for name in file.read_text(encoding="utf-8").split():
            if name.startswith(IN_KERNELS):
                continue
            count += 1
            try:
                found = find(name)
                owner, _, attribute = name.rpartition(".")
                if owner in objects:
                    getattr(objects[owner], attribute)
            except Exception as error:
                missing.append(f"{name}: {error}")
                continue
            if isinstance(found, type) or not callable(found):
                values.append(name)
            refusal = found if isinstance(found, Refusal) else getattr(found, "refusal", None)
            if isinstance(refusal, Refusal):
                try:
                    refusal("an argument", axis=0)
                except NotInSituError as error:
                    refused[name] = str(error)
    print(json.dumps({"missing": missing, "values": values, "refused": refused, "count": count}))


if __name__ == "__main__":
    warnings.simplefilter("ignore", DeprecationWarning)
    main(Path(sys.argv[1]))
