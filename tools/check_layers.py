"""Checks the rules of the house that no compiler knows.

Run by `make lint`; prints one line per broken rule and exits with status 1 if there is any.

1. Crates depend on crates below them only, in Cargo.toml and in code.
2. `unsafe` appears only in the places listed in `UNSAFE_PLACES`, and says why it is sound.
3. The environment is read in `CONFIG_FILES` only, so that `situ doctor` can list every variable.
4. Every Rust and Python file begins by saying what it is.
5. No file or folder has a name that says nothing about its contents.

What the compiler or clippy can check is left to them.
"""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from rust_source import mask

# Which crates each crate may know:
# `ir <- codegen <- runtime <- array <- python`, `ir <- frontend <- python`, and `array` over
# `host` and `sort`, which know no other crate.
LAYERS: dict[str, set[str]] = {
    "situ-ir": set(),
    "situ-codegen": {"situ-ir"},
    "situ-runtime": {"situ-ir", "situ-codegen"},
    "situ-host": set(),
    "situ-sort": set(),
    "situ-array": {"situ-ir", "situ-codegen", "situ-runtime", "situ-host", "situ-sort"},
    "situ-frontend": {"situ-ir"},
    "situ-python": {"situ-ir", "situ-codegen", "situ-runtime", "situ-array", "situ-frontend"},
}

# Where `unsafe` may appear, and why it cannot be avoided there.
UNSAFE_PLACES: dict[str, str] = {
    "crates/situ-host/src/tiled/tile.rs": "vector instructions that some processors have",
    "crates/situ-host/src/vectorised.rs": "vector instructions that some processors have",
    "crates/situ-runtime/src/backend/": "drivers and compiled kernels are reached through pointers",
    "crates/situ-runtime/src/memory/": "allocations are raw memory shared with devices",
    "crates/situ-runtime/src/fork.rs": "what a forked child sees is decided below Rust",
    "crates/situ-runtime/benches/": "calls compiled kernels without the launcher around them",
    "crates/situ-runtime/tests/": "tests hand raw memory to kernels as the array layer does",
    "crates/situ-sort/src/avx2.rs": "vector instructions that not every processor has",
    "crates/situ-sort/src/avx512.rs": "vector instructions that not every processor has",
    "crates/situ-python/src/": "Python's C interface, buffers and capsules",
}

# Files that may read the environment: situ's own variables, those of the OpenCL loader, and what
# the processes of `situ bench` are started with.
CONFIG_FILES = {
    "crates/situ-runtime/src/config.rs",
    "python/situ/_opencl_vendors.py",
    "python/situ/_bench/_worker_environment.py",
}

# Python sources that are input data of tests: kernels as users write them, right and wrong.
DATA_FOLDERS = ("crates/situ-frontend/tests/cases/",)

EMPTY_NAMES = {"utils", "util", "common", "helpers", "helper", "base", "manager", "misc"}

_CRATE_IN_CODE = re.compile(r"\bsitu_(ir|codegen|runtime|host|sort|array|frontend|python)\b")
_UNSAFE = re.compile(r"\bunsafe\b")
_UNSAFE_THAT_NEEDS_A_REASON = re.compile(r"\bunsafe\s*(\{|impl\b|extern\s*(\{|$))")
_ENVIRONMENT = re.compile(r"\benv::(var|var_os|vars|vars_os|set_var|remove_var)\b")


@dataclass(frozen=True, order=True)
class Finding:
    """One broken rule: where, and what to do about it."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        """Format as editors like to read it."""
        return f"{self.path}:{self.line}: {self.message}"


def check(root: Path, paths: list[str]) -> list[Finding]:
    """Check the files `paths`, given relative to `root` with forward slashes."""
    findings: list[Finding] = []
    for path in paths:
        findings += check_name(path)
        file = root / path
        if path.startswith(DATA_FOLDERS) or file.suffix not in {".rs", ".py", ".toml"}:
            continue
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".rs":
            findings += check_rust(path, text)
        elif file.suffix == ".py":
            findings += check_python(path, text)
        elif file.name == "Cargo.toml":
            findings += check_manifest(path, text)
    return sorted(findings)


def check_name(path: str) -> Iterator[Finding]:
    """Rule 5."""
    for part in PurePosixPath(path).parts:
        if part.split(".")[0] in EMPTY_NAMES:
            message = f"`{part}` says nothing about what is inside; name the noun it holds"
            yield Finding(path, 1, message)


def check_manifest(path: str, text: str) -> Iterator[Finding]:
    """Rule 1, as declared."""
    manifest = tomllib.loads(text)
    crate = manifest.get("package", {}).get("name", "")
    if crate not in LAYERS:
        return
    tables = [manifest, *manifest.get("target", {}).values()]
    kinds = ("dependencies", "dev-dependencies", "build-dependencies")
    known = {name for table in tables for kind in kinds for name in table.get(kind, {})}
    for name in sorted(known & LAYERS.keys() - LAYERS[crate] - {crate}):
        line = 1 + text[: text.find(f"\n{name}") + 1].count("\n")
        yield Finding(path, line, _layer_message(crate, name))


def check_rust(path: str, text: str) -> Iterator[Finding]:
    """Rules 1 to 4 for a Rust file."""
    if not text.startswith("//!"):
        yield Finding(path, 1, "starts without a `//!` module doc")
    code = mask(text).splitlines()
    yield from _check_crates_in_code(path, code)
    yield from _check_unsafe(path, code, text.splitlines())
    # Build scripts and tests are not part of the product; variables steer them as their tools say.
    in_product = PurePosixPath(path).name != "build.rs" and "tests" not in PurePosixPath(path).parts
    if path not in CONFIG_FILES and in_product:
        for number, line in enumerate(code, 1):
            if _ENVIRONMENT.search(line):
                yield Finding(path, number, "reads the environment; only `config.rs` may")


def check_python(path: str, text: str) -> Iterator[Finding]:
    """Rules 3 and 4 for a Python file."""
    tree = ast.parse(text, path)
    if not ast.get_docstring(tree):
        yield Finding(path, 1, "starts without a module docstring")
    if path.startswith("python/") and path not in CONFIG_FILES:
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}:
                yield Finding(path, node.lineno, "reads the environment; only `config.rs` may")


def _check_crates_in_code(path: str, code: list[str]) -> Iterator[Finding]:
    parts = PurePosixPath(path).parts
    crate = parts[1] if parts[0] == "crates" else ""
    if crate not in LAYERS:
        return
    for number, line in enumerate(code, 1):
        for found in _CRATE_IN_CODE.finditer(line):
            name = f"situ-{found.group(1)}"
            if name != crate and name not in LAYERS[crate]:
                yield Finding(path, number, _layer_message(crate, name))


def _check_unsafe(path: str, code: list[str], text: list[str]) -> Iterator[Finding]:
    allowed = path.startswith(tuple(UNSAFE_PLACES))
    for index, line in enumerate(code):
        if not _UNSAFE.search(line):
            continue
        if not allowed:
            message = "`unsafe` has no place here; see `UNSAFE_PLACES` in tools/check_layers.py"
            yield Finding(path, index + 1, message)
        elif _UNSAFE_THAT_NEEDS_A_REASON.search(line) and not _has_reason(index, code, text):
            yield Finding(path, index + 1, "`unsafe` without a `// SAFETY:` comment directly above")


def _has_reason(index: int, code: list[str], text: list[str]) -> bool:
    """Whether the statement that line `index` belongs to, or the comment above it, says SAFETY."""
    if "SAFETY:" in text[index]:
        return True
    for above in range(index - 1, -1, -1):
        if "// SAFETY:" in text[above]:
            return True
        statement = code[above].strip()
        is_blank = not text[above].strip()
        ends_another_statement = statement.endswith((";", "{", "}", ","))
        if is_blank or ends_another_statement:
            return False
    return False


def _layer_message(crate: str, name: str) -> str:
    below = ", ".join(sorted(LAYERS[crate])) or "no other crate of situ"
    return f"`{crate}` must not know `{name}`; it may know {below}"


def tracked_files(root: Path) -> list[str]:
    """List the files git tracks or would track, so that build output is left alone."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    return [path for path in listed.split("\0") if path and (root / path).is_file()]


def main() -> int:
    """Check the repository this script is in."""
    root = Path(__file__).resolve().parent.parent
    findings = check(root, tracked_files(root))
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
