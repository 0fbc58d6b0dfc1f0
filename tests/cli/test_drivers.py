"""``situ drivers``: what it says about every sort of driver, and how it registers one."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from cli.command import run

from situ import _intel_runtime, _opencl_vendors
from situ._cli import _driver_report, _drivers, main

POCL = Path("/etc/OpenCL/vendors/pocl.icd")
needs_pocl = pytest.mark.skipif(not POCL.exists(), reason="PoCL is not installed here")
needs_intel = pytest.mark.skipif(
    _intel_runtime.find() is None, reason="Intel's runtime is not installed here"
)


@pytest.fixture(autouse=True)
def opencl_is_on(monkeypatch):
    """Take back that `make check` turns drivers off: these tests register their own."""
    monkeypatch.delenv("SITU_OPENCL", raising=False)


@pytest.fixture
def vendors(tmp_path):
    """Return a directory for files that register drivers."""
    directory = tmp_path / "vendors"
    directory.mkdir()
    return directory


def listed(vendors, tmp_path, **environment):
    """Run the command with the drivers of a directory."""
    cache = tmp_path / "cache"
    return run("drivers", cache=cache, OCL_ICD_VENDORS=str(vendors), **environment)


@needs_pocl
def test_a_driver_is_listed_with_its_file_version_and_devices(vendors, tmp_path):
    (vendors / "pocl.icd").symlink_to(POCL)
    done = listed(vendors, tmp_path, SITU_SYCL_LIBRARY="off")
    assert done.returncode == 0, done.stderr
    assert f"registered in {vendors} (by OCL_ICD_VENDORS)" in done.stdout
    assert "  Portable Computing Language (OpenCL 3.0 PoCL" in done.stdout
    assert "/libpocl.so" in done.stdout
    assert "    opencl:cpu:0  " in done.stdout
    assert "sycl: not used\n  why:  SITU_SYCL_LIBRARY is set to `off`\n" in done.stdout


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("gone", "/nowhere/libgone.so\n", "/nowhere/libgone.so: cannot open shared object file"),
        ("math", "libm.so.6", "it is no OpenCL driver, because it has no function"),
        ("empty", "", "the file is empty"),
        ("binary", b"\xff\xfe", "the file is not text"),
    ],
)
def test_a_driver_that_does_not_start_is_explained(name, content, why, vendors, tmp_path):
    file = vendors / f"{name}.icd"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = listed(vendors, tmp_path)
    assert done.returncode == 1
    assert f"  did not start: {file}\n    why:  " in done.stdout
    assert why in done.stdout
    assert "    help: " in done.stdout


def test_a_link_that_leads_nowhere_is_explained(vendors, tmp_path):
    (vendors / "old.icd").symlink_to("/nowhere/old.icd")
    said = listed(vendors, tmp_path).stdout
    assert "why:  the file is a link to /nowhere/old.icd, which does not exist" in said


def test_a_directory_that_does_not_exist_is_explained(tmp_path):
    done = listed(tmp_path / "nowhere", tmp_path)
    assert done.returncode == 1
    assert "OCL_ICD_VENDORS names it, and it does not exist" in done.stdout
    assert "help: unset OCL_ICD_VENDORS" in done.stdout


def test_an_empty_directory_means_no_driver(vendors, tmp_path):
    done = listed(vendors, tmp_path, SITU_SYCL_LIBRARY="off")
    assert done.returncode == 1
    if _intel_runtime.find() is None:
        advice = "help: pip install intel-opencl-rt intel-cmplr-lib-rt, then: situ drivers register"
        assert f"  no driver is registered\n    {advice}\n" in done.stdout
    else:
        assert f"  not registered: {_intel_runtime.find().driver}\n" in done.stdout
        assert "    help: situ drivers register\n" in done.stdout


def test_a_missing_loader_is_explained_with_what_to_install(tmp_path):
    done = run("drivers", cache=tmp_path / "cache", SITU_OPENCL="libNoSuchLoader.so.1")
    assert "opencl: not used\n  why:  the OpenCL loader `libNoSuchLoader.so.1`" in done.stdout
    for line in ("apt install ocl-icd-libopencl1", "dnf install ocl-icd", "conda install ocl-icd"):
        assert line in done.stdout


def test_json_is_the_same_data(vendors, tmp_path):
    (vendors / "gone.icd").write_text("libgone.so\n")
    cache = tmp_path / "cache"
    done = run("drivers", "--json", cache=cache, OCL_ICD_VENDORS=str(vendors))
    opencl, sycl = json.loads(done.stdout)
    assert (opencl["backend"], sycl["backend"]) == ("opencl", "sycl")
    assert opencl["registered_in"] == str(vendors)
    (missing,) = opencl["not_started"]
    assert (missing["file"], missing["library"]) == (str(vendors / "gone.icd"), "libgone.so")


def test_the_doctor_shows_the_same(vendors, tmp_path):
    (vendors / "gone.icd").write_text("libgone.so\n")
    cache = tmp_path / "cache"
    done = run("doctor", cache=cache, OCL_ICD_VENDORS=str(vendors))
    assert done.returncode == 0, done.stderr
    assert f"\n    did not start: {vendors / 'gone.icd'}\n" in done.stdout
    assert done.stdout.index("\ndrivers\n") < done.stdout.index("\ndevices (")


def test_a_library_that_crashes_or_hangs_is_a_reason(tmp_path, monkeypatch):
    source, library = tmp_path / "crash.c", tmp_path / "crash.so"
    source.write_text("void __attribute__((constructor)) f(void) { __builtin_trap(); }")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    problem, advice = _driver_report.explain(str(library))
    assert "ends the process with signal" in problem
    assert "install the driver again" in advice
    monkeypatch.setattr(_driver_report, "_LOAD", "import time; time.sleep(100)")
    monkeypatch.setattr(_driver_report, "_PATIENCE_SECONDS", 0.1)
    assert "does not come back" in _driver_report.load_problem("libslow.so")


@pytest.mark.parametrize("command", ["doctor", "drivers"])
def test_a_driver_that_ends_the_process_is_found_and_named(command, vendors, tmp_path):
    source, library = tmp_path / "crash.c", tmp_path / "libcrash.so"
    source.write_text(
        """
        #include <stdio.h>
        #include <stdlib.h>
        void __attribute__((constructor)) f(void) { fputs("no moon here\\n", stderr); abort(); }
        """
    )
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    (vendors / "a.icd").write_text("libgone.so\n")
    (vendors / "crash.icd").write_text(f"{library}\n")
    settings = {"cache": tmp_path / "cache", "OCL_ICD_VENDORS": str(vendors)}
    done = run(command, **settings)
    assert done.returncode == 1
    assert f"situ {command}: the drivers cannot be started" in done.stdout
    why = f"the driver of {vendors / 'crash.icd'} ends the process with signal 6"
    assert f"why:  {why}, after saying: no moon here" in done.stdout
    fatal = json.loads(run(command, "--json", **settings).stdout)["fatal"]
    assert (fatal["file"], fatal["signal"]) == (str(vendors / "crash.icd"), 6)
    without = run("doctor", SITU_OPENCL="off", SITU_SYCL_LIBRARY="off", **settings)
    assert without.returncode == 0, without.stderr
    assert "opencl: not used" in without.stdout


def test_a_driver_without_hardware_is_a_reason(monkeypatch):
    monkeypatch.setattr(_driver_report, "load_problem", lambda _: None)
    problem, advice = _driver_report.explain("libgpu.so")
    assert "it finds no hardware" in problem
    assert "`render`" in advice


# Registering


@needs_intel
def test_registering_writes_the_driver_and_links_to_those_of_the_system(tmp_path, capsys):
    directory = tmp_path / "my drivers"
    assert main(["drivers", "register", "--directory", str(directory)]) == 0
    said = capsys.readouterr().out
    driver = _intel_runtime.find().driver
    assert (directory / "intel.icd").read_text() == f"{driver}\n"
    for file in _opencl_vendors.system_files():
        assert (directory / file.name).readlink() == file
    assert "registered Intel's OpenCL driver" in said
    assert "  opencl:cpu:0  " in said
    assert f"  export OCL_ICD_VENDORS='{directory}'" in said
    before = (directory / "intel.icd").stat().st_ino
    assert main(["drivers", "register", "--directory", str(directory)]) == 0
    assert (directory / "intel.icd").stat().st_ino == before, "what is right is left alone"
    assert main(["drivers", "unregister", "--directory", str(directory)]) == 0
    assert not directory.exists()
    assert main(["drivers", "unregister", "--directory", str(directory)]) == 0
    assert f"nothing is registered in {directory}" in capsys.readouterr().out


def test_situ_uses_what_is_registered_unless_the_user_chose(tmp_path, monkeypatch):
    monkeypatch.setattr(_opencl_vendors, "own_directory", lambda: tmp_path / "own")
    monkeypatch.delenv("OCL_ICD_VENDORS", raising=False)
    monkeypatch.delenv("OPENCL_VENDOR_PATH", raising=False)
    _opencl_vendors.use_own_directory()
    assert "OCL_ICD_VENDORS" not in os.environ
    (tmp_path / "own").mkdir()
    for variable in ("OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"):
        with monkeypatch.context() as patch:
            patch.setenv(variable, "/mine")
            _opencl_vendors.use_own_directory()
            assert _opencl_vendors.chosen() == (variable, Path("/mine"))
    _opencl_vendors.use_own_directory()
    assert _opencl_vendors.chosen() == ("OCL_ICD_VENDORS", tmp_path / "own")
    monkeypatch.delenv("OCL_ICD_VENDORS")


def test_pocl_compiles_small_groups_by_loops_unless_the_user_chose(monkeypatch):
    """Else some kernels end the process, now and then."""
    monkeypatch.delenv("POCL_WORK_GROUP_METHOD", raising=False)
    _opencl_vendors.keep_pocl_alive()
    assert os.environ["POCL_WORK_GROUP_METHOD"] == "loopvec"
    monkeypatch.setenv("POCL_WORK_GROUP_METHOD", "cbs")
    _opencl_vendors.keep_pocl_alive()
    assert os.environ["POCL_WORK_GROUP_METHOD"] == "cbs"


def test_the_directory_belongs_to_the_environment(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "env"))
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    assert _opencl_vendors.own_directory() == tmp_path / "env/share/situ/opencl-vendors"
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path / "env"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert _opencl_vendors.own_directory() == tmp_path / "data/situ/opencl-vendors"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert _opencl_vendors.own_directory() == tmp_path / ".local/share/situ/opencl-vendors"
    (tmp_path / "env/conda-meta").mkdir(parents=True)
    assert _opencl_vendors.own_directory() == tmp_path / "env/share/situ/opencl-vendors"


def test_nothing_to_register_is_said_with_the_line_that_installs_it(monkeypatch, capsys):
    monkeypatch.setattr(_intel_runtime, "find", lambda: None)
    assert main(["drivers", "register"]) == 1
    said = capsys.readouterr().err
    assert "there is no driver to register" in said
    assert sys.prefix in said
    if _intel_runtime.is_for_this_machine():
        assert "help: pip install intel-opencl-rt intel-cmplr-lib-rt" in said


def test_no_package_is_advised_where_there_is_none(monkeypatch, capsys):
    monkeypatch.setattr(_intel_runtime, "find", lambda: None)
    monkeypatch.setattr(_intel_runtime, "is_for_this_machine", lambda: False)
    assert main(["drivers", "register"]) == 1
    assert "x86-64 Linux only" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("runtime", "problem", "parts"),
    [
        ((None, True), None, ["is damaged", "pip install --force-reinstall intel-opencl-rt"]),
        (
            ("libintelocl.so", False),
            "libimf.so: cannot open shared object file",
            ["cannot be loaded", "libimf.so", "pip install intel-cmplr-lib-rt"],
        ),
        (
            ("libintelocl.so", True),
            "libc.so.6: version `GLIBC_2.99' not found",
            ["GLIBC_2.99", "pip install --upgrade intel-opencl-rt intel-cmplr-lib-rt"],
        ),
    ],
)
def test_a_driver_that_cannot_be_loaded_is_not_registered(
    runtime, problem, parts, monkeypatch, capsys, tmp_path
):
    driver, has_libraries = runtime
    driver = None if driver is None else Path(driver)
    found = _intel_runtime.IntelRuntime("1.2.3", driver, has_libraries, None)
    monkeypatch.setattr(_intel_runtime, "find", lambda: found)
    monkeypatch.setattr(_driver_report, "load_problem", lambda _: problem)
    directory = tmp_path / "vendors"
    assert main(["drivers", "register", "--directory", str(directory)]) == 1
    said = capsys.readouterr().err
    assert all(part in said for part in parts), said
    assert not directory.exists()


@needs_intel
def test_a_directory_that_cannot_be_made_is_said(tmp_path, capsys):
    file = tmp_path / "file"
    file.touch()
    assert main(["drivers", "register", "--directory", str(file / "vendors")]) == 1
    said = capsys.readouterr().err
    assert f"cannot register drivers in {file / 'vendors'}" in said
    assert "why:  Not a directory" in said
    assert "--directory" in said


@pytest.mark.parametrize("action", ["register", "unregister"])
@needs_intel
def test_drivers_that_others_registered_are_left_alone(action, vendors, capsys):
    (vendors / "mine.icd").write_text("libmine.so\n")
    assert main(["drivers", action, "--directory", str(vendors)]) == 1
    assert "drivers are registered there that situ did not register" in capsys.readouterr().err
    assert [path.name for path in vendors.iterdir()] == ["mine.icd"]


def test_unregistering_leaves_other_files_alone(vendors, capsys):
    _opencl_vendors.write(vendors, {"one": Path("/lib/one.so")}, [])
    (vendors / "notes.txt").write_text("mine")
    assert main(["drivers", "unregister", "--directory", str(vendors)]) == 0
    assert [path.name for path in vendors.iterdir()] == ["notes.txt"]
    assert "removed" in capsys.readouterr().out


@needs_intel
def test_a_loader_that_is_missing_is_told_when_registering(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SITU_OPENCL", "libNoSuchLoader.so.1")
    directory = str(tmp_path / "vendors")
    assert main(["drivers", "register", "--directory", directory]) == 1
    said = capsys.readouterr().out
    assert "it does not work yet\n  why:  the OpenCL loader `libNoSuchLoader.so.1`" in said
    assert "apt install ocl-icd-libopencl1" in said
    assert "export LD_LIBRARY_PATH=" in said


def test_a_variable_that_stands_in_the_way_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("OCL_ICD_VENDORS", "/somewhere")
    (said, line) = _drivers._shell_lines(tmp_path)
    assert said == "OCL_ICD_VENDORS is set to /somewhere, which is used instead. Unset it, or:"
    assert line == f"  export OCL_ICD_VENDORS={tmp_path}"


def test_drivers_installed_later_are_told(monkeypatch, tmp_path):
    monkeypatch.setattr(_opencl_vendors, "own_directory", lambda: tmp_path)
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path))
    monkeypatch.setattr(_opencl_vendors, "system_files", lambda: [Path("/etc/new.icd")])
    report = {"backend": "opencl", "loader": "libOpenCL.so.1", "version": None, "drivers": []}
    report.update(_driver_report._registration(report))
    said = _driver_report.describe([report])
    assert "(by situ drivers register)" in said
    assert "  not seen: /etc/new.icd\n    why:  it was installed after" in said


def test_a_directory_alone_makes_no_sense(capsys):
    assert main(["drivers", "--directory", "/tmp"]) == 2
    assert "--directory goes with register" in capsys.readouterr().err


@pytest.mark.slow
@needs_intel
def test_a_new_environment_sees_what_was_registered_in_it(tmp_path):
    """As users do it: an environment of its own, without any variable."""
    venv.create(tmp_path / "env", system_site_packages=False, symlinks=True)
    python = tmp_path / "env/bin/python"
    vendors = tmp_path / "env/share/situ/opencl-vendors"
    _opencl_vendors.write(vendors, {"intel": _intel_runtime.find().driver}, [])
    hidden = {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "SITU_SYCL_LIBRARY"}
    clean = {name: value for name, value in os.environ.items() if name not in hidden}
    paths = os.pathsep.join(path for path in sys.path if path)
    program = "import situ; print([device.platform.name for device in situ.devices('opencl')])"
    done = subprocess.run(
        [python, "-c", program],
        env={**clean, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "['Intel(R) OpenCL']\n", done.stderr
