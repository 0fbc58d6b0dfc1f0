"""Programs in the style of the peers' own run unmodified; each compares itself with NumPy."""

import pytest
from compat.program import ROOT, output, run
from places import driver_devices

PROGRAMS = sorted((ROOT / "examples" / "compat").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_program_runs(program):
    assert output("-W", "error::RuntimeWarning", "-m", "situ.compat", program)


def test_program_runs_on_a_graphics_processor_if_there_is_one():
    text = output(
        "-m",
        "situ.compat",
        ROOT / "examples" / "compat" / "vector_add.py",
        variables={"SITU_VIRTUAL_DEVICES": "gpu:1"},
    )
    assert "virtual:gpu:0" in text


@pytest.mark.parametrize("device", driver_devices())
def test_program_runs_on_a_device_of_a_driver(device):
    code = (
        "import dpctl, dpnp; "
        f"q = dpctl.SyclQueue({device!r}); "
        "x = dpnp.arange(5, sycl_queue=q); "
        "assert x.sycl_device.filter_string == q.sycl_device.filter_string; "
        "print(dpnp.sum(x * x), x.sycl_device.backend.name)"
    )
    assert (
        output("-m", "situ.compat", "-c", code, variables={}) == f"30 {device.partition(':')[0]}\n"
    )


def test_programs_are_written_for_the_peers_and_do_not_know_situ():
    assert PROGRAMS
    for program in PROGRAMS:
        assert "situ" not in program.read_text(encoding="utf-8")


def test_without_situ_a_program_does_not_find_them(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import numba_dppy", encoding="utf-8")
    assert "ModuleNotFoundError" in run(program).stderr
