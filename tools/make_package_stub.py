"""Writes python/situ/__init__.pyi from the table of public names.

``import situ`` loads names on first use, which type checkers and editors cannot follow; the stub
says where each name is defined. Run it after ``_public_names.py`` has changed; `make lint` runs it
with `--check`, which writes nothing and fails if the stub is not as it should be.
"""

import runpy
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "python" / "situ"
STUB = PACKAGE / "__init__.pyi"


def main() -> int:
    """Write the stub, or with `--check` tell whether it would change."""
    text = wanted_text()
    if "--check" not in sys.argv[1:]:
        STUB.write_text(text, encoding="utf-8")
        return 0
    if STUB.exists() and STUB.read_text(encoding="utf-8") == text:
        return 0
    print(
        f"{STUB.name} does not fit _public_names.py\n  help: run python tools/make_package_stub.py",
        file=sys.stderr,
    )
    return 1


def wanted_text() -> str:
    """Return the stub: one import per module, and `__all__`."""
    # Run, not imported: the package need not be built.
    table = runpy.run_path(str(PACKAGE / "_public_names.py"))
    by_module: dict[str, list[tuple[str, str]]] = {}
    for name, module in table["MODULE_OF"].items():
        by_module.setdefault(module, []).append((name, name))
    for name, (module, attribute) in table["RENAMED"].items():
        by_module.setdefault(module, []).append((attribute, name))
    submodules = [*table["SUBMODULES"], *table["REACHABLE_SUBMODULES"]]
    by_module["situ"] = [(name, name) for name in submodules]
    exported = [*table["MODULE_OF"], *table["RENAMED"], *table["SUBMODULES"]]
    exported += ["__version__", "newaxis"]
    lines = ["# Written by tools/make_package_stub.py from _public_names.py."]
    for module in sorted(by_module):
        lines.append(f"from {module} import (")
        lines += [f"    {attribute} as {name}," for attribute, name in sorted(by_module[module])]
        lines.append(")")
    lines += ["", "newaxis: None", "__version__: str", "", "__all__ = ["]
    lines += [f'    "{name}",' for name in sorted(exported)]
    lines.append("]")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
