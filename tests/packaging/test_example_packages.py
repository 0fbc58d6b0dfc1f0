"""The example packages can be installed, and work together once they are."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import situ

PACKAGES = Path(__file__).resolve().parents[2] / "examples" / "packages"
FOLDERS = sorted(path.parent for path in PACKAGES.glob("*/pyproject.toml"))

PROGRAM = """
import numpy as np
import host_module, pkg1, pkg2, pkg3, pkg4, pkgA, pkgB
import situ

a = pkg2.allocate((2, 3))
b = pkg1.gemm(a.queue, a, pkg4.allocate((3, 2)))
assert float(pkg3.compute(b)) == 6
assert float(host_module.compute(a, b)) == 2
here = pkgB.offload_to("native")
assert here.energy(pkgA.offload_to("native").compute(3)) == 17
print("packages: ok")
"""


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_package_describes_itself(folder: Path) -> None:
    description = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    assert description["project"]["name"] == folder.name
    assert description["tool"]["setuptools"]["py-modules"] == [folder.name]
    assert (folder / "src" / f"{folder.name}.py").is_file()


@pytest.mark.packaging
def test_packages_are_installed_and_work_together(tmp_path: Path) -> None:
    # Copies, because building leaves files beside the sources.
    sources = tmp_path / "sources"
    for folder in FOLDERS:
        (sources / folder.name).mkdir(parents=True)
        for file in (folder / "pyproject.toml", *folder.glob("src/*.py")):
            target = sources / folder.name / file.relative_to(folder)
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(file.read_bytes())
    installed = tmp_path / "installed"
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target"]
    pip = [sys.executable, "-m", "pip", "install", *options, str(installed)]
    subprocess.run([*pip, *(str(sources / folder.name) for folder in FOLDERS)], check=True)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    paths = [str(installed), str(Path(situ.__file__).parents[1])]
    done = subprocess.run(
        [sys.executable, str(program)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "packages: ok\n", done.stderr
